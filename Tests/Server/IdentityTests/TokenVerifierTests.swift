import CausewayIdentity
import CausewayModel
import Crypto
import Foundation
import JWTKit
import Testing

/// Keys of one algorithm and everything to sign with them.
struct TestKeys {
    let algorithm: SigningAlgorithm
    let publicText: String
    let privateText: String

    init(_ algorithm: SigningAlgorithm) throws {
        self.algorithm = algorithm
        let made = try DevelopmentKeys.make(hosts: [], days: 1, tokens: algorithm, now: Date())
        func text(_ name: String) -> String? { made.files.first { $0.name == name }?.text }
        let secret = text(DevelopmentKeys.Name.tokenSecret)
        publicText = try #require(text(DevelopmentKeys.Name.tokenPublic) ?? secret)
        privateText = try #require(text(DevelopmentKeys.Name.tokenPrivate) ?? secret)
    }

    func trusted(id: String? = nil) async throws -> TrustedKey {
        try await TrustedKey.load(publicText, algorithm: algorithm, id: id, source: "test")
    }

    func token(
        _ user: String = "ada", issuer: String? = nil, audience: String? = nil, claims: [String: ClaimValue] = [:],
        id: String? = nil, now: UInt64 = 1_700_000_000_000
    ) async throws -> String {
        try await DevelopmentToken(user: user, issuer: issuer, audience: audience, claims: claims, lifetimeSeconds: 100)
            .signed(with: privateText, algorithm: algorithm, id: id, source: "test", now: now)
    }

    /// Signs whatever header and claims a test needs, sensible or not.
    func sign(header: String, claims: String) async throws -> String {
        let keys = JWTKeyCollection()
        switch algorithm {
        case .hs256:
            let secret = try #require(Data(base64Encoded: privateText.trimmingCharacters(in: .whitespacesAndNewlines)))
            await keys.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
        case .es256: await keys.add(ecdsa: try ES256PrivateKey(pem: privateText))
        default: Issue.record("Only HS256 and ES256 are signed by hand here.")
        }
        let signed = Self.encoded(Data(header.utf8)) + "." + Self.encoded(Data(claims.utf8))
        return signed + "." + Self.encoded(Data(try await keys.getKey().sign(Data(signed.utf8))))
    }

    static func encoded(_ data: Data) -> String {
        data.base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}

@Suite("Who a token's bearer is")
struct TokenVerifierTests {
    private let now: UInt64 = 1_700_000_000_000

    private func refusal(_ verifier: TokenVerifier, _ token: String, at time: UInt64? = nil) -> IdentityError? {
        do throws(IdentityError) {
            _ = try verifier.caller(for: token, at: time ?? now)
            return nil
        } catch { return error }
    }

    @Test("a token signed by a trusted key names its user", arguments: SigningAlgorithm.allCases)
    func goodToken(algorithm: SigningAlgorithm) async throws {
        let keys = try TestKeys(algorithm)
        let verifier = TokenVerifier(keys: [try await keys.trusted()], rules: TokenRules())
        let token = try await keys.token("ada", claims: ["role": .string("pilot")])
        let caller = try verifier.caller(for: token, at: now)
        #expect(caller.user == "ada")
        #expect(caller.claims["role"] == .string("pilot"))
        #expect(caller.expires == now + 100_000)
        #expect(try verifier.caller(for: token, at: now + 99_999) == caller)
    }

    @Test("a token signed by another key of the same algorithm is refused", arguments: SigningAlgorithm.allCases)
    func otherKey(algorithm: SigningAlgorithm) async throws {
        let verifier = TokenVerifier(keys: [try await TestKeys(algorithm).trusted()], rules: TokenRules())
        let error = refusal(verifier, try await TestKeys(algorithm).token())
        #expect(error?.code == .tokenInvalid)
        #expect(error?.message.contains("not signed by a key") == true)
    }

