import CausewayModel

// A user of the accounts, as a token of theirs would say it now. For operators who ask what the user may do.

extension AccountRecord {
    /// All that a new token would claim, except for its times and its number.
    func claims(provider: ExactString, database: String) -> [String: ClaimValue] {
        var claims = AccountClaims.of(self)
        claims["sub"] = .string(id.string)
        claims["iss"] = .string(TokenMint.issuer(of: database))
        claims["aud"] = .string(database)
        claims["provider"] = .string(provider.string)
        return claims
    }

    /// The user, as logged in by the first of their identities.
    func caller(database: String) -> Caller {
        let provider = identities.first?.provider ?? ExactString("")
        return Caller(user: id.string, claims: claims(provider: provider, database: database), expires: .max)
    }
}

extension Accounts {
    /// A user, with the claims that a token of theirs would have now; nil where there is none.
    package func caller(ofAccount user: String) async throws(AccountError) -> Caller? {
        try await reading { [database] tables throws(AccountError) in
            try tables.account(ExactString(user))?.caller(database: database)
        }
    }
}

extension AccountOffice {
    /// A user, with the claims that a token of theirs would have now; nil where there is none.
    package func caller(ofAccount user: String, database: String) throws -> Caller? {
        try reading { try $0.account(ExactString(user))?.caller(database: database) }
    }
}
