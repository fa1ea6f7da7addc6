import CausewayStore

/// What the queries that are kept for open downloads ask, by user, in terms (`Predicate.termCount`).
///
/// A query that is kept is looked at for every object that a commit changes, and a term takes many times the bytes of
/// its text. The queries of one download are a user's right; those of others fit into a bound together with them.
final class TermLedger: Sendable {
    private let shares: UserShares

    init(termsMaxOfUser: Int) {
        shares = UserShares(maxOfUser: termsMaxOfUser)
    }

    /// The queries of one download, of which nothing is kept yet. What is kept of them is counted until this goes.
    func entry(of user: String) -> Entry { Entry(share: shares.share(of: user), termsMax: shares.maxOfUser) }

    /// What is kept of a user's queries now.
    func terms(of user: String) -> Int { shares.amount(of: user) }

    struct Entry: Sendable {
        fileprivate let share: UserShares.Share
        fileprivate let termsMax: Int

        /// So many terms are about to be kept, all together.
        ///
        /// - Throws: `busy` when the user's other downloads leave no room for them.
        func keep(_ terms: Int) throws(StoreFailure) {
            guard share.hold(terms) else {
                throw StoreFailure(
                    .busy,
                    "The queries of this user's devices that are connected ask for more than \(termsMax) comparisons all "
                        + "together. Connect again later, or subscribe by properties that say the same.")
            }
        }
    }
}
