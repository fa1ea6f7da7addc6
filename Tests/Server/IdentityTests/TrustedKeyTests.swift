import CausewayIdentity
import CausewayModel
import Foundation
import JWTKit
import Testing

@Suite("Keys to verify tokens with")
struct TrustedKeyTests {
    private func refusal(_ text: String, _ algorithm: SigningAlgorithm) async -> IdentityError? {
        do throws(IdentityError) {
            _ = try await TrustedKey.load(text, algorithm: algorithm, source: "keys/token.pem")
            return nil
        } catch { return error }
    }

    @Test("a file that is no key of its algorithm is refused, and its content is not told")
    func wrongFiles() async throws {
        let rsa = try TestKeys(.rs256).publicText
        let ecdsa = try TestKeys(.es256).publicText
        let edwards = try TestKeys(.edDSA).publicText
        for (text, algorithm) in [
            ("", SigningAlgorithm.hs256), ("", .es256), (rsa, .es256), (ecdsa, .rs256), (edwards, .es256),
            (ecdsa, .edDSA), ("c2hvcnQ=", .hs256), ("no base 64!", .hs256), ("AAAA", .edDSA),
            ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", .rs256),
        ] {
            let error = await refusal(text, algorithm)
            #expect(error?.code == .keyUnusable, "\(algorithm) \(text)")
            #expect(error?.message.contains("keys/token.pem") == true)
            if !text.isEmpty { #expect(error?.message.contains(text) == false) }
        }
    }

    @Test("a private key, an Ed25519 key in base 64 and a secret in base 64 for URLs are keys")
    func otherForms() async throws {
        for algorithm in [SigningAlgorithm.es256, .rs256, .edDSA] {
            let keys = try TestKeys(algorithm)
            let verifier = TokenVerifier(
                keys: [try await TrustedKey.load(keys.privateText, algorithm: algorithm, source: "test")],
                rules: TokenRules())
            #expect(try verifier.caller(for: try await keys.token(), at: 1_700_000_000_000).user == "ada")
        }
        let edwards = try TestKeys(.edDSA)
        let raw = try EdDSA.PublicKey(pem: edwards.publicText).rawRepresentation.base64EncodedString()
        let verifier = TokenVerifier(
            keys: [try await TrustedKey.load(raw, algorithm: .edDSA, source: "test")], rules: TokenRules())
        #expect(try verifier.caller(for: try await edwards.token(), at: 1_700_000_000_000).user == "ada")
        #expect(await refusal("-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_8", .hs256) == nil)
    }

    @Test("a key set gives each signing key with its own algorithm, and leaves out what it cannot verify with")
    func keySet() async throws {
        let ecdsa = try TestKeys(.es256)
        let edwards = try TestKeys(.edDSA)
        let point = try #require(try ES256PublicKey(pem: ecdsa.publicText).parameters)
        let x = TestKeys.encoded(try EdDSA.PublicKey(pem: edwards.publicText).rawRepresentation)
        let text = """
            {"keys": [
                {"kty": "EC", "crv": "P-256", "kid": "ec", "x": "\(point.x)", "y": "\(point.y)", "use": "sig"},
                {"kty": "OKP", "crv": "Ed25519", "kid": "ed", "x": "\(x)", "alg": "EdDSA"},
                {"kty": "EC", "crv": "P-521", "kid": "other", "x": "AA", "y": "AA"},
                {"kty": "EC", "crv": "P-256", "kid": "confused", "x": "AA", "y": "AA", "alg": "HS256"},
                {"kty": "oct", "kid": "secret", "k": "AAAA"},
                {"kty": "RSA", "kid": "encryption", "use": "enc", "n": "AA", "e": "AQAB"}
            ]}
            """
        let keys = try await TrustedKey.loadSet(text, source: "jwks.json")
        #expect(keys.map(\.id) == ["ec", "ed"])
        #expect(keys.map(\.algorithm) == [.es256, .edDSA])
        let verifier = TokenVerifier(keys: keys, rules: TokenRules())
        #expect(try verifier.caller(for: try await ecdsa.token(id: "ec"), at: 1_700_000_000_000).user == "ada")
        #expect(try verifier.caller(for: try await edwards.token(id: "ed"), at: 1_700_000_000_000).user == "ada")
    }

    @Test(
        "a key set that cannot be used is refused",
        arguments: [
            "", "[]", "{}", #"{"keys": []}"#, #"{"keys": [{"kty": "oct", "kid": "a", "k": "AAAA"}]}"#,
            #"{"keys": [{"kty": "RSA", "kid": "a", "n": "AA", "e": "AQAB"}]}"#,
            #"{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AA"}]}"#,
            #"{"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "a", "x": "AA"}]}"#,
        ])
    func uselessSet(text: String) async {
        let error = await #expect(throws: IdentityError.self) {
            try await TrustedKey.loadSet(text, source: "jwks.json")
        }
        #expect(error?.code == .keyUnusable)
    }
}
