import CausewayModel

// What administrators see of the accounts while the server runs, and how they shut one out.

/// A user, without anything that lets somebody in.
package struct AccountSummary: Hashable, Sendable {
    package var user: String
    /// From the profile; nil where it has none.
    package var name: String?
    /// The last address that they have proven to be theirs.
    package var email: String?
    /// The addresses and names by which they log in, whether or not they have proven to be theirs. Ids that the server drew
    /// are not among them.
    package var logins: [String]
    /// The providers by which they log in, in the order in which they were linked.
    package var providers: [String]
    package var roles: [String]
    package var isDisabled: Bool
    /// In milliseconds since 1970.
    package var created: UInt64
}

extension Accounts {
    /// The accounts behind one, in the order of the bytes of their ids.
    ///
    /// - Returns: at most `countMax`, and the id of the last one where there are more.
    package func summaries(
        after: String?, countMax: Int
    ) async throws(AccountError) -> (accounts: [AccountSummary], next: String?) {
        try await reading { tables throws(AccountError) in
            // One more, to know whether there is one.
            let ids = try tables.accountIDs(after: after.map { ExactString($0) }, countMax: countMax + 1)
            var accounts: [AccountSummary] = []
            for id in ids.prefix(countMax) {
                if let account = try tables.account(id) { accounts.append(AccountSummary(account)) }
            }
            return (accounts, ids.count > countMax ? accounts.last?.user : nil)
        }
    }

    /// Shuts a user out and ends their logins, or lets them in again. Access tokens are good until they expire.
    ///
    /// - Returns: whether the user was shut out before; nil where there is no such user.
    package func setDisabled(_ isDisabled: Bool, user: String) async throws(AccountError) -> Bool? {
        try await writing { tables throws(AccountError) in
            guard var account = try tables.account(ExactString(user)) else { return nil }
            let before = account.isDisabled
            try tables.setDisabled(isDisabled, &account)
            try tables.save(account)
            return before
        }
    }
}

extension AccountSummary {
    fileprivate init(_ account: AccountRecord) {
        var providers: [String] = []
        for identity in account.identities where !providers.contains(identity.provider.string) {
            providers.append(identity.provider.string)
        }
        self.init(
            user: account.id.string, name: account.profile["name"]?.string, email: account.email?.string,
            logins: account.identities.filter { $0.provider == Provider.password }.map(\.id.string),
            providers: providers,
            roles: account.roles ?? [], isDisabled: account.isDisabled, created: account.created)
    }
}
