import Foundation

/// Why a call of the account endpoints is refused. The table of codes is in ACCOUNTS.md.
///
/// Messages name cause and remedy, and tell nobody whether an address is known.
package struct AccountError: Error, Hashable, Sendable {
    package var code: Code
    package var message: String
    /// After how long the call is good again, where that is known.
    package var retryAfterSeconds: UInt64?

    package init(_ code: Code, _ message: String, retryAfterSeconds: UInt64? = nil) {
        self.retryAfterSeconds = retryAfterSeconds
        self.code = code
        self.message = message
    }

    /// The names are those of the device library's `AppError`.
    package enum Code: String, Sendable, CaseIterable {
        case invalidSession
        case badRequest
        case userNotFound
        case readSizeLimitExceeded
        case invalidParameter
        case missingParameter
        case internalServerError
        case authProviderNotFound
        case valueNotFound
        case functionNotFound
        case functionExecutionError
        case apiKeyAlreadyExists
        case userDisabled
        case authError
        case accountNameInUse
        case invalidPassword
        case maintenanceInProgress
        /// An `authError` that passes with time.
        case tooManyAttempts

        package var status: Int {
            switch self {
            case .invalidSession, .invalidPassword, .authError: 401
            case .userDisabled: 403
            case .badRequest, .invalidParameter, .missingParameter, .functionExecutionError: 400
            case .userNotFound, .authProviderNotFound, .valueNotFound, .functionNotFound: 404
            case .apiKeyAlreadyExists, .accountNameInUse: 409
            case .readSizeLimitExceeded: 413
            case .tooManyAttempts: 429
            case .internalServerError: 500
            case .maintenanceInProgress: 503
            }
        }

        /// The name on the wire: devices have no code of their own for too many attempts.
        var name: String { self == .tooManyAttempts ? Code.authError.rawValue : rawValue }
    }
}

/// An answer of the account endpoints.
package struct AccountReply: Hashable, Sendable {
    package var status: Int
    /// JSON.
    package var body: [UInt8]
    /// Nil where nothing failed.
    package var code: AccountError.Code?
    /// The user that calls, or has logged in.
    package var user: String?
    package var retryAfterSeconds: UInt64?

    init(_ content: some Encodable, user: String? = nil) {
        status = 200
        self.user = user
        body = (try? [UInt8](JSONEncoder().encode(content))) ?? [UInt8]("{}".utf8)
    }

    package init(_ error: AccountError) {
        status = error.code.status
        code = error.code
        retryAfterSeconds = error.retryAfterSeconds
        body =
            (try? [UInt8](JSONEncoder().encode(["code": error.code.name, "message": error.message])))
            ?? [UInt8]("{}".utf8)
    }
}
