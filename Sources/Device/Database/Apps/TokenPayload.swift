import Foundation

/// The claims of a token, read without verifying it. The server verifies; the device only needs the user's id and the
/// expiry.
struct TokenPayload: Hashable, Sendable {
    var subject: String
    /// Seconds since 1970; nil when the token does not expire.
    var expiry: Double?

    /// The longest token that is accepted: HTTP headers are bounded too.
    static let sizeBytesMax = 16 << 10

    init(_ token: String) throws {
        guard token.utf8.count <= Self.sizeBytesMax else {
            throw AppError(
                .invalidSession,
                "The token has \(token.utf8.count) bytes, more than the \(Self.sizeBytesMax) that a request may carry. "
                    + "Put fewer claims into it.")
        }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Self.bytes(base64URL: parts[1]) else {
            throw AppError(
                .invalidSession,
                "This is not a JSON Web Token: it has no three parts in base64url, separated by dots. "
                    + "`sync-server token` signs one for development.")
        }
        let claims: Claims
        do {
            claims = try JSONDecoder().decode(Claims.self, from: payload)
        } catch {
            throw AppError(
                .invalidSession,
                "The token's claims are not a JSON object with text in `sub` (\(error)). Get a new one.")
        }
        guard let subject = claims.sub, !subject.isEmpty, subject.utf8.count <= 512 else {
            throw AppError(
                .invalidSession,
                "The token names no user: its claim `sub` is missing, empty or longer than 512 bytes. "
                    + "Sign one with the user's id as `sub`.")
        }
        self.subject = subject
        expiry = claims.exp
    }

    /// When the token expires, in milliseconds since 1970; nil when it does not expire or the time does not fit.
    var expiryMilliseconds: UInt64? {
        expiry.flatMap { UInt64(exactly: ($0 * 1_000).rounded(.down)) }
    }

    private struct Claims: Decodable {
        var sub: String?
        var exp: Double?
    }

    private static func bytes(base64URL text: Substring) -> Data? {
        var standard = String(text).replacing("-", with: "+").replacing("_", with: "/")
        while standard.utf8.count % 4 != 0 { standard += "=" }
        return Data(base64Encoded: standard)
    }
}
