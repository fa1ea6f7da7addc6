import CausewayIdentity
import Foundation
import Testing

/// Somebody registers an address that is not theirs, and waits for its owner.
@Suite("Accounts: an address that somebody else registered first")
struct HijackingTests {
    private let email = "ann@example.org"
    private let attackers = "the attacker's password"

    private func fixture(
        _ confirmation: AccountRules.Confirmation, reset: AccountRules.PasswordReset
    ) async throws -> AccountsFixture {
        var rules = AccountsFixture.everything
        rules.confirmation = confirmation
        rules.passwordReset = reset
        return try await AccountsFixture(rules)
    }

    private func use(
        _ fixture: AccountsFixture, _ call: String, password: String? = nil
    ) async throws -> AccountsFixture.Reply {
        let message = try #require(fixture.people.messages.last { $0.token != nil })
        var request = ["token": message.token ?? "", "tokenId": message.tokenId ?? ""]
        request["password"] = password
        return try await fixture.call(call, request)
    }

    @Test("of two passwords none counts: the owner confirms the address and sets a new one", arguments: [false, true])
    func twoPasswords(ownerComesFirst: Bool) async throws {
        let fixture = try await fixture(.message, reset: .message)
        defer { fixture.end() }
        let passwords = [attackers, AccountsFixture.password]
        for password in ownerComesFirst ? passwords.reversed() : passwords {
            #expect(try await fixture.register(email, password).status == 200)
        }
        #expect(try await use(fixture, "confirm").status == 200)
        for password in passwords { #expect(try await fixture.login(email, password).code == "invalidPassword") }
        #expect(try await fixture.call("sendReset", ["email": email]).status == 200)
        #expect(try await use(fixture, "reset", password: "the owner's password").status == 200)
        #expect(try await fixture.login(email, "the owner's password").status == 200)
        #expect(try await fixture.login(email, attackers).code == "invalidPassword")
    }

    @Test("who registers twice with the same password keeps it")
    func samePassword() async throws {
        let fixture = try await fixture(.message, reset: .message)
        defer { fixture.end() }
        for _ in 0..<2 { #expect(try await fixture.register(email).status == 200) }
        #expect(try await use(fixture, "confirm").status == 200)
        #expect(try await fixture.login(email).status == 200)
    }

    @Test("where passwords cannot be set anew, two passwords end the registration, and the next one is the first")
    func withoutReset() async throws {
        let fixture = try await fixture(.message, reset: .off)
        defer { fixture.end() }
        _ = try await fixture.register(email, attackers)
        _ = try await fixture.register(email)
        #expect(try await use(fixture, "confirm").status == 200)
        #expect(try await fixture.login(email, attackers).code == "invalidPassword")
        _ = try await fixture.register(email)
        #expect(try await use(fixture, "confirm").status == 200)
        #expect(try await fixture.login(email).status == 200)
    }

    @Test("where a program confirms, its yes ends a registration with two passwords, and the next one is the first")
    func programWithoutReset() async throws {
        let fixture = try await fixture(.program, reset: .off)
        defer { fixture.end() }
        fixture.people.decide(.later)
        #expect(try await fixture.register(email, attackers).status == 200)
        #expect(try await fixture.register(email).code == "accountNameInUse")
        // The program says yes to an address, so that no later registration takes the place of an earlier one.
        fixture.clock.pass(seconds: 86_400)
        #expect(try await fixture.register(email, "a third password").code == "accountNameInUse")
        fixture.people.decide(.yes)
        #expect(try await fixture.call("retryConfirmation", ["email": email]).status == 200)
        for password in [attackers, AccountsFixture.password] {
            #expect(try await fixture.login(email, password).code == "invalidPassword")
        }
        #expect(try await fixture.register(email).status == 200)
        #expect(try await fixture.login(email).status == 200)
        #expect(try await fixture.register(email, attackers).code == "accountNameInUse")
    }

    @Test("an address that was confirmed without a password can be registered once passwords cannot be set anew")
    func confirmedWithoutPassword() async throws {
        let fixture = try await fixture(.message, reset: .message)
        defer { fixture.end() }
        _ = try await fixture.register(email, attackers)
        _ = try await fixture.register(email)
        #expect(try await use(fixture, "confirm").status == 200)
        var rules = AccountsFixture.everything
        rules.confirmation = .message
        try await fixture.reopen(rules)
        #expect(try await fixture.register(email).status == 200)
        #expect(try await fixture.login(email).code == "authError")
        #expect(try await use(fixture, "confirm").status == 200)
        #expect(try await fixture.login(email).status == 200)
    }

    @Test("a registration that nobody confirmed in time gives way to the next one")
    func lapsed() async throws {
        let fixture = try await fixture(.message, reset: .off)
        defer { fixture.end() }
        _ = try await fixture.register(email, attackers)
        fixture.clock.pass(seconds: 1_800)
        _ = try await fixture.register(email)
        #expect(try await use(fixture, "confirm").status == 200)
        #expect(try await fixture.login(email, attackers).code == "invalidPassword")
        #expect(try await fixture.login(email).status == 200)
    }

    @Test("where addresses are not confirmed, the first reset by message ends every other way into the account")
    func firstProof() async throws {
        let fixture = try await fixture(.automatic, reset: .message)
        defer { fixture.end() }
        _ = try await fixture.register(email, attackers)
        let login = try await fixture.login(email, attackers)
        let (access, refresh) = (try #require(login["accessToken"]), try #require(login["refreshToken"]))
        let key = try #require(try await fixture.call("createKey", ["name": "door"], token: access)["key"])
        _ = try await fixture.call("sendReset", ["email": email])
        #expect(try await use(fixture, "reset", password: AccountsFixture.password).status == 200)
        #expect(try await fixture.call("refresh", ["refreshToken": refresh]).code == "invalidSession")
        #expect(try await fixture.call("login", ["provider": "api-key", "key": key]).code == "authError")
        let owner = try await fixture.login(email)
        #expect(owner.status == 200)
        #expect(owner["userId"] == login["userId"])
        // A second reset is no news: what the owner made since stays.
        let token = try #require(owner["accessToken"])
        let second = try #require(try await fixture.call("createKey", ["name": "mine"], token: token)["key"])
        _ = try await fixture.call("sendReset", ["email": email])
        #expect(try await use(fixture, "reset", password: "another password").status == 200)
        #expect(try await fixture.call("login", ["provider": "api-key", "key": second]).status == 200)
    }

    @Test("an address that another user added to their account leaves it when its owner proves it")
    func addedAddress() async throws {
        let fixture = try await fixture(.automatic, reset: .message)
        defer { fixture.end() }
        let attacker = try await fixture.user("eve@example.org")
        _ = try await fixture.register(email, attackers)
        let credentials = ["provider": "local-userpass", "email": email, "password": attackers]
        #expect(try await fixture.call("link", credentials, token: attacker.access).status == 200)
        _ = try await fixture.call("sendReset", ["email": email])
        #expect(try await use(fixture, "reset", password: "the owner's password").status == 200)
        let owner = try await fixture.login(email, "the owner's password")
        #expect(owner.status == 200)
        #expect(owner["userId"] != attacker.id)
        #expect(try await fixture.login("eve@example.org")["userId"] == attacker.id)
    }
}