    @Test("an expired token is refused as expired, also when it was verified before")
    func expired() async throws {
        let keys = try TestKeys(.es256)
        let token = try await keys.token()
        let fresh = TokenVerifier(keys: [try await keys.trusted()], rules: TokenRules())
        #expect(refusal(fresh, token, at: now + 100_000)?.code == .tokenExpired)
        let cached = TokenVerifier(keys: [try await keys.trusted()], rules: TokenRules())
        #expect(refusal(cached, token) == nil)
        let error = refusal(cached, token, at: now + 105_000)
        #expect(error?.code == .tokenExpired)
        #expect(error?.message == "The token expired 5 seconds ago. Get a new one and try again.")
    }

    @Test("a token is taken a minute before its nbf, and not earlier")
    func notBefore() async throws {
        let keys = try TestKeys(.hs256)
        let verifier = TokenVerifier(keys: [try await keys.trusted()], rules: TokenRules())
        #expect(refusal(verifier, try await keys.token(claims: ["nbf": .int(1_700_000_060)])) == nil)
        #expect(refusal(verifier, try await keys.token(claims: ["nbf": .int(1_700_000_061)]))?.code == .tokenInvalid)
        #expect(refusal(verifier, try await keys.token(claims: ["nbf": .string("soon")]))?.code == .tokenInvalid)
        let patient = TokenVerifier(
            keys: [try await keys.trusted()], rules: TokenRules(notBeforeLeewayMilliseconds: .max))
        #expect(refusal(patient, try await keys.token(claims: ["nbf": .double(1e300)])) == nil)
    }

    @Test("issuer and audience are checked where the configuration names them")
    func issuerAndAudience() async throws {
        let keys = try TestKeys(.hs256)
        let rules = TokenRules(issuers: ["https://issuer"], audiences: ["sync", "other"])
        let verifier = TokenVerifier(keys: [try await keys.trusted()], rules: rules)
        #expect(refusal(verifier, try await keys.token(issuer: "https://issuer", audience: "sync")) == nil)
        #expect(
            refusal(
                verifier,
                try await keys.token(
                    issuer: "https://issuer", claims: ["aud": .array([.string("x"), .string("other")])])) == nil)
        #expect(
            refusal(verifier, try await keys.token(issuer: "https://evil", audience: "sync"))?.code == .tokenInvalid)
        #expect(refusal(verifier, try await keys.token(audience: "sync"))?.code == .tokenInvalid)
        #expect(refusal(verifier, try await keys.token(issuer: "https://issuer"))?.code == .tokenInvalid)
        let listed = try await keys.sign(
            header: #"{"alg":"HS256"}"#,
            claims: #"{"sub":"a","exp":1800000000,"iss":"https://issuer","aud":["x","other"]}"#)
        #expect(refusal(verifier, listed) == nil)
    }

