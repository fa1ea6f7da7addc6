import CausewayModel
import Foundation

// The stored records, one JSON object each. Fields may be added: a reader ignores fields that it does not know, and a
// field that was added later is optional.
//
// Users, addresses and identities are equal if their bytes are. Their type sees to it that none is compared as a text.

/// A user.
struct AccountRecord: Codable, Hashable {
    var id: ExactString
    var identities: [Identity]
    var profile: [String: ClaimValue] = [:]
    /// What the operator stores for the user's apps.
    var customData: [String: ClaimValue] = [:]
    /// The roles that the operator gave them; rules ask for them.
    var roles: [String]?
    /// The last address that they have proven to be theirs.
    var email: ExactString?
    var isDisabled = false
    /// Milliseconds since 1970.
    var created: UInt64

    struct Identity: Codable, Hashable {
        var provider: ExactString
        var id: ExactString
    }
}

/// An address and its password.
struct PasswordRecord: Codable, Hashable {
    /// Nil when the address was registered with two passwords before anybody confirmed it: then neither counts.
    var hash: PasswordHash?
    /// Whether it can log in.
    var isConfirmed: Bool
    /// Whether its owner has proven that it is theirs, by a message's token or to the operator's program.
    var isProven: Bool?
    /// The user, from the first login on.
    var account: ExactString?
    var created: UInt64
}

/// A login.
struct SessionRecord: Codable, Hashable {
    var account: ExactString
    var provider: ExactString
    /// The API key that it was made with.
    var key: String?
    var digest: Data
    var created: UInt64
    var expires: UInt64
}

/// An API key.
struct KeyRecord: Codable, Hashable {
    var id: String
    var name: String
    var account: ExactString
    var digest: Data
    var isDisabled = false
    /// Whether the operator made it.
    var isServer = false
    var created: UInt64
}

/// The token of a message.
struct MessageTokenRecord: Codable, Hashable {
    var purpose: AccountMessage.Kind
    var email: ExactString
    var digest: Data
    var expires: UInt64
}

extension ExactString: Codable {
    package init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(string)
    }
}
