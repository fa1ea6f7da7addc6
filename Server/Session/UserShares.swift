import CausewayModel
import Synchronization

/// What each user takes of something that is bounded by user, whatever the unit.
///
/// One share is a user's right, however large. The shares of one user that are held beside each other fit into the bound
/// together.
final class UserShares: Sendable {
    let maxOfUser: Int
    private let users = Mutex<ExactDictionary<Int>>([:])

    init(maxOfUser: Int) {
        self.maxOfUser = maxOfUser
    }

    /// A share of nothing yet. What is in it is counted until it goes.
    func share(of user: String) -> Share { Share(self, user) }

    /// What all shares of a user hold now.
    func amount(of user: String) -> Int { users.withLock { $0[user] ?? 0 } }

    /// - Returns: false, and counts as before, when there is no room for so much more.
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

        /// - Returns: false, and holds what it held, when the user's other shares leave no room.
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
