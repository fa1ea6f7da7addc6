import CausewayModel
import CausewayStore
import Synchronization

/// What the queries that are kept for open downloads ask, by user, in terms (`Predicate.termCount`).
///
/// A query that is kept is looked at for every object that a commit changes, and a term takes many times the bytes of
/// its text. The queries of one download are a user's right; those of others fit into a bound together with them.
final class TermLedger: Sendable {
    private let termsMaxOfUser: Int
    private let users = Mutex<ExactDictionary<Int>>([:])

    init(termsMaxOfUser: Int) {
        self.termsMaxOfUser = termsMaxOfUser
    }

    /// The queries of one download, of which nothing is kept yet. What is kept of them is counted until this goes.
    func entry(of user: String) -> Entry { Entry(self, user) }

    /// What is kept of a user's queries now.
    func terms(of user: String) -> Int { users.withLock { $0[user] ?? 0 } }

    /// - Returns: false, and counts as before, when there is no room for so many more.
    private func change(_ earlier: Int, to terms: Int, of user: String) -> Bool {
        users.withLock { users in
            let others = (users[user] ?? 0) - earlier
            guard terms <= earlier || others == 0 || others + terms <= termsMaxOfUser else { return false }
            users[user] = others + terms > 0 ? others + terms : nil
            return true
        }
    }

    /// Used by one thread at a time.
    final class Entry {
        private let ledger: TermLedger
        private let user: String
        private var terms = 0

        fileprivate init(_ ledger: TermLedger, _ user: String) {
            self.ledger = ledger
            self.user = user
        }

        /// So many terms are about to be kept, all together.
        ///
        /// - Throws: `busy` when the user's other downloads leave no room for them.
        func keep(_ terms: Int) throws(StoreFailure) {
            guard ledger.change(self.terms, to: terms, of: user) else {
                throw StoreFailure(
                    .busy,
                    "The queries of this user's devices that are connected ask for more than "
                        + "\(ledger.termsMaxOfUser) comparisons all together. Connect again later, or subscribe by "
                        + "properties that say the same.")
            }
            self.terms = terms
        }

        deinit { _ = ledger.change(terms, to: 0, of: user) }
    }
}
