import CausewayStore

/// The memory that the plans of open downloads take, by user.
///
/// A view change is planned as lists of rows before its first part is sent. While a device gives no credit, the rest of
/// these lists stays in memory. One plan is a user's right, however large. Further plans must fit into a bound together
/// with it, or are refused until there is room.
final class PlanLedger: Sendable {
    private let shares: UserShares

    /// Smaller ones are not counted: nearly all changes are.
    static let bytesCounted = 64 << 10

    init(bytesMaxOfUser: Int) {
        shares = UserShares(maxOfUser: bytesMaxOfUser)
    }

    /// Counts a plan for as long as the returned share is kept.
    ///
    /// - Returns: nil for a plan that is too small to count.
    /// - Throws: `busy` when the user's other plans leave no room for it.
    func entry(of user: String, bytes: Int) throws(StoreFailure) -> UserShares.Share? {
        guard bytes >= Self.bytesCounted else { return nil }
        let share = shares.share(of: user)
        guard share.hold(bytes) else {
            throw StoreFailure(
                .busy,
                "Large view changes of this user's other devices are being sent, and what is still to be sent of them "
                    + "takes as much memory as one user may have. Connect again later.")
        }
        return share
    }

    /// What is counted of a user's plans now.
    func bytes(of user: String) -> Int { shares.amount(of: user) }
}
