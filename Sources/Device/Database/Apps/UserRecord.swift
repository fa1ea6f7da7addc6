/// A user as the device stores it between two starts of the program.
struct UserRecord: Codable, Hashable, Sendable {
    var id: String
    var state = UserState.loggedOut
    /// The provider of the last login, named as in `CredentialsRequest`.
    var provider: String?
    var accessToken: String?
    /// The token that renews access tokens; nil after a login by JWT.
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

/// The server's answer about a user: complete after a login, partial after other calls.
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
    /// Takes over the values that an answer contains and keeps the others.
    mutating func take(_ answer: AccountAnswer) {
        if let token = answer.accessToken { accessToken = token }
        if let token = answer.refreshToken { refreshToken = token }
        if let provider = answer.provider { self.provider = provider }
        if let identities = answer.identities { self.identities = identities }
        if let profile = answer.profile { self.profile = profile }
        if let customData = answer.customData { self.customData = customData }
    }
}
