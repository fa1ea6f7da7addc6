import CausewayIdentity
import Foundation
import Testing

/// Two addresses, or two users, that look alike and have different bytes: to Unicode they are equivalent, or the small
/// letter of one is a letter of the other.
@Suite("Accounts: addresses and users that look alike are not the same")
struct LookAlikeTests {
    struct Pair: CustomTestStringConvertible, Sendable {
        var one: String
        var other: String
        var testDescription: String {
            "\(one.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ").prefix(12))…"
        }
    }

    static let pairs = [
        Pair(one: "\u{E9}ve@example.org", other: "e\u{301}ve@example.org"),
        Pair(one: "e\u{301}ve@example.org", other: "\u{E9}ve@example.org"),
        Pair(one: "kate@example.org", other: "\u{212A}ate@example.org"),
        Pair(one: "\u{212A}ate@example.org", other: "kate@example.org"),
        // The small letter of "İ" is "i" with a dot of its own.
        Pair(one: "\u{130}da@example.org", other: "i\u{307}da@example.org"),
    ]

    private let others = "the other's password"

    private func fixture(
        _ confirmation: AccountRules.Confirmation = .automatic, reset: AccountRules.PasswordReset = .message
    ) async throws -> AccountsFixture {
        var rules = AccountsFixture.everything
        rules.confirmation = confirmation
        rules.passwordReset = reset
        return try await AccountsFixture(rules)
    }

    /// The last message to an address of these bytes.
    private func message(_ fixture: AccountsFixture, to email: String) throws -> [String: String] {
        let message = try #require(
            fixture.people.messages.last { $0.token != nil && $0.email.utf8.elementsEqual(email.utf8) })
        return ["token": message.token ?? "", "tokenId": message.tokenId ?? ""]
    }

    private func resetPassword(_ fixture: AccountsFixture, of email: String, to password: String) async throws {
        #expect(try await fixture.call("sendReset", ["email": email]).status == 200)
        var request = try message(fixture, to: email)
        request["password"] = password
        #expect(try await fixture.call("reset", request).status == 200)
    }

    @Test("each is registered by itself, and logs in with its own password as a user of its own", arguments: pairs)
    func register(_ pair: Pair) async throws {
        let fixture = try await fixture()
        defer { fixture.end() }
        #expect(try await fixture.register(pair.one).status == 200)
        #expect(try await fixture.login(pair.other).code == "invalidPassword")
        #expect(try await fixture.register(pair.other, others).status == 200)
        let (one, other) = (try await fixture.login(pair.one), try await fixture.login(pair.other, others))
        #expect(one.status == 200 && other.status == 200)
        #expect(one["userId"] != other["userId"])
        #expect(try await fixture.login(pair.one, others).code == "invalidPassword")
        #expect(try await fixture.register(pair.one).code == "accountNameInUse")
    }

    @Test("who fails at one does not wait at the other", arguments: pairs)
    func attempts(_ pair: Pair) async throws {
        let fixture = try await fixture()
        defer { fixture.end() }
        _ = try await fixture.user(pair.other)
        for _ in 0..<5 { _ = try await fixture.login(pair.one, "wrong password") }
        #expect(try await fixture.login(pair.one, "wrong password").status == 429)
        #expect(try await fixture.login(pair.other).status == 200)
    }

    @Test("one that was linked to the other's account leaves it when its owner proves it", arguments: pairs)
    func link(_ pair: Pair) async throws {
        let fixture = try await fixture()
        defer { fixture.end() }
        let attacker = try await fixture.user(pair.other)
        _ = try await fixture.register(pair.one)
        let credentials = ["provider": "local-userpass", "email": pair.one, "password": AccountsFixture.password]
        let linked = try await fixture.call("link", credentials, token: attacker.access)
        #expect(try Self.identities(linked).map(\.count) == [pair.other.utf8.count, pair.one.utf8.count])
        try await resetPassword(fixture, of: pair.one, to: "the owner's password")
        let owner = try await fixture.login(pair.one, "the owner's password")
        #expect(owner.status == 200)
        #expect(owner["userId"] != attacker.id)
        #expect(try Self.identities(owner) == [Array(pair.one.utf8)])
        #expect(try await fixture.login(pair.other)["userId"] == attacker.id)
    }

    @Test("who proves an address does not keep in the account the one that was linked to it", arguments: pairs)
    func proofEndsTheOther(_ pair: Pair) async throws {
        let fixture = try await fixture()
        defer { fixture.end() }
        let user = try await fixture.user(pair.one)
        _ = try await fixture.register(pair.other, others)
        let credentials = ["provider": "local-userpass", "email": pair.other, "password": others]
        #expect(try await fixture.call("link", credentials, token: user.access).status == 200)
        try await resetPassword(fixture, of: pair.one, to: "the owner's password")
        let owner = try await fixture.login(pair.one, "the owner's password")
        #expect(owner["userId"] == user.id)
        #expect(try Self.identities(owner) == [Array(pair.one.utf8)])
    }

    @Test("the message to one confirms it alone, and takes nothing from the message to the other", arguments: pairs)
    func confirm(_ pair: Pair) async throws {
        let fixture = try await fixture(.message)
        defer { fixture.end() }
        for email in [pair.one, pair.other] { #expect(try await fixture.register(email).status == 200) }
        let first = try message(fixture, to: pair.one)
        #expect(try await fixture.call("resend", ["email": pair.other]).status == 200)
        #expect(try await fixture.call("confirm", first).status == 200)
        #expect(try await fixture.login(pair.one).status == 200)
        #expect(try await fixture.login(pair.other).code == "authError")
        #expect(try await fixture.call("confirm", try message(fixture, to: pair.other)).status == 200)
        #expect(try await fixture.login(pair.other).status == 200)
    }

    @Test("a password that is set anew is that of one address alone", arguments: pairs)
    func reset(_ pair: Pair) async throws {
        let fixture = try await fixture()
        defer { fixture.end() }
        let (one, other) = (try await fixture.user(pair.one), try await fixture.user(pair.other))
        #expect(try await fixture.call("sendReset", ["email": pair.one]).status == 200)
        var request = try message(fixture, to: pair.one)
        request["password"] = "another password"
        // A newer message to the other ends nothing.
        #expect(try await fixture.call("sendReset", ["email": pair.other]).status == 200)
        #expect(try await fixture.call("reset", request).status == 200)
        #expect(try await fixture.login(pair.one, "another password")["userId"] == one.id)
        #expect(try await fixture.login(pair.other)["userId"] == other.id)
        #expect(try await fixture.call("refresh", ["refreshToken": other.refresh]).status == 200)
    }

    @Test("who is deleted, or shut out, is one of the two alone", arguments: pairs)
    func delete(_ pair: Pair) async throws {
        let fixture = try await fixture()
        defer { fixture.end() }
        let (one, other) = (try await fixture.user(pair.one), try await fixture.user(pair.other))
        #expect(try await fixture.call("delete", token: one.access).status == 200)
        #expect(try await fixture.login(pair.one).code == "invalidPassword")
        #expect(try await fixture.login(pair.other)["userId"] == other.id)
        #expect(try await fixture.call("profile", token: other.access).status == 200)
    }

    // MARK: - Users of other issuers

    @Test("users of another issuer whose names look alike are two: neither gets at the other's keys or identities")
    func issuersUsers() async throws {
        let issuer = try await IdTokenIssuer()
        let fixture = try await AccountsFixture(providers: issuer.providers)
        defer { fixture.end() }
        let login = try await issuer.login(
            ["email": .string("\u{212A}ATE@example.org"), "email_verified": .bool(true)], to: fixture)
        let access = try #require(login["accessToken"])
        let caller = try #require(try fixture.accounts.caller(for: access, at: fixture.clock.now()))
        let claimed = try #require(caller.claims["email"]?.string)
        #expect(claimed.utf8.elementsEqual("\u{212A}ate@example.org".utf8))
    }

    private static func identities(_ reply: AccountsFixture.Reply) throws -> [[UInt8]] {
        guard case .array(let identities)? = reply.content["identities"] else {
            Issue.record("there are identities")
            return []
        }
        return try identities.map { identity in
            guard case .object(let members) = identity else { return [] }
            return Array(try #require(members["id"]?.string).utf8)
        }
    }
}
