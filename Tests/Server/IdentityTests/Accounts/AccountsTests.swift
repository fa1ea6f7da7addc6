import CausewayEnvironment
import CausewayIdentity
import CausewayModel
import Foundation
import Testing

@Suite("Accounts: logins and sessions")
struct AccountsTests {
    private let email = "ann@example.org"

    @Test("an anonymous user gets tokens that the accounts know, each login another user; off, nobody does")
    func anonymous() async throws {
        let fixture = try await AccountsFixture()
        defer { fixture.end() }
        let first = try await fixture.call("login", ["provider": "anon-user"])
        let second = try await fixture.call("login", ["provider": "anon-user"])
        #expect(first.status == 200 && second.status == 200)
        #expect(first["userId"] != second["userId"])
        let token = try #require(first["accessToken"])
        let caller = try fixture.accounts.caller(for: token, at: fixture.clock.now())
        #expect(caller?.user.string == first["userId"])
        #expect(caller?.expires == fixture.clock.now() + 1_800_000)

        let closed = try await AccountsFixture(AccountRules())
        defer { closed.end() }
        for provider in ["anon-user", "local-userpass", "oauth2-apple", "custom-token", "custom-function", "x"] {
            let reply = try await closed.call("login", ["provider": provider, "token": "t", "email": "e"])
            #expect(reply.status == 404 && reply.code == "authProviderNotFound", "provider \(provider)")
        }
    }

    @Test("a registered address logs in with its password, in any case of letters, and is the same user each time")
    func emailPassword() async throws {
        let fixture = try await AccountsFixture()
        defer { fixture.end() }
        #expect(try await fixture.register(email).status == 200)
        let first = try await fixture.login(email)
        let second = try await fixture.login(" Ann@Example.ORG ")
        #expect(first.status == 200)
        #expect(first["userId"] == second["userId"])
        #expect(first["provider"] == "local-userpass")
        #expect(first.content["profile"] == .object(["email": .string(email)]))
        #expect(try await fixture.register(email).code == "accountNameInUse")
    }

    @Test("a wrong password and an unknown address are refused with the same words")
    func wrongPassword() async throws {
        let fixture = try await AccountsFixture()
        defer { fixture.end() }
        _ = try await fixture.register(email)
        let wrong = try await fixture.login(email, "wrong password")
        let unknown = try await fixture.login("ben@example.org", "wrong password")
        #expect(wrong.status == 401 && wrong.code == "invalidPassword")
        #expect(wrong == unknown)
    }

    @Test("who fails too often waits, also with the right password, until the window is over; others do not wait")
    func attempts() async throws {
        let fixture = try await AccountsFixture()
        defer { fixture.end() }
        _ = try await fixture.register(email)
        for attempt in 0..<5 {
            #expect(try await fixture.login(email, "wrong password").code == "invalidPassword", "attempt \(attempt)")
        }
        let late = try await fixture.login(email)
        #expect(late.status == 429 && late.code == "authError")
        #expect(try await fixture.login(email, peer: "10.0.0.2").status == 200)
        fixture.clock.pass(seconds: 15 * 60)
        #expect(try await fixture.login(email).status == 200)
    }

    @Test("a machine that tries many addresses waits too, and so does an address that many machines try")
    func manyAttempts() async throws {
        let fixture = try await AccountsFixture()
        defer { fixture.end() }
        for number in 0..<50 { _ = try await fixture.login("user\(number)@example.org", "wrong password") }
        #expect(try await fixture.login("another@example.org", "wrong password").status == 429)
        _ = try await fixture.register(email)
        for number in 0..<50 { _ = try await fixture.login(email, "wrong password", peer: "10.1.0.\(number)") }
        #expect(try await fixture.login(email, peer: "10.2.0.1").status == 429)
    }

    @Test("a session renews the access token until it is over; logging out ends it at once")
    func sessions() async throws {
        let fixture = try await AccountsFixture()
        defer { fixture.end() }
        let user = try await fixture.user(email)
        fixture.clock.pass(seconds: 3_600)
        #expect(throws: IdentityError.self) {
            try fixture.accounts.caller(for: user.access, at: fixture.clock.now())
        }
        #expect(try await fixture.call("profile", token: user.access).code == "invalidSession")
        let renewed = try await fixture.call("refresh", ["refreshToken": user.refresh])
        #expect(renewed["userId"] == user.id)
        #expect(renewed["refreshToken"] == nil)
        let token = try #require(renewed["accessToken"])
        #expect(try await fixture.call("profile", token: token)["userId"] == user.id)

