import CausewayModel
import Foundation
import JWTKit

extension TrustedKey {
    /// More keys than any issuer rotates through.
    package static let keySetCountMax = 100

    /// Reads a JWKS document: `{"keys": […]}`, each key with `kid`.
    ///
    /// A key's algorithm is its `alg`, or the only one for its type: P-256 is ES256, Ed25519 is EdDSA, RSA is RS256.
    /// Keys for encryption and keys of algorithms we do not verify are left out; a set that leaves none is an error.
    package static func loadSet(_ text: String, source: String) async throws(IdentityError) -> [TrustedKey] {
        // Keys are read one by one: one of an unknown kind must not spoil the rest.
        guard let document = try? [String: ClaimValue](json: text.utf8, within: .keySet),
            case .array(let set) = document["keys"]
        else {
            throw .unusable("The key set \(source) is not a JWKS document. Expected is {\"keys\": [...]} in JSON.")
        }
        guard set.count <= keySetCountMax else {
            throw .unusable("The key set \(source) has \(set.count) keys, and \(keySetCountMax) are the most.")
        }
        var keys: [TrustedKey] = []
        for key in set {
            guard case .object(let fields) = key else {
                throw .unusable("The key set \(source) has a key that is not a JSON object. Download it anew.")
            }
            guard fields["use"]?.string ?? "sig" == "sig", let algorithm = algorithm(of: fields) else { continue }
            guard let id = fields["kid"]?.string, !id.isEmpty else {
                throw .unusable("A key of the key set \(source) has no \"kid\". Give every key an id of its own.")
            }
            guard !keys.contains(where: { $0.id?.isSame(as: id) == true }) else {
                throw .unusable("Two keys of the key set \(source) have the same \"kid\". Give every key its own.")
            }
            keys.append(
                TrustedKey(id: id, algorithm: algorithm, verifier: try await verifier(fields, algorithm, source)))
        }
        guard !keys.isEmpty else {
            throw .unusable(
                "The key set \(source) holds no key that tokens can be verified with. "
                    + "Keys for RS256, ES256 and EdDSA are understood."
            )
        }
        return keys
    }

    /// Whether a JWKS document has what only the signer of tokens should have: a member of a private key, or a secret.
    package static func hasPrivateKeys(_ text: String) -> Bool {
        guard let document = try? [String: ClaimValue](json: text.utf8, within: .keySet),
            case .array(let set) = document["keys"]
        else { return false }
        return set.contains { key in
            guard case .object(let fields) = key else { return false }
            return ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].contains { fields[$0] != nil }
        }
    }

    private static func algorithm(of fields: [String: ClaimValue]) -> SigningAlgorithm? {
        let implied: SigningAlgorithm? =
            switch (fields["kty"]?.string, fields["crv"]?.string) {
            case ("RSA", _): .rs256
            case ("EC", "P-256"): .es256
            case ("OKP", "Ed25519"): .edDSA
            // Shared secrets do not belong in a document that is made to be published.
            default: nil
            }
        guard let written = fields["alg"]?.string else { return implied }
        return SigningAlgorithm(rawValue: written) == implied ? implied : nil
    }

    private static func verifier(
        _ fields: [String: ClaimValue], _ algorithm: SigningAlgorithm, _ source: String
    ) async throws(IdentityError) -> any JWTAlgorithm {
        do {
            var fields = fields.filter { ["kty", "crv", "kid", "x", "y", "n", "e"].contains($0.key) }
            fields["alg"] = .string(algorithm.rawValue)
            let json = String(decoding: try JSONEncoder().encode(fields), as: UTF8.self)
            let collection = JWTKeyCollection()
            try await collection.add(jwk: JWK(json: json))
            return try await collection.getKey()
        } catch {
            throw .unusable(
                "A \(algorithm.rawValue) key of the key set \(source) cannot be read. "
                    + "RSA keys need n and e of at least 2048 bits, P-256 keys x and y, Ed25519 keys x."
            )
        }
    }
}
