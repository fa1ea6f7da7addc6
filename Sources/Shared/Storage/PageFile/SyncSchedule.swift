import Dispatch
import Synchronization

/// Schedules one fsync for all commits of a window, and resumes the tasks that wait for it.
final class SyncSchedule: Sendable {
    private typealias Waiter = (version: UInt64, resume: CheckedContinuation<StorageError?, Never>)

    private struct State {
        var durableVersion: UInt64 = 0
        var waiting: [Waiter] = []
        /// When the next scheduled sync is due; nil when none is scheduled.
        var nextSync: DispatchTime?
        var failure: StorageError?
    }

    private let file: PageFile
    private let writerLock: WriterLock
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "causeway.storage.sync", qos: .userInitiated)

    init(_ file: PageFile, _ writerLock: WriterLock) {
        self.file = file
        self.writerLock = writerLock
    }

    /// Runs a scheduled sync now, and then fails all tasks that still wait. Called when the owner goes away.
    func close() {
        let isPromised = state.withLock { $0.nextSync != nil }
        if isPromised { sync() }
        answer(.isClosed(path: file.path)) { _ in .max }
    }

    func becameDurable(_ version: UInt64) {
        answer(nil) { state in
            state.durableVersion = max(state.durableVersion, version)
            return state.durableVersion
        }
    }

    func syncWithin(_ window: Duration) {
        let parts = window.components
        let nanoseconds = Int(clamping: parts.seconds) * 1_000_000_000 + Int(parts.attoseconds / 1_000_000_000)
        let due = DispatchTime.now() + .nanoseconds(max(0, nanoseconds))
        let mustSchedule = state.withLock { state in
            if let next = state.nextSync, next <= due { return false }
            state.nextSync = due
            return true
        }
        guard mustSchedule else { return }
        queue.asyncAfter(deadline: due) { [weak self] in self?.sync(scheduledFor: due) }
    }

    /// Syncs, unless an earlier sync has replaced this one. Compares due times and not the clock, as timers may be
    /// early.
    private func sync(scheduledFor due: DispatchTime) {
        if state.withLock({ $0.nextSync == due }) { sync() }
    }

    private func sync() {
        // Later commits schedule a sync of their own.
        state.withLock { $0.nextSync = nil }
        do throws(StorageError) {
            becameDurable(try file.synchronize(writerLock))
        } catch {
            failed(error)
        }
    }

    /// Notes that no later version will become durable, and fails all waiting tasks.
    func failed(_ error: StorageError) {
        answer(error) { state in
            state.failure = error
            return .max
        }
    }

    /// Changes the state, and resumes the tasks that wait for a version up to the one that `change` returns.
    private func answer(_ failure: StorageError?, upTo change: (inout State) -> UInt64) {
        let answered = state.withLock { state -> [Waiter] in
            let version = change(&state)
            // Every durable commit comes here, and usually nobody waits.
            guard state.waiting.contains(where: { $0.version <= version }) else { return [] }
            defer { state.waiting.removeAll { $0.version <= version } }
            return state.waiting.filter { $0.version <= version }
        }
        for waiter in answered { waiter.resume.resume(returning: failure) }
    }

    /// Waits for the scheduled sync, or schedules one. Throws when the sync fails or the storage closes.
    func whenDurable(_ version: UInt64) async throws(StorageError) {
        if state.withLock({ $0.durableVersion < version && $0.nextSync == nil }) { syncWithin(.zero) }
        let failure = await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> StorageError?? in
                if state.durableVersion >= version { return .some(nil) }
                if let failure = state.failure { return .some(failure) }
                state.waiting.append((version, continuation))
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
        if let failure { throw failure }
    }
}
