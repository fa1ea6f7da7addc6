import Dispatch

/// A sync that lasts until another thread has had the chance to sync beside it.
package final class SyncHold: Sendable {
    private static let entrySeconds = 60
    /// Who syncs before its header is written waits for the sync that is under way, and is waited for so long.
    private static let headerSeconds = 1
    /// So long is waited for a sync that nothing keeps from coming at once.
    private static let overlapMilliseconds = 2

    let isLosing: Bool
    private let entered = DispatchSemaphore(value: 0)
    private let headerWritten = DispatchSemaphore(value: 0)
    private let overlapped = DispatchSemaphore(value: 0)

    init(isLosing: Bool) {
        self.isLosing = isLosing
    }

    /// Waits until a sync is in it. False when none comes.
    package func waitUntilEntered() -> Bool {
        entered.wait(timeout: .now() + .seconds(Self.entrySeconds)) == .success
    }

    /// Who has written a header syncs next, unless he waits for the sync that is under way.
    func wait() {
        entered.signal()
        guard headerWritten.wait(timeout: .now() + .seconds(Self.headerSeconds)) == .success else { return }
        _ = overlapped.wait(timeout: .now() + .milliseconds(Self.overlapMilliseconds))
    }

    func headerWasWritten() { headerWritten.signal() }

    func wasOverlapped() {
        overlapped.signal()
        headerWritten.signal()
    }
}
