/// A user as the device remembers them from one start of the program to the next.
struct UserRecord: Codable, Hashable, Sendable {
    var id: String
    var state = UserState.loggedOut
    /// How the last login was done: a provider's name, as in `CredentialsRequest`.
    var provider: String?
    var accessToken: String?
    /// What a new access token is got with; nil after a login by JWT.
    var refreshToken: String?
    var identities: [Identity] = []
    var profile: [String: AnyBSON] = [:]
    var customData: [String: AnyBSON] = [:]

    struct Identity: Codable, Hashable, Sendable {
        var provider: String
        var id: String
    }

    var isAnonymous: Bool { provider == "anon-user" }
}

/// What the server tells of a user: all of it after a login, parts after other calls.
struct AccountAnswer: Decodable, Sendable {
    var userId: String
    var accessToken: String?
    var refreshToken: String?
    var provider: String?
    var identities: [UserRecord.Identity]?
    var profile: [String: AnyBSON]?
    var customData: [String: AnyBSON]?
}

extension UserRecord {
    /// Takes over what an answer says and keeps the rest.
    mutating func take(_ answer: AccountAnswer) {
        if let token = answer.accessToken { accessToken = token }
        if let token = answer.refreshToken { refreshToken = token }
        if let provider = answer.provider { self.provider = provider }
        if let identities = answer.identities { self.identities = identities }
        if let profile = answer.profile { self.profile = profile }
        if let customData = answer.customData { self.customData = customData }
    }
}
