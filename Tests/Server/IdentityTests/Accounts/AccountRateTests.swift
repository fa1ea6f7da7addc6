import CausewayIdentity
import CausewayLimits
import Foundation
import Testing

@Suite("Accounts: how many are made in an hour")
struct AccountRateTests {
    private func fixture(_ amounts: [Limit: Int]) async throws -> AccountsFixture {
        try await AccountsFixture(rates: RateGate(Rates(amounts: amounts)))
    }

    @Test("a machine at its limit is told when to come again, and another one makes its accounts")
    func ofAddress() async throws {
        let fixture = try await fixture([.accountsPerHourOfAddress: 2])
        defer { fixture.end() }
        func anonymous(_ peer: String) async throws -> AccountsFixture.Reply {
            try await fixture.call("login", ["provider": "anon-user"], peer: peer)
        }
        #expect(try await anonymous("10.0.0.1").status == 200)
        #expect(try await fixture.register("ann@example.org").status == 200)
        let refused = try await anonymous("10.0.0.1")
        #expect(refused.status == 429)
        #expect(refused["message"]?.contains("limits.accountsPerHourOfAddress") == true)
        #expect(try await fixture.register("bob@example.org").status == 429)
        #expect(try await anonymous("10.0.0.2").status == 200)
        // Who has an account logs in as before.
        #expect(try await fixture.login("ann@example.org").status == 200)
    }

    @Test("the answer carries the seconds for the header retry-after")
    func retryAfter() async throws {
        let fixture = try await fixture([.accountsPerHourOfDatabase: 1])
        defer { fixture.end() }
        #expect(try await fixture.register("ann@example.org").status == 200)
        let body = try [UInt8](
            JSONEncoder().encode(["email": "bob@example.org", "password": AccountsFixture.password]))
        let reply = await fixture.accounts.answer("register", body: body, token: nil, peer: "10.0.0.9")
        #expect(reply.status == 429)
        // About an hour, less what a busy machine has taken for the hashes.
        #expect((1_800...3_600).contains(reply.retryAfterSeconds ?? 0))
    }
}