        let other = try #require(try await fixture.login(email)["refreshToken"])
        #expect(try await fixture.call("logout", ["refreshToken": user.refresh]).status == 200)
        #expect(try await fixture.call("logout", ["refreshToken": user.refresh]).status == 200)
        #expect(try await fixture.call("refresh", ["refreshToken": user.refresh]).code == "invalidSession")
        #expect(try await fixture.call("refresh", ["refreshToken": other]).status == 200)
        fixture.clock.pass(seconds: 61 * 86_400)
        #expect(try await fixture.call("refresh", ["refreshToken": other]).code == "invalidSession")
        for token in ["", "x", "a.b", "\(user.id).x", String(repeating: "a", count: 100_000)] {
            let status = try await fixture.call("refresh", ["refreshToken": token]).status
            #expect(status == 401 || status == 400, "token of \(token.count) bytes")
        }
    }

    @Test("users, sessions and the signing key outlive a restart; neither passwords nor tokens lie in the file")
    func durable() async throws {
        let fixture = try await AccountsFixture()
        defer { fixture.end() }
        let user = try await fixture.user(email)
        try await fixture.reopen()
        #expect(try fixture.accounts.caller(for: user.access, at: fixture.clock.now())?.user.string == user.id)
        #expect(try await fixture.call("refresh", ["refreshToken": user.refresh]).status == 200)
        #expect(try await fixture.login(email)["userId"] == user.id)

        let bytes = try Data(contentsOf: fixture.folder.appendingPathComponent(Accounts.fileName))
        #expect(bytes.range(of: Data(email.utf8)) != nil)
        let secret = user.refresh.split(separator: ".")[1]
        for text in [AccountsFixture.password, String(secret), user.access] {
            #expect(bytes.range(of: Data(text.utf8)) == nil)
        }
    }

    @Test("a password hashed at another cost goes on working, and gets the present cost at its next login")
    func rehash() async throws {
        let fixture = try await AccountsFixture()
        defer { fixture.end() }
        _ = try await fixture.register(email)
        var rules = AccountsFixture.everything
        rules.passwordCost = PasswordHash.Cost(rounds: 32, blockSize: 8, parallelism: 1)
        try await fixture.reopen(rules)
        #expect(try await fixture.login(email).status == 200)
        #expect(try await fixture.login(email).status == 200)
        #expect(try await fixture.login(email, "wrong password").code == "invalidPassword")
    }

    @Test("a token is worth nothing in another database, and one that only names the key is refused")
    func foreignTokens() async throws {
        let (one, two) = (try await AccountsFixture(), try await AccountsFixture())
        defer {
            one.end()
            two.end()
        }
        let token = try #require(try await one.call("login", ["provider": "anon-user"])["accessToken"])
        #expect(try two.accounts.caller(for: token, at: two.clock.now()) == nil)
        #expect(try await two.call("profile", token: token).code == "invalidSession")
        let parts = token.split(separator: ".")
        let claims = Data(#"{"sub":"root","exp":9999999999,"iss":"causeway/accounts/flights","aud":"flights"}"#.utf8)
        let forged = "\(parts[0]).\(claims.base64EncodedString().replacing("=", with: "")).\(parts[2])"
        #expect(throws: IdentityError.self) { try one.accounts.caller(for: forged, at: one.clock.now()) }
        for text in ["", ".", "..", "x", "e30.e30.e30", String(repeating: "a", count: 1 << 20)] {
            #expect(try one.accounts.caller(for: text, at: one.clock.now()) == nil)
        }
    }

    @Test("an anonymous user that links an address logs in with it as the same user; nobody else can link it")
    func linking() async throws {
        let fixture = try await AccountsFixture()
        defer { fixture.end() }
        let anonymous = try await fixture.call("login", ["provider": "anon-user"])
        let token = try #require(anonymous["accessToken"])
        _ = try await fixture.register(email)
        let credentials = ["provider": "local-userpass", "email": email, "password": AccountsFixture.password]
        let linked = try await fixture.call("link", credentials, token: token)
        #expect(linked.status == 200)
        #expect(linked["userId"] == anonymous["userId"])
        guard case .array(let identities)? = linked.content["identities"] else {
            Issue.record("there are identities")
            return
        }
        #expect(identities.count == 2)
        #expect(try await fixture.login(email)["userId"] == anonymous["userId"])

        let other = try #require(try await fixture.call("login", ["provider": "anon-user"])["accessToken"])
        #expect(try await fixture.call("link", credentials, token: other).code == "accountNameInUse")
        #expect(try await fixture.call("link", ["provider": "anon-user"], token: other).code == "badRequest")
        #expect(try await fixture.call("link", credentials).code == "invalidSession")
    }

    @Test("a deleted user cannot log in, renew or be brought back by a token; the address is free again")
    func deleting() async throws {
        let fixture = try await AccountsFixture()
        defer { fixture.end() }
        let user = try await fixture.user(email)
        let key = try #require(try await fixture.call("createKey", ["name": "laptop"], token: user.access)["key"])
        #expect(try await fixture.call("delete", token: user.access).status == 200)
        #expect(try await fixture.call("profile", token: user.access).code == "userNotFound")
        #expect(try await fixture.call("refresh", ["refreshToken": user.refresh]).code == "invalidSession")
        #expect(try await fixture.call("login", ["provider": "api-key", "key": key]).code == "authError")
        #expect(try await fixture.login(email).code == "invalidPassword")
        #expect(try await fixture.user(email).id != user.id)
    }

    @Test("id tokens of a configured provider log in as one user; others are refused")
    func providers() async throws {
        let (keys, foreign) = (try DevelopmentKeys.tokens(), try DevelopmentKeys.tokens())
        let verifier = TokenVerifier(
            keys: [try await TrustedKey.load(keys.publicKey, algorithm: .es256, source: "test")],
            rules: TokenRules(issuers: ["https://apple"], audiences: ["app"]))
        let fixture = try await AccountsFixture(providers: ["oauth2-apple": verifier])
        defer { fixture.end() }
        func token(_ key: String, _ user: String, audience: String = "app") async throws -> String {
            try await DevelopmentToken(
                user: user, issuer: "https://apple", audience: audience,
                claims: ["email": .string("ann@example.org"), "is_private_email": .bool(true)]
            ).signed(with: key, algorithm: .es256, source: "test", now: fixture.clock.now())
        }
        func login(_ token: String) async throws -> AccountsFixture.Reply {
            try await fixture.call("login", ["provider": "oauth2-apple", "token": token])
        }
        let first = try await login(token(keys.privateKey, "001.ann"))
        #expect(first.status == 200)
        #expect(first.content["profile"] == .object(["email": .string("ann@example.org")]))
        #expect(try await login(token(keys.privateKey, "001.ann"))["userId"] == first["userId"])
        #expect(try await login(token(keys.privateKey, "002.ben"))["userId"] != first["userId"])
        #expect(try await login(token(foreign.privateKey, "001.ann")).code == "authError")
        #expect(try await login(token(keys.privateKey, "001.ann", audience: "other")).code == "authError")
        #expect(
            try await fixture.call("login", ["provider": "oauth2-google", "token": "x"]).code == "authProviderNotFound")
        #expect(
            try await fixture.call("login", ["provider": "oauth2-apple", "code": "x"]).code == "authProviderNotFound")
    }

    @Test("what is no request is refused with a reason, whatever it is")
    func badInput() async throws {
        let fixture = try await AccountsFixture()
        defer { fixture.end() }
        for body in ["", "x", "[]", "3", "{\"email\":3}", String(repeating: "[", count: 10_000)] {
            let reply = await fixture.accounts.answer("login", body: [UInt8](body.utf8), token: nil, peer: "p")
            #expect(reply.status == 400, "\(body.prefix(20))")
        }
        #expect(try await fixture.call("login").code == "missingParameter")
        #expect(try await fixture.call("nothing").code == "badRequest")
        let long = String(repeating: "a", count: 10_000)
        for (call, request) in [
            ("register", ["email": "ann", "password": AccountsFixture.password]),
            ("register", ["email": "a@b@c", "password": AccountsFixture.password]),
            ("register", ["email": "a\u{7}@b", "password": AccountsFixture.password]),
            ("register", ["email": email, "password": "short"]),
            ("register", ["email": email, "password": long]),
            ("register", ["email": "\(long)@b", "password": AccountsFixture.password]),
        ] {
            let reply = try await fixture.call(call, request)
            #expect(reply.status == 400 && reply.code == "invalidParameter", "\(request["email"]?.prefix(20) ?? "")")
        }
        let login = ["provider": "local-userpass", "email": email, "password": String(repeating: "a", count: 2_000)]
        #expect(try await fixture.call("login", login).code == "invalidPassword")
        let token = try #require(try await fixture.call("login", ["provider": "anon-user"])["accessToken"])
        #expect(try await fixture.call("function", ["name": "sum"], token: token).code == "functionNotFound")
    }
}

extension DevelopmentKeys {
    /// A pair of signing keys alone.
    static func tokens() throws -> (publicKey: String, privateKey: String) {
        let files = try DevelopmentKeys.make(hosts: [], days: 1, tokens: .es256, now: Date()).files
        func text(_ name: String) -> String { files.first { $0.name == name }?.text ?? "" }
        return (text(Name.tokenPublic), text(Name.tokenPrivate))
    }
}
