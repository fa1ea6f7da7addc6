import CausewayModel
import CausewayStore
import Synchronization

/// What the plans of open downloads take, by user.
///
/// A view change is planned as lists of rows before its first part is sent, and a device that gives no credit leaves what
/// is left of them in memory. One plan is a user's right, however large; others of theirs fit into a bound together with
/// it, or wait until there is room.
final class PlanLedger: Sendable {
    private let bytesMaxOfUser: Int
    private let users = Mutex<ExactDictionary<Int>>([:])

    /// Smaller ones are not counted: nearly all changes are.
    static let bytesCounted = 64 << 10

    init(bytesMaxOfUser: Int) {
        self.bytesMaxOfUser = bytesMaxOfUser
    }

    /// Counts a plan for as long as what is answered is kept.
    ///
    /// - Returns: nil for a plan that is too small to count.
    /// - Throws: `busy` when the user's other plans leave no room for it.
    func entry(of user: String, bytes: Int) throws(StoreFailure) -> Entry? {
        guard bytes >= Self.bytesCounted else { return nil }
        let isFitting = users.withLock { users in
            let standing = users[user] ?? 0
            guard standing == 0 || standing + bytes <= bytesMaxOfUser else { return false }
            users[user] = standing + bytes
            return true
        }
        guard isFitting else {
            throw StoreFailure(
                .busy,
                "Large view changes of this user's other devices are being sent, and what is still to be sent of them "
                    + "takes as much memory as one user may have. Connect again later.")
        }
        return Entry(self, user, bytes)
    }

    /// What is counted of a user's plans now.
    func bytes(of user: String) -> Int { users.withLock { $0[user] ?? 0 } }

    private func remove(_ bytes: Int, of user: String) {
        users.withLock { users in
            let rest = (users[user] ?? 0) - bytes
            users[user] = rest > 0 ? rest : nil
        }
    }

    /// A plan that is counted until this goes.
    final class Entry: Sendable {
        private let ledger: PlanLedger
        private let user: String
        private let bytes: Int

        fileprivate init(_ ledger: PlanLedger, _ user: String, _ bytes: Int) {
            self.ledger = ledger
            self.user = user
            self.bytes = bytes
        }

        deinit { ledger.remove(bytes, of: user) }
    }
}
