import Foundation

// What is kept, one JSON object a record. Fields may be added; a reader leaves out what it does not know. A field that was
// added later is optional.

/// A user.
struct AccountRecord: Codable, Hashable {
    var id: String
    var identities: [Identity]
    var profile: [String: ClaimValue] = [:]
    /// What the operator notes for the user's apps.
    var customData: [String: ClaimValue] = [:]
    /// What the operator says they are; rules ask for it.
    var roles: [String]?
    /// The address that they have proven to be theirs, last.
    var email: String?
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
    /// Nil when the address was registered with two passwords before anybody confirmed it: neither counts.
    var hash: PasswordHash?
    /// Whether it can log in.
    var isConfirmed: Bool
    /// Whether its owner has shown that it is theirs, by a message's token or to the operator's program.
    var isProven: Bool?
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