    @Test("the algorithm is the key's, whatever the header says")
    func algorithmConfusion() async throws {
        let keys = try TestKeys(.es256)
        let verifier = TokenVerifier(keys: [try await keys.trusted(id: "k")], rules: TokenRules())
        let claims = #"{"sub":"ada","exp":1800000000}"#
        // The classic: the public key's text used as the secret of an HMAC.
        let header = TestKeys.encoded(Data(#"{"alg":"HS256","kid":"k"}"#.utf8))
        let signed = header + "." + TestKeys.encoded(Data(claims.utf8))
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(signed.utf8), using: SymmetricKey(data: Data(keys.publicText.utf8)))
        #expect(refusal(verifier, signed + "." + TestKeys.encoded(Data(code)))?.code == .tokenInvalid)
        for header in [#"{"alg":"none"}"#, #"{"alg":"None","kid":"k"}"#, #"{"alg":"HS512"}"#, #"{"kid":"k"}"#] {
            let unsigned = TestKeys.encoded(Data(header.utf8)) + "." + TestKeys.encoded(Data(claims.utf8)) + "."
            #expect(refusal(verifier, unsigned)?.code == .tokenInvalid, "\(header)")
        }
    }

    @Test("a kid chooses its key; a token without one fits keys without id or the only key")
    func keyIdentifiers() async throws {
        let (first, second) = (try TestKeys(.es256), try TestKeys(.es256))
        let both = TokenVerifier(
            keys: [try await first.trusted(id: "1"), try await second.trusted(id: "2")], rules: TokenRules())
        #expect(refusal(both, try await first.token(id: "1")) == nil)
        #expect(refusal(both, try await second.token(id: "2")) == nil)
        #expect(refusal(both, try await second.token(id: "1"))?.code == .tokenInvalid)
        #expect(refusal(both, try await second.token(id: "3"))?.code == .tokenInvalid)
        #expect(refusal(both, try await second.token())?.code == .tokenInvalid)
        let only = TokenVerifier(keys: [try await first.trusted(id: "1")], rules: TokenRules())
        #expect(refusal(only, try await first.token()) == nil)
        let unnamed = TokenVerifier(keys: [try await first.trusted(), try await second.trusted()], rules: TokenRules())
        #expect(refusal(unnamed, try await second.token()) == nil)
        #expect(refusal(unnamed, try await second.token(id: "rotated")) == nil)
    }

    @Test(
        "signed claims that are no use are refused",
        arguments: [
            "[]", "{}", "not json", #"{"sub":"a"}"#, #"{"exp":1800000000}"#, #"{"sub":"","exp":1800000000}"#,
            #"{"sub":5,"exp":1800000000}"#, #"{"sub":"a","exp":"tomorrow"}"#, #"{"sub":"a","exp":null}"#,
            #"{"sub":"a","exp":-1}"#, #"{"sub":"a","exp":1e400}"#,
        ])
    func uselessClaims(claims: String) async throws {
        let keys = try TestKeys(.hs256)
        let verifier = TokenVerifier(keys: [try await keys.trusted()], rules: TokenRules())
        let token = try await keys.sign(header: #"{"alg":"HS256"}"#, claims: claims)
        #expect(refusal(verifier, token) != nil, "\(claims)")
    }

    @Test("an expiry beyond any clock is an expiry")
    func farExpiry() async throws {
        let keys = try TestKeys(.hs256)
        let verifier = TokenVerifier(keys: [try await keys.trusted()], rules: TokenRules(userClaim: "uid"))
        let token = try await keys.sign(header: #"{"alg":"HS256"}"#, claims: #"{"uid":"a","exp":1e300}"#)
        #expect(try verifier.caller(for: token, at: .max - 1).expires == .max)
    }

    @Test("critical header extensions are refused, for nothing here understands them")
    func criticalExtensions() async throws {
        let keys = try TestKeys(.hs256)
        let verifier = TokenVerifier(keys: [try await keys.trusted()], rules: TokenRules())
        let token = try await keys.sign(
            header: #"{"alg":"HS256","crit":["b64"],"b64":false}"#, claims: #"{"sub":"a","exp":1800000000}"#)
        #expect(refusal(verifier, token)?.code == .tokenInvalid)
    }

    @Test("damaged tokens are refused and never told in an error")
    func damaged() async throws {
        let keys = try TestKeys(.es256)
        let verifier = TokenVerifier(keys: [try await keys.trusted()], rules: TokenRules())
        let token = try await keys.token()
        var texts = ["", ".", "..", "...", "a.b.c", "Bearer \(token)", token + ".", token + "A", "é.é.é"]
        texts += [token.replacingOccurrences(of: ".", with: ""), String(repeating: "a", count: 20_000)]
        texts += [String(token.dropLast(4)), "." + token, token.uppercased()]
        for index in stride(from: 0, to: token.utf8.count, by: 7) {
            var bytes = Array(token.utf8)
            bytes[index] ^= 2
            texts.append(String(decoding: bytes, as: UTF8.self))
        }
        for text in texts where text != token {
            let error = refusal(verifier, text)
            #expect(error?.code == .tokenInvalid, "\(text)")
            if text.utf8.count > 20 { #expect(error?.message.contains(text.prefix(20)) == false) }
        }
    }

    @Test("a full cache forgets, and verifies again")
    func fullCache() async throws {
        let keys = try TestKeys(.hs256)
        let verifier = TokenVerifier(keys: [try await keys.trusted()], rules: TokenRules(), cachedTokensMax: 2)
        for round in 0..<2 {
            for user in ["a", "b", "c", "d"] {
                #expect(
                    try verifier.caller(for: try await keys.token(user), at: now).user.string == user, "round \(round)")
            }
        }
    }
}
