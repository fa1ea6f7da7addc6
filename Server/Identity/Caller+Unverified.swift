extension Caller {
    /// Whom a token names, without looking at its signature, its times, its issuer or its audience. For operators who ask
    /// what somebody could do; never for anybody's request.
    package init(unverified token: String, userClaim: String) throws(IdentityError) {
        guard token.utf8.count <= TokenVerifier.tokenBytesMax else {
            throw .invalid("The token is larger than \(TokenVerifier.tokenBytesMax) bytes, so it is accepted nowhere.")
        }
        let claims = try SignedToken(token).claims()
        guard let user = claims[exactly: userClaim]?.string, !user.isEmpty else {
            throw .invalid("The token names no user in its claim \"\(userClaim)\".")
        }
        self.init(user: user, claims: claims, expires: claims["exp"]?.milliseconds ?? 0)
    }
}

extension TokenVerifier {
    /// The claim that names the user.
    package var userClaim: String { rules.userClaim }
}
