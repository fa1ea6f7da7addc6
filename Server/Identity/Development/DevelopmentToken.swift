import Foundation
import JWTKit

/// A token for development, signed here instead of by an issuer.
package struct DevelopmentToken: Sendable {
    package var user: String
    package var issuer: String?
    package var audience: String?
    package var claims: [String: ClaimValue]
    package var lifetimeSeconds: UInt64

    /// A year: longer ones are passwords.
    package static let lifetimeSecondsMax: UInt64 = 366 * 86_400

    package init(
        user: String, issuer: String? = nil, audience: String? = nil, claims: [String: ClaimValue] = [:],
        lifetimeSeconds: UInt64 = 3_600
    ) {
        self.user = user
        self.issuer = issuer
        self.audience = audience
        self.claims = claims
        self.lifetimeSeconds = lifetimeSeconds
    }

    /// The signed token.
    ///
    /// - Parameters:
    ///   - key: the text of a private key's file, or of the secret's file for HS256.
    ///   - source: how an error names the file.
    ///   - now: milliseconds since 1970.
    package func signed(
        with key: String, algorithm: SigningAlgorithm, id: String? = nil, userClaim: String = "sub", source: String,
        now: UInt64
    ) async throws(IdentityError) -> String {
        guard !user.isEmpty, user.utf8.count <= TokenVerifier.userBytesMax else {
            throw IdentityError(
                .requestInvalid, "The user must have 1 to \(TokenVerifier.userBytesMax) bytes. Name one with --user."
            )
        }
        guard (1...Self.lifetimeSecondsMax).contains(lifetimeSeconds) else {
            throw IdentityError(
                .requestInvalid, "A token lives 1 to \(Self.lifetimeSecondsMax) seconds, not \(lifetimeSeconds)."
            )
        }
        var all = claims
        all[userClaim] = .string(user)
        if let issuer { all["iss"] = .string(issuer) }
        if let audience { all["aud"] = .string(audience) }
        all["iat"] = .int(Int64(now / 1_000))
        all["exp"] = .int(Int64(now / 1_000 + lifetimeSeconds))
        do {
            let keys = try await Self.keys(key.trimmingCharacters(in: .whitespacesAndNewlines), algorithm)
            return try await keys.sign(SignedClaims(claims: all), header: id.map { ["kid": .string($0)] } ?? [:])
        } catch {
            throw .unusable(
                "The key \(source) cannot sign tokens with \(algorithm.rawValue). "
                    + (algorithm.isSymmetric
                        ? "Give the file with the secret in base 64." : "Give the PEM file with the private key.")
            )
        }
    }

    private static func keys(_ text: String, _ algorithm: SigningAlgorithm) async throws -> JWTKeyCollection {
        let keys = JWTKeyCollection()
        switch algorithm {
        case .hs256:
            guard let secret = Data(base64Encoded: text) ?? Base64URL.decode(text),
                secret.count >= TrustedKey.secretBytesMin
            else { throw IdentityError.unusable("The secret is too short or not base 64.") }
            await keys.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
        case .rs256: await keys.add(rsa: try Insecure.RSA.PrivateKey(pem: text), digestAlgorithm: .sha256)
        case .es256: await keys.add(ecdsa: try ES256PrivateKey(pem: text))
        case .edDSA: await keys.add(eddsa: try EdDSA.PrivateKey(pem: text))
        }
        return keys
    }
}

/// All claims as one JSON object.
struct SignedClaims: JWTPayload {
    var claims: [String: ClaimValue]

    init(claims: [String: ClaimValue]) {
        self.claims = claims
    }

    init(from decoder: any Decoder) throws {
        claims = try decoder.singleValueContainer().decode([String: ClaimValue].self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(claims)
    }

    /// Claims that are being signed are not verified; `TokenVerifier` does that for those that arrive.
    func verify(using algorithm: some JWTAlgorithm) async throws {}
}
