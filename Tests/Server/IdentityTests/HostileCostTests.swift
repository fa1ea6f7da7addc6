import CausewayIdentity
import Foundation
import Testing

/// What a caller whom nobody knows can make the server spend: tokens and bodies that are small and meant to be costly.
///
/// The figures are those of a debug build, so the bounds are wide: what they exclude took seconds.
@Suite("What a request costs before anybody knows who sent it", .serialized)
struct HostileCostTests {
    /// The fastest of a few: what other tests do at the time delays the others.
    private static func fastest(_ body: () async throws -> Void) async rethrows -> Duration {
        var fastest = Duration.seconds(3_600)
        for _ in 0..<3 {
            let start = ContinuousClock.now
            try await body()
            fastest = min(fastest, ContinuousClock.now - start)
        }
        return fastest
    }

    /// Arrays in arrays, and in the innermost as many numbers as fit.
    private static func nested(depth: Int, bytes: Int) -> String {
        let numbers = String(repeating: "1,", count: max(0, (bytes - 2 * depth - 1) / 2)) + "1"
        return String(repeating: "[", count: depth) + numbers + String(repeating: "]", count: depth)
    }

    /// Each about as large as a token may be.
    enum Shape: CaseIterable {
        case nestedArrays
        case nestedObjects
        case elements
        case names
        case foreignNames
        case escapes
        case digits

        var json: String {
            switch self {
            case .nestedArrays: nested(depth: 500, bytes: 11_000)
            case .nestedObjects: String(repeating: #"{"a":"#, count: 500) + "1" + String(repeating: "}", count: 500)
            case .elements: nested(depth: 1, bytes: 11_000)
            case .names: object((0..<1_200).map(String.init))
            case .foreignNames: object((0..<40).map { String(repeating: "\u{301}\u{316}", count: 60) + "\($0)" })
            case .escapes: "\"" + String(repeating: "\\u00e9", count: 1_800) + "\""
            case .digits: String(repeating: "9", count: 11_000)
            }
        }

        private func object(_ names: [String]) -> String {
            "{" + names.map { "\"\($0)\":1" }.joined(separator: ",") + "}"
        }
    }

    @Test("a token whose header is meant to be costly costs a few milliseconds", arguments: Shape.allCases)
    func tokenHeader(_ shape: Shape) async throws {
        let keys = try TestKeys(.es256)
        let verifier = TokenVerifier(keys: [try await keys.trusted()], rules: TokenRules())
        let header = TestKeys.encoded(Data(#"{"alg":"ES256","x":\#(shape.json)}"#.utf8))
        let spent = await Self.fastest {
            #expect(throws: IdentityError.self) {
                _ = try verifier.caller(for: "\(header).e30.AAAA", at: 1_700_000_000_000)
            }
        }
        #expect(spent < .milliseconds(100))
    }

    @Test("an account call whose body is meant to be costly costs a few milliseconds", arguments: Shape.allCases)
    func accountBody(_ shape: Shape) async throws {
        let fixture = try await AccountsFixture()
        defer { fixture.end() }
        let body = Array(#"{"provider":"nobody","payload":\#(shape.json)}"#.utf8)
        let spent = await Self.fastest {
            let reply = await fixture.accounts.answer("login", body: body, token: nil, peer: "10.0.0.1")
            #expect(reply.status >= 400)
        }
        #expect(spent < .milliseconds(200))
    }
}
