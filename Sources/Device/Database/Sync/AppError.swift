public import Foundation

/// What went wrong with an app's login or its configuration.
public struct AppError: Error, Sendable, Hashable {
    public let code: Code
    /// The cause and what to do about it.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// None of the others.
        public static let unknown = Code(rawValue: -1)
        /// The token cannot be used.
        public static let invalidSession = Code(rawValue: 2)
        /// The user is not logged in.
        public static let userNotLoggedIn = Code(rawValue: 3)
    }
}

extension AppError: LocalizedError {
    public var errorDescription: String? { message }
}

extension AppError: CustomStringConvertible {
    public var description: String { message }
}
