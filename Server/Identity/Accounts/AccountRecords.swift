import Foundation

// What is kept, one JSON object a record. Fields may be added; a reader leaves out what it does not know.

/// A user.
struct AccountRecord: Codable, Hashable {
    var id: String
    var identities: [Identity]
    var profile: [String: ClaimValue] = [:]
    /// What the operator notes for the user's apps.
    var customData: [String: ClaimValue] = [:]
    var isDisabled = false
    /// Milliseconds since 1970.
    var created: UInt64

    struct Identity: Codable, Hashable {
        var provider: String
        var id: String
    }
}

/// An address and its password.
struct PasswordRecord: Codable, Hashable {
    var hash: PasswordHash
    var isConfirmed: Bool
    /// The user, once there was a login.
    var account: String?
    var created: UInt64
}

/// A login.
struct SessionRecord: Codable, Hashable {
    var account: String
    var provider: String
    /// The API key it was made with.
    var key: String?
    var digest: Data
    var created: UInt64
    var expires: UInt64
}

/// An API key.
struct KeyRecord: Codable, Hashable {
    var id: String
    var name: String
    var account: String
    var digest: Data
    var isDisabled = false
    /// Whether the operator made it.
    var isServer = false
    var created: UInt64
}

/// The token of a message.
struct MessageTokenRecord: Codable, Hashable {
    var purpose: AccountMessage.Kind
    var email: String
    var digest: Data
    var expires: UInt64
}
