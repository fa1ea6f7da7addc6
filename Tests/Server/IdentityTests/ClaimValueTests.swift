import CausewayIdentity
import CausewayModel
import CausewayQuery
import Testing

@Suite("Claims that look alike")
struct ClaimValueTests {
    private static let (composed, decomposed) = ("\u{E9}", "e\u{301}")

    private func caller(_ claims: [String: ClaimValue]) -> Caller { Caller(user: "ann", claims: claims, expires: 0) }

    @Test("texts and names are the same if their bytes are, at every depth")
    func identity() {
        func forms(_ text: String) -> [ClaimValue] {
            [
                .string(text), .array([.int(1), .string(text)]), .object(["team": .string(text)]),
                .object([text: .bool(true)]), .object(["a": .array([.object([text: .null])])]),
            ]
        }
        for (one, other) in zip(forms(Self.composed), forms(Self.decomposed)) {
            #expect(one == one && other == other && one != other)
            #expect(caller(["claim": one]).claimsHash != caller(["claim": other]).claimsHash)
        }
        let pairs = [("a", ClaimValue.int(1)), ("b", .double(2.5)), ("c", .bool(false)), ("d", .null)]
        let (one, other) = (Dictionary(uniqueKeysWithValues: pairs), Dictionary(uniqueKeysWithValues: pairs.reversed()))
        #expect(ClaimValue.object(one) == .object(other))
        #expect(caller(one).claimsHash == caller(other).claimsHash)
    }

    @Test("a rule asks for the claim whose name has its bytes")
    func rules() throws {
        let rule = try RuleTemplate("$user.claims.Kind == 'guard'")
        func isPermitted(_ name: String) -> Bool {
            rule.predicate(for: caller([name: .string("guard")])) == .constant(true)
        }
        #expect(isPermitted("Kind"))
        // The Kelvin sign.
        #expect(!isPermitted("\u{212A}ind"))
    }
}
