import CausewayModel
import Synchronization

/// How much each user takes of something that is bounded per user, whatever the unit.
///
/// A single share is a user's right, however large. Several shares of one user must fit into the bound together.
final class UserShares: Sendable {
    let maxOfUser: Int
    private let users = Mutex<ExactDictionary<Int>>([:])

    init(maxOfUser: Int) {
        self.maxOfUser = maxOfUser
    }

    /// A share of nothing yet. Its amount is counted until it is deallocated.
    func share(of user: String) -> Share { Share(self, user) }

    /// What all shares of a user hold now.
    func amount(of user: String) -> Int { users.withLock { $0[user] ?? 0 } }

    /// - Returns: false, without a change, when there is no room for so much more.
    private func change(_ earlier: Int, to amount: Int, of user: String) -> Bool {
        users.withLock { users in
            let others = (users[user] ?? 0) - earlier
            guard amount <= earlier || others == 0 || others + amount <= maxOfUser else { return false }
            users[user] = others + amount > 0 ? others + amount : nil
            return true
        }
    }

    final class Share: Sendable {
        private let shares: UserShares
        private let user: String
        private let amount = Mutex(0)

        fileprivate init(_ shares: UserShares, _ user: String) {
            self.shares = shares
            self.user = user
        }

        /// - Returns: false, without a change, when the user's other shares leave no room.
        func hold(_ wanted: Int) -> Bool {
            amount.withLock { amount in
                guard shares.change(amount, to: wanted, of: user) else { return false }
                amount = wanted
                return true
            }
        }

        deinit { _ = hold(0) }
    }
}
