package import CausewayModel

/// Who sent a request, as their token proves.
package struct Caller: Hashable, Sendable {
    /// The token's subject: clients belong to it, and permissions are about it.
    package var user: ExactString
    /// Everything the token says, for permissions.
    package var claims: [String: ClaimValue]
    /// Milliseconds since 1970. From then on the token is worth nothing.
    package var expires: UInt64

    package init(user: String, claims: [String: ClaimValue], expires: UInt64) {
        self.user = ExactString(user)
        self.claims = claims
        self.expires = expires
    }

    /// Tells different claims apart, within this process.
    package var claimsHash: Int { ClaimValue.object(claims).hashValue }
}
