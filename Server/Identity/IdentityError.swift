/// Why a caller is not known, or why the keys to know callers by cannot be used.
///
/// Messages name cause and remedy and never hold a token, a part of one, or a key.
package struct IdentityError: Error, Hashable, Sendable {
    package var code: Code
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package struct Code: RawRepresentable, Hashable, Sendable {
        package var rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The token is malformed, not signed by a trusted key, or meant for someone else.
        package static let tokenInvalid = Code(rawValue: "tokenInvalid")
        /// The token was good and no longer is: a new one helps.
        package static let tokenExpired = Code(rawValue: "tokenExpired")
        /// A key file cannot be used as what the configuration says it is.
        package static let keyUnusable = Code(rawValue: "keyUnusable")
        /// Development keys or a token cannot be made as asked.
        package static let requestInvalid = Code(rawValue: "requestInvalid")
    }
}

extension IdentityError: CustomStringConvertible {
    package var description: String { message }
}

extension IdentityError {
    static func invalid(_ message: String) -> IdentityError {
        IdentityError(.tokenInvalid, message)
    }

    static func unusable(_ message: String) -> IdentityError {
        IdentityError(.keyUnusable, message)
    }
}
