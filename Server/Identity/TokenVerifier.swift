import CausewayModel
import Foundation
import JWTKit

/// What a token must say besides being signed.
package struct TokenRules: Hashable, Sendable {
    /// The issuers whose tokens are taken; empty takes any issuer that holds a trusted key.
    package var issuers: [String]
    /// The names this server goes by in `aud`; empty takes tokens for anyone.
    package var audiences: [String]
    /// The claim that names the user.
    package var userClaim: String
    /// How far ahead an issuer's clock may be: a token is taken this long before its `nbf`.
    package var notBeforeLeewayMilliseconds: UInt64

    package init(
        issuers: [String] = [], audiences: [String] = [], userClaim: String = "sub",
        notBeforeLeewayMilliseconds: UInt64 = 60_000
    ) {
        self.issuers = issuers
        self.audiences = audiences
        self.userClaim = userClaim
        self.notBeforeLeewayMilliseconds = notBeforeLeewayMilliseconds
    }
}

/// Tells who a token's bearer is: signature, then times, issuer and audience.
///
/// 1. The algorithm is the key's. A header that says another one, or `none`, fits no key.
/// 2. A `kid` that names a known key chooses it; a token without one is tried with the keys of its algorithm that
///    have no id, or with the only key there is.
/// 3. Every token ends: one without `exp` is refused.
/// 4. Before a token's signature is verified, only its header is read, within `ClaimLimits.tokenHeader`.
package struct TokenVerifier: Sendable {
    private let keys: [TrustedKey]
    let rules: TokenRules
    private let verified: VerifiedTokens

    /// Real tokens have less than two kilobytes.
    package static let tokenBytesMax = 16 << 10
    package static let userBytesMax = 256
    /// A token is tried with so many keys of one algorithm that have no id. Each costs a signature check.
    package static let keysTriedMax = 8

    package init(keys: [TrustedKey], rules: TokenRules, cachedTokensMax: Int = 10_000) {
        precondition(!keys.isEmpty, "A verifier without a key could let nobody in: the configuration requires one.")
        self.keys = keys
        self.rules = rules
        verified = VerifiedTokens(countMax: cachedTokensMax)
    }

    /// The bearer of a token, at a time in milliseconds since 1970.
    ///
    /// - Complexity: a digest and a lookup for a token seen before; otherwise one signature check, 16–170 µs.
    package func caller(for token: String, at now: UInt64) throws(IdentityError) -> Caller {
        let digest = try Self.digest(token)
        if let known = try known(digest, now) { return known }
        return try verify(try SignedToken(token), digest, now)
    }

    /// The bearer of a token that is for this verifier; nil for what is no token, and when `isOurs` says that its `kid`
    /// is that of another verifier.
    func caller(
        for token: String, at now: UInt64, where isOurs: (_ keyID: String?) -> Bool
    ) throws(IdentityError) -> Caller? {
        guard let digest = try? Self.digest(token) else { return nil }
        if let known = try known(digest, now) { return known }
        guard let signed = try? SignedToken(token), isOurs(signed.keyID) else { return nil }
        return try verify(signed, digest, now)
    }

    private static func digest(_ token: String) throws(IdentityError) -> VerifiedTokens.Digest {
        guard token.utf8.count <= tokenBytesMax else {
            throw .invalid("The token is larger than \(tokenBytesMax) bytes. Ask the issuer for fewer claims.")
        }
        return VerifiedTokens.digest(token)
    }

    /// The caller that was verified before by this token.
    private func known(_ digest: VerifiedTokens.Digest, _ now: UInt64) throws(IdentityError) -> Caller? {
        guard let caller = verified[digest] else { return nil }
        try Self.checkExpiry(caller.expires, now)
        return caller
    }

    // MARK: - Signature

    private func verify(
        _ token: SignedToken, _ digest: VerifiedTokens.Digest, _ now: UInt64
    ) throws(IdentityError) -> Caller {
        let isSigned = candidates(token.algorithm, id: token.keyID).contains { key in
            // A signature of the wrong form makes the algorithm throw; it is as bad as a wrong one.
            (try? key.verifier.verify(token.signature, signs: token.signed)) == true
        }
        guard isSigned else {
            throw .invalid(
                "The token is not signed by a key this server trusts for \(token.algorithm.rawValue). "
                    + "Sign in again; if that does not help, the server's keys need the issuer's current one."
            )
        }
        // The claims are read only now that the signature is verified.
        let caller = try caller(try token.claims(), now)
        verified.remember(caller, as: digest, now: now)
        return caller
    }

    private func candidates(_ algorithm: SigningAlgorithm, id: String?) -> [TrustedKey] {
        if let id, let named = keys.first(where: { $0.id?.isSame(as: id) == true }) {
            return named.algorithm == algorithm ? [named] : []
        }
        let fitting = keys.filter { $0.algorithm == algorithm }
        return Array(
            (keys.count == 1 && id == nil ? fitting : fitting.filter { $0.id == nil }).prefix(Self.keysTriedMax))
    }

    // MARK: - Claims

    private func caller(_ claims: [String: ClaimValue], _ now: UInt64) throws(IdentityError) -> Caller {
        guard let expires = claims["exp"]?.milliseconds else {
            throw .invalid("The token has no expiry. Have the issuer set \"exp\", in seconds since 1970.")
        }
        try Self.checkExpiry(expires, now)
        if let written = claims["nbf"] {
            guard let begins = written.milliseconds else {
                throw .invalid("The token's \"nbf\" is no time. Have the issuer set it in seconds since 1970.")
            }
            let (limit, isBeyond) = now.addingReportingOverflow(rules.notBeforeLeewayMilliseconds)
            guard isBeyond || begins <= limit else {
                throw .invalid(
                    "The token is not valid yet. Set the issuer's or the server's clock, or allow more leeway."
                )
            }
        }
        if !rules.issuers.isEmpty {
            guard let issuer = claims["iss"]?.string, rules.issuers.contains(where: issuer.isSame) else {
                throw .invalid(
                    "The token's issuer is not the one this server trusts. Sign in at the issuer of this database."
                )
            }
        }
        if !rules.audiences.isEmpty {
            let isForUs = claims["aud"]?.strings.contains { named in rules.audiences.contains(where: named.isSame) }
            guard isForUs == true else {
                throw .invalid("The token is not meant for this server. Ask the issuer for one with its audience.")
            }
        }
        guard let user = claims[exactly: rules.userClaim]?.string, !user.isEmpty, user.utf8.count <= Self.userBytesMax
        else {
            throw .invalid(
                "The token names no user. Have the issuer set \"\(rules.userClaim)\" to a string of 1 to "
                    + "\(Self.userBytesMax) bytes."
            )
        }
        return Caller(user: user, claims: claims, expires: expires)
    }

    private static func checkExpiry(_ expires: UInt64, _ now: UInt64) throws(IdentityError) {
        guard now < expires else {
            throw IdentityError(
                .tokenExpired, "The token expired \((now - expires) / 1_000) seconds ago. Get a new one and try again."
            )
        }
    }
}
