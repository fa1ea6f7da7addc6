import Foundation

/// A token taken apart, before its signature is verified.
struct SignedToken {
    let algorithm: SigningAlgorithm
    let keyID: String?
    /// The bytes that are signed.
    let signed: Data
    let signature: Data
    private let encodedClaims: Substring

    /// Twice the largest signature there is: that of RSA with 4,096 bits.
    private static let signatureBytesMax = 1 << 10

    /// - Throws: When it is not of the form, or its header asks for what is not supported.
    init(_ token: String) throws(IdentityError) {
        let parts = token.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].utf8.count <= 2 * Self.signatureBytesMax,
            let header = Self.object(parts[0], within: .tokenHeader), let signature = Base64URL.decode(parts[2])
        else {
            throw .invalid(
                "The token is not a signed JWT. Send \"Authorization: Bearer <header>.<claims>.<signature>\".")
        }
        guard header["crit"] == nil else {
            throw .invalid(
                "The token's header has critical extensions, which are not supported. Have it issued without.")
        }
        guard let written = header["alg"]?.string, let algorithm = SigningAlgorithm(rawValue: written) else {
            throw .invalid(
                "The token's algorithm is not supported. Supported are "
                    + SigningAlgorithm.allCases.map(\.rawValue).joined(separator: ", ") + "."
            )
        }
        self.algorithm = algorithm
        keyID = header["kid"]?.string
        signed = Data(token.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count))
        self.signature = signature
        encodedClaims = parts[1]
    }

    /// The claims. Call it only when the signature is verified.
    func claims() throws(IdentityError) -> [String: ClaimValue] {
        guard let claims = Self.object(encodedClaims, within: .claims) else {
            throw .invalid(
                "The token's claims are not a JSON object, or too large a one. Have the issuer send fewer of them.")
        }
        return claims
    }

    /// Decodes a part of the token. Its size is checked first.
    private static func object(_ part: Substring, within limits: ClaimLimits) -> [String: ClaimValue]? {
        guard part.utf8.count / 4 * 3 <= limits.bytes, let json = Base64URL.decode(part) else { return nil }
        return try? [String: ClaimValue](json: json, within: limits)
    }
}
