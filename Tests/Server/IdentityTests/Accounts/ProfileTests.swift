import CausewayIdentity
import Foundation
import Synchronization
import Testing

@Suite("Accounts: what is kept of what others say about a user")
struct ProfileTests {
    /// Says who somebody is, as a test tells it to.
    private final class Teller: FunctionRunner {
        let answer = Mutex<ClaimValue>(.null)

        func run(_ call: FunctionCall) async -> FunctionOutcome { .result(answer.withLock { $0 }) }
    }

    private static func nested(_ depth: Int) -> ClaimValue {
        (0..<depth).reduce(.string("x")) { value, _ in .array([value, .object(["name": value])]) }
    }

    @Test("a name that is a short text is kept; anything else is left out, and takes nothing from the login")
    func function() async throws {
        let teller = Teller()
        var rules = AccountsFixture.everything
        rules.loginFunction = "who"
        let fixture = try await AccountsFixture(rules, functions: teller)
        defer { fixture.end() }
        let long = ClaimValue.string(String(repeating: "n", count: 2 << 10))
        let names: [(ClaimValue, kept: ClaimValue?)] = [
            (.string("Ann"), .string("Ann")), (long, long), (.string(String(repeating: "n", count: 2 << 10 + 1)), long),
            (Self.nested(8), long), (.object(["first": .string("Ann")]), long), (.int(7), long), (.null, long),
            (.string("Ben"), .string("Ben")),
        ]
        for (number, (name, kept)) in names.enumerated() {
            teller.answer.withLock { $0 = .object(["id": .string("ann"), "name": name]) }
            let login = try await fixture.call("login", ["provider": "custom-function"])
            #expect(login.status == 200, "\(number)")
            #expect(login.content["profile"] == .object(kept.map { ["name": $0] } ?? [:]), "\(number)")
        }
    }

    @Test("of an id token the texts of the profile are kept")
    func token() async throws {
        let issuer = try await IdTokenIssuer()
        let fixture = try await AccountsFixture(providers: issuer.providers)
        defer { fixture.end() }
        let login = try await issuer.login(
            [
                "name": .string("Ann"), "gender": .array([.string("f")]), "picture": Self.nested(5),
                "other": .string("x"),
            ], to: fixture)
        #expect(login.content["profile"] == .object(["name": .string("Ann")]))
    }
}
