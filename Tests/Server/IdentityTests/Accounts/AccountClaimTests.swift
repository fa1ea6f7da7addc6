import CausewayIdentity
import Foundation
import Testing

@Suite("What the tokens of accounts claim")
struct AccountClaimTests {
    private let email = "ann@example.org"

    private func rules(_ confirmation: AccountRules.Confirmation) -> AccountRules {
        var rules = AccountsFixture.everything
        rules.confirmation = confirmation
        return rules
    }

    private func claims(_ fixture: AccountsFixture, _ token: String?) throws -> [String: ClaimValue] {
        let token = try #require(token)
        return try #require(try fixture.accounts.caller(for: token, at: fixture.clock.now())).claims
    }

    @Test("roles and custom data are in the next token, a new role without a new login")
    func rolesAndData() async throws {
        let fixture = try await AccountsFixture()
        defer { fixture.end() }
        let user = try await fixture.user(email)
        #expect(try claims(fixture, user.access)["role"] == nil)
        let office = try AccountOffice(folder: fixture.folder.path)
        defer { office.close() }
        func next() async throws -> [String: ClaimValue] {
            try claims(fixture, try await fixture.call("refresh", ["refreshToken": user.refresh])["accessToken"])
        }
        try office.setRoles(["chief"], user: user.id)
        try office.setCustomData(#"{"team":"north"}"#, user: user.id)
        #expect(try await next()["role"] == .string("chief"))
        #expect(try await next()["customData"] == .object(["team": .string("north")]))
        try office.setRoles(["chief", "auditor"], user: user.id)
        #expect(try await next()["role"] == .array([.string("chief"), .string("auditor")]))
        try office.setRoles([], user: user.id)
        #expect(try await next()["role"] == nil)
        #expect(throws: IdentityError.self) { try office.setRoles([""], user: user.id) }
        #expect(throws: IdentityError.self) {
            try office.setRoles((0...AccountRules.rolesMax).map(String.init), user: user.id)
        }
        #expect(throws: IdentityError.self) {
            try office.setCustomData(#"{"a":"\#(String(repeating: "x", count: 5_000))"}"#, user: user.id)
        }
    }

    @Test("an e-mail address is claimed once it is proven: one that nobody confirmed may be anybody's")
    func email() async throws {
        let open = try await AccountsFixture(rules(.automatic))
        defer { open.end() }
        #expect(try claims(open, try await open.user(email).access)["email"] == nil)

        let fixture = try await AccountsFixture(rules(.message))
        defer { fixture.end() }
        _ = try await fixture.register(email)
        let message = try #require(fixture.people.messages.last)
        _ = try await fixture.call(
            "confirm", ["token": message.token ?? "", "tokenId": message.tokenId ?? ""])
        #expect(try claims(fixture, try await fixture.login(email)["accessToken"])["email"] == .string(email))
    }

    @Test("a provider's e-mail address is claimed if the provider has seen that it is the user's")
    func providers() async throws {
        let keys = try DevelopmentKeys.tokens()
        let verifier = TokenVerifier(
            keys: [try await TrustedKey.load(keys.publicKey, algorithm: .es256, source: "test")], rules: TokenRules())
        let fixture = try await AccountsFixture(providers: ["oauth2-apple": verifier])
        defer { fixture.end() }
        let verified: [(ClaimValue?, Bool)] = [
            (.bool(true), true), (.string("true"), true), (.bool(false), false), (.string("false"), false),
            (nil, false),
        ]
        for (number, (claim, isClaimed)) in verified.enumerated() {
            var told = ["email": ClaimValue.string("Ann@Example.org")]
            told["email_verified"] = claim
            let token = try await DevelopmentToken(user: "user\(number)", claims: told)
                .signed(with: keys.privateKey, algorithm: .es256, source: "test", now: fixture.clock.now())
            let login = try await fixture.call("login", ["provider": "oauth2-apple", "token": token])
            let address = try claims(fixture, login["accessToken"])["email"]
            #expect(address == (isClaimed ? .string(email) : nil), "\(claim.map { "\($0)" } ?? "nothing")")
        }
    }

    @Test("rules that ask for what no token of the accounts says are told")
    func unknownClaims() throws {
        let text = "$user.claims.team == 'a' OR owner == $user.id OR $user.email == 'a' OR $user.claims.role == 'b'"
        let permissions = PermissionRules(
            byClass: ["Task": .init(properties: ["name": .init(write: .when(try RuleTemplate(text)))])],
            extendSchema: .when(try RuleTemplate("$user.claims.customData.level > 3")))
        func keys(_ rules: AccountRules, providers: Bool = false) -> [String] {
            permissions.unknownClaims(under: rules, providersProveAddresses: providers).map(\.key)
        }
        let place = "classes.Task.properties.name.write"
        #expect(keys(rules(.message)) == [place])
        #expect(keys(rules(.automatic)) == [place, place])
        #expect(keys(rules(.automatic), providers: true) == [place])
    }
}
