/// The algorithms a token may be signed with. A key has exactly one: the header of a token never chooses.
package enum SigningAlgorithm: String, Sendable, CaseIterable {
    case hs256 = "HS256"
    case rs256 = "RS256"
    case es256 = "ES256"
    case edDSA = "EdDSA"

    /// HS256 keys are shared secrets: whoever can verify can sign.
    package var isSymmetric: Bool { self == .hs256 }
}
