import CausewayIdentity
import Foundation
import Testing

@Suite("Accounts: many calls at once")
struct FloodedAccountsTests {
    @Test(
        "log-ins side by side are counted before their passwords are looked at: no more pass than one after the other")
    func parallelLogins() async throws {
        let fixture = try await AccountsFixture()
        defer { fixture.end() }
        let email = "ann@example.org"
        _ = try await fixture.register(email)
        let codes = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<64 { group.addTask { try await fixture.login(email, "wrong password").status } }
            var codes: [Int: Int] = [:]
            for try await status in group { codes[status, default: 0] += 1 }
            return codes
        }
        #expect(codes == [401: 5, 429: 59])
        // Those with the right password do not count, however many there are.
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 { group.addTask { try await fixture.login(email, peer: "10.0.0.2").status } }
            for try await status in group { #expect(status == 200) }
        }
        #expect(try await fixture.login(email, peer: "10.0.0.2").status == 200)
    }

    @Test("one machine makes so many anonymous users, and others make theirs meanwhile")
    func anonymous() async throws {
        var rules = AccountsFixture.everything
        rules.anonymousMax = 3
        let fixture = try await AccountsFixture(rules)
        defer { fixture.end() }
        func login(_ peer: String) async throws -> Int {
            try await fixture.call("login", ["provider": "anon-user"], peer: peer).status
        }
        for _ in 0..<3 { #expect(try await login("10.0.0.1") == 200) }
        #expect(try await login("10.0.0.1") == 429)
        #expect(try await login("10.0.0.2") == 200)
        fixture.clock.pass(seconds: 15 * 60)
        #expect(try await login("10.0.0.1") == 200)
    }

    @Test("a password is not hashed for whoever has no good token of a message, and those who try are counted")
    func resetWithoutToken() async throws {
        var rules = AccountsFixture.everything
        rules.passwordReset = .message
        let fixture = try await AccountsFixture(rules)
        defer { fixture.end() }
        let email = "ann@example.org"
        _ = try await fixture.register(email)
        _ = try await fixture.call("sendReset", ["email": email])
        let message = try #require(fixture.people.messages.last)
        var good = ["tokenId": message.tokenId ?? "", "token": message.token ?? "", "password": "another password"]
        let wrong = good.merging(["token": "wrong"]) { $1 }
        let drawn = fixture.random.count
        let codes = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<64 { group.addTask { try await fixture.call("reset", wrong).status } }
            var codes: [Int: Int] = [:]
            for try await status in group { codes[status, default: 0] += 1 }
            return codes
        }
        #expect(codes == [400: 50, 429: 14])
        #expect(fixture.random.count == drawn)
        // Counted by machine. A password that is none is not an attempt, and leaves the token as it is.
        good["password"] = "short"
        #expect(try await fixture.call("reset", good, peer: "10.0.0.2").code == "invalidParameter")
        good["password"] = "another password"
        #expect(try await fixture.call("reset", good).status == 429)
        #expect(try await fixture.call("reset", good, peer: "10.0.0.2").status == 200)
        #expect(fixture.random.count > drawn)
        #expect(try await fixture.login(email, "another password", peer: "10.0.0.2").status == 200)
    }

    @Test("what a call's body may have is known before it comes, and a call of a user without a good token has none")
    func bodies() async throws {
        let fixture = try await AccountsFixture()
        defer { fixture.end() }
        let user = try await fixture.user("ann@example.org")
        #expect(try fixture.accounts.bodyBytesMax(of: "login", token: nil) == ClaimLimits.accountCall.bytes)
        #expect(try fixture.accounts.bodyBytesMax(of: "function", token: user.access) == ClaimLimits.userCall.bytes)
        for token in [nil, "x", user.access + "x"] {
            let error = #expect(throws: AccountError.self) {
                try fixture.accounts.bodyBytesMax(of: "function", token: token)
            }
            #expect(error?.code == .invalidSession)
        }
        #expect(throws: AccountError.self) { try fixture.accounts.bodyBytesMax(of: "nothing", token: user.access) }
    }
}
