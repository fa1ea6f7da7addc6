import Crypto
import Foundation
import JWTKit

/// A key that tokens are verified with, and the one algorithm that it is used with.
package struct TrustedKey: Sendable {
    /// What a token's `kid` must name; nil for a key that any token without a known `kid` may be tried with.
    package let id: String?
    package let algorithm: SigningAlgorithm
    let verifier: any JWTAlgorithm

    /// A shared secret shorter than its digest could be guessed from one token.
    package static let secretBytesMin = 32

    /// Reads a key from the text of its file.
    ///
    /// HS256: base 64 of a secret of 32 bytes or more. RS256, ES256: a PEM public key, private key or certificate.
    /// EdDSA: a PEM public or private key, or base 64 of the 32 bytes of a public key. Of a private key only its
    /// public part is kept.
    ///
    /// - Parameter source: how an error names the file.
    package static func load(
        _ text: String, algorithm: SigningAlgorithm, id: String? = nil, source: String
    ) async throws(IdentityError) -> TrustedKey {
        do {
            let verifier = try await verifier(text.trimmingCharacters(in: .whitespacesAndNewlines), algorithm, source)
            return TrustedKey(id: id, algorithm: algorithm, verifier: verifier)
        } catch let error as IdentityError {
            throw error
        } catch {
            // The libraries' errors may quote the key, so only the expected form is told.
            throw .unusable(
                "The key \(source) cannot be read as a key for \(algorithm.rawValue): \(algorithm.fileExpectation). "
                    + "Check the file and the algorithm in the configuration."
            )
        }
    }

    private static func verifier(
        _ text: String, _ algorithm: SigningAlgorithm, _ source: String
    ) async throws -> any JWTAlgorithm {
        let collection = JWTKeyCollection()
        switch algorithm {
        case .hs256:
            guard let secret = Data(base64Encoded: text) ?? Base64URL.decode(text) else {
                throw IdentityError.unusable(
                    "The key \(source) is not base 64: \(algorithm.fileExpectation). "
                        + "Make one with: head -c 32 /dev/urandom | base64"
                )
            }
            guard secret.count >= secretBytesMin else {
                throw IdentityError.unusable(
                    "The key \(source) is too short for HS256: \(secret.count) bytes, and \(secretBytesMin) are the "
                        + "least. Make one with: head -c 32 /dev/urandom | base64"
                )
            }
            await collection.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
        case .rs256:
            await collection.add(rsa: try rsaKey(text), digestAlgorithm: .sha256)
        case .es256:
            await collection.add(ecdsa: try es256Key(text))
        case .edDSA:
            await collection.add(eddsa: try edDSAKey(text))
        }
        return try await collection.getKey()
    }

    private static func rsaKey(_ text: String) throws -> JWTKit.Insecure.RSA.PublicKey {
        if text.contains("PRIVATE KEY") { return try JWTKit.Insecure.RSA.PrivateKey(pem: text).publicKey }
        if text.contains("BEGIN CERTIFICATE") { return try JWTKit.Insecure.RSA.PublicKey(certificatePEM: text) }
        return try JWTKit.Insecure.RSA.PublicKey(pem: text)
    }

    private static func es256Key(_ text: String) throws -> ES256PublicKey {
        if text.contains("PRIVATE KEY") { return try ES256PrivateKey(pem: text).publicKey }
        if text.contains("BEGIN CERTIFICATE") { return try ES256PublicKey(certificate: text) }
        return try ES256PublicKey(pem: text)
    }

    private static func edDSAKey(_ text: String) throws -> EdDSA.PublicKey {
        if text.contains("PRIVATE KEY") { return try EdDSA.PrivateKey(pem: text).publicKey }
        if text.contains("BEGIN") { return try EdDSA.PublicKey(pem: text) }
        let bytes = Data(base64Encoded: text) ?? Base64URL.decode(text) ?? Data()
        return EdDSA.PublicKey(backing: try Curve25519.Signing.PublicKey(rawRepresentation: bytes))
    }
}

extension SigningAlgorithm {
    fileprivate var fileExpectation: String {
        switch self {
        case .hs256: "base 64 of a secret of at least \(TrustedKey.secretBytesMin) bytes is expected"
        case .rs256: "a PEM public key of at least 2048 bits is expected"
        case .es256: "a PEM public key on the curve P-256 is expected"
        case .edDSA: "a PEM Ed25519 public key, or base 64 of its 32 bytes, is expected"
        }
    }
}
