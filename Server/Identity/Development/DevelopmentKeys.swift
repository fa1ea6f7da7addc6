import Crypto
package import Foundation
import X509
import _CryptoExtras

/// A certificate authority, a server certificate and a pair of signing keys for development, made together.
///
/// Not for production: the authority's key lies beside the rest, and nothing can be revoked.
package struct DevelopmentKeys: Sendable {
    /// One file: its name in the folder, its text, and whether only its owner may read it.
    package struct File: Hashable, Sendable {
        package var name: String
        package var text: String
        package var isSecret: Bool
    }

    package var files: [File]

    package enum Name {
        package static let authority = "ca.pem"
        package static let authorityKey = "ca-key.pem"
        package static let server = "server.pem"
        package static let serverKey = "server-key.pem"
        /// What an administrator's program shows a listener that wants a certificate.
        package static let client = "client.pem"
        package static let clientKey = "client-key.pem"
        /// What the server verifies tokens with.
        package static let tokenPublic = "token-public.pem"
        /// What tokens are signed with.
        package static let tokenPrivate = "token-private.pem"
        /// Both at once, for HS256.
        package static let tokenSecret = "token-secret.base64"
    }

    /// - Parameters:
    ///   - hosts: names and IPv4 addresses the server is reached by, beside localhost and 127.0.0.1.
    ///   - days: how long the certificates are good for.
    ///   - client: the name of a client that gets a certificate too.
    package static func make(
        hosts: [String], days: Int, tokens algorithm: SigningAlgorithm, client: String? = nil, now: Date
    ) throws(IdentityError) -> DevelopmentKeys {
        guard (1...3_650).contains(days) else {
            throw IdentityError(.requestInvalid, "Certificates are made for 1 to 3650 days, not for \(days).")
        }
        let authority = try CertificateMaker(now: now, days: days)
        let server = try authority.serverCertificate(for: hosts)
        var clientFiles: [File] = []
        if let client {
            let made = try authority.clientCertificate(for: client)
            clientFiles = [
                File(name: Name.client, text: made.certificatePEM, isSecret: false),
                File(name: Name.clientKey, text: made.key.pemRepresentation + "\n", isSecret: true),
            ]
        }
        return DevelopmentKeys(
            files: [
                File(name: Name.authority, text: authority.certificatePEM, isSecret: false),
                File(name: Name.authorityKey, text: authority.key.pemRepresentation + "\n", isSecret: true),
                File(name: Name.server, text: server.certificatePEM, isSecret: false),
                File(name: Name.serverKey, text: server.key.pemRepresentation + "\n", isSecret: true),
            ] + clientFiles + (try tokenFiles(algorithm))
        )
    }

    private static func tokenFiles(_ algorithm: SigningAlgorithm) throws(IdentityError) -> [File] {
        let publicText: String
        let privateText: String
        switch algorithm {
        case .hs256:
            let secret = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0).base64EncodedString() }
            return [File(name: Name.tokenSecret, text: secret + "\n", isSecret: true)]
        case .es256:
            let key = P256.Signing.PrivateKey()
            (publicText, privateText) = (key.publicKey.pemRepresentation, key.pemRepresentation)
        case .edDSA:
            let key = Curve25519.Signing.PrivateKey()
            (publicText, privateText) = (key.publicKey.pemRepresentation, key.pemRepresentation)
        case .rs256:
            do {
                let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
                (publicText, privateText) = (key.publicKey.pemRepresentation, key.pemRepresentation)
            } catch {
                throw IdentityError(.requestInvalid, "An RSA key could not be made: \(error). Use ES256 instead.")
            }
        }
        return [
            File(name: Name.tokenPublic, text: publicText + "\n", isSecret: false),
            File(name: Name.tokenPrivate, text: privateText + "\n", isSecret: true),
        ]
    }
}
