import Dispatch
import Synchronization

/// One sync for all commits of a window, and whoever waits for it.
final class SyncSchedule: Sendable {
    private typealias Waiter = (version: UInt64, resume: CheckedContinuation<StorageError?, Never>)

    private struct State {
        var durableVersion: UInt64 = 0
        var waiting: [Waiter] = []
        /// The earliest sync that is on its way.
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

    /// The owner goes away: what was promised is kept, and whoever still waits gets an answer.
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

    /// Unless an earlier one has taken its place; compared by its name and not with the clock, because timers may be early.
    private func sync(scheduledFor due: DispatchTime) {
        if state.withLock({ $0.nextSync == due }) { sync() }
    }

    private func sync() {
        // Commits from now on ask for a sync of their own.
        state.withLock { $0.nextSync = nil }
        do throws(StorageError) {
            becameDurable(try file.synchronize(writerLock))
        } catch {
            failed(error)
        }
    }

    /// Nothing will be durable any more.
    func failed(_ error: StorageError) {
        answer(error) { state in
            state.failure = error
            return .max
        }
    }

    /// Changes the state, and lets those go on who wait for a version up to the one that this returns.
    private func answer(_ failure: StorageError?, upTo change: (inout State) -> UInt64) {
        let answered = state.withLock { state -> [Waiter] in
            let version = change(&state)
            // Mostly nobody waits, and every durable commit comes here.
            guard state.waiting.contains(where: { $0.version <= version }) else { return [] }
            defer { state.waiting.removeAll { $0.version <= version } }
            return state.waiting.filter { $0.version <= version }
        }
        for waiter in answered { waiter.resume.resume(returning: failure) }
    }

    /// Waits for the sync that is on its way, or asks for one.
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
