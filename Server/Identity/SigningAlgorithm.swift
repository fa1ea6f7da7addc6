/// The algorithms a token may be signed with. A key has exactly one: what a token's header says never chooses.
package enum SigningAlgorithm: String, Sendable, CaseIterable {
    case hs256 = "HS256"
    case rs256 = "RS256"
    case es256 = "ES256"
    case edDSA = "EdDSA"

    /// HS256 keys are shared secrets; who can verify can sign.
    package var isSymmetric: Bool { self == .hs256 }
}
