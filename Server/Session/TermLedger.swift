import CausewayStore

/// How many terms (`Predicate.termCount`) the queries kept for open downloads have, by user.
///
/// A kept query is evaluated for every object that a commit changes, and a term takes many times the bytes of its text.
/// The queries of one download are a user's right. Those of further downloads must fit into a bound together with them.
final class TermLedger: Sendable {
    private let shares: UserShares

    init(termsMaxOfUser: Int) {
        shares = UserShares(maxOfUser: termsMaxOfUser)
    }

    /// An entry for the queries of one download, of which nothing is kept yet. Its terms are counted until it goes.
    func entry(of user: String) -> Entry { Entry(share: shares.share(of: user), termsMax: shares.maxOfUser) }

    /// What is kept of a user's queries now.
    func terms(of user: String) -> Int { shares.amount(of: user) }

    struct Entry: Sendable {
        fileprivate let share: UserShares.Share
        fileprivate let termsMax: Int

        /// Counts so many terms for the download, in place of what it counted before.
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
