import CausewayModel
import Crypto
import Foundation
import JWTKit

/// Signs the access tokens of one database's accounts, and recognizes them.
///
/// The key is made with the accounts and kept in their file. Issuer and audience name the database, so that a token of
/// one database is worth nothing in another.
struct TokenMint: Sendable {
    private let keys: JWTKeyCollection
    private let keyID: JWKIdentifier
    private let verifier: TokenVerifier
    private let database: String

    /// - Parameter pem: the private key.
    init(pem: String, database: String) async throws(IdentityError) {
        do {
            let key = try P256.Signing.PrivateKey(pemRepresentation: pem)
            let digest = SHA256.hash(data: key.publicKey.rawRepresentation)
            let id = "accounts-" + Base64URL.encode(Data(digest.prefix(12)))
            keyID = JWKIdentifier(string: id)
            keys = JWTKeyCollection()
            await keys.add(ecdsa: try ES256PrivateKey(pem: pem), kid: keyID)
            let trusted = try await TrustedKey.load(
                key.publicKey.pemRepresentation, algorithm: .es256, id: id, source: "of the accounts")
            verifier = TokenVerifier(
                keys: [trusted],
                rules: TokenRules(issuers: [Self.issuer(of: database)], audiences: [database]))
        } catch {
            throw .unusable(
                "The key in the accounts of '\(database)' cannot be used. Restore the file from a backup, or move it "
                    + "away: all users have to register anew then.")
        }
        self.database = database
    }

    static func newKey() -> String { P256.Signing.PrivateKey().pemRepresentation }

    static func issuer(of database: String) -> String { "causeway/accounts/\(database)" }

    /// Signs a token. What it claims about the user is in `AccountClaims`.
    func token(
        for account: AccountRecord, provider: ExactString, now: UInt64, lifetimeMilliseconds: UInt64
    ) async throws(AccountError) -> String {
        var claims = account.claims(provider: provider, database: database)
        claims["iat"] = .int(Int64(clamping: now / 1_000))
        claims["exp"] = .int(Int64(clamping: (now + lifetimeMilliseconds) / 1_000))
        // Two tokens of the same second are different.
        claims["jti"] = .string(Base64URL.encode(Data(SymmetricKey(size: .bits128).withUnsafeBytes { Data($0) })))
        do {
            return try await keys.sign(SignedClaims(claims: claims), kid: keyID)
        } catch {
            throw AccountError(.internalServerError, "The server could not sign a token. Its log says why.")
        }
    }

    /// The bearer of a token that this mint signed; nil for one that names another key.
    func caller(for token: String, at now: UInt64) throws(IdentityError) -> Caller? {
        try verifier.caller(for: token, at: now) { $0?.isSame(as: keyID.string) == true }
    }
}
