import CausewayIdentity
import Foundation

/// A provider of id tokens that a fixture's accounts believe, where they are made with ``providers``.
struct IdTokenIssuer {
    private let privateKey: String
    let providers: [String: TokenVerifier]

    init() async throws {
        let keys = try DevelopmentKeys.tokens()
        privateKey = keys.privateKey
        let key = try await TrustedKey.load(keys.publicKey, algorithm: .es256, source: "test")
        providers = ["oauth2-google": TokenVerifier(keys: [key], rules: TokenRules())]
    }

    /// Logs in with a token that says this.
    func login(_ claims: [String: ClaimValue], to fixture: AccountsFixture) async throws -> AccountsFixture.Reply {
        let token = try await DevelopmentToken(user: "1", claims: claims)
            .signed(with: privateKey, algorithm: .es256, source: "test", now: fixture.clock.now())
        return try await fixture.call("login", ["provider": "oauth2-google", "token": token])
    }
}
