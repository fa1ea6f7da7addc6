import Synchronization

/// Wakes those who wait for a number to rise. Looks at it again and again, but only while somebody waits: then one look serves
/// all, and costs an atomic read.
package final class NewsBell: Sendable {
    private struct Waiter {
        var known: UInt64
        var deadline: ContinuousClock.Instant
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var waiters: [UInt64: Waiter] = [:]
        var nextID: UInt64 = 0
        var isLooking = false
        var isEnded = false
    }

    private let state = Mutex(State())
    private let newest: @Sendable () -> UInt64
    /// How often it looks, and so how late news may be.
    static let lookMilliseconds: UInt64 = 50

    package init(newest: @escaping @Sendable () -> UInt64) {
        self.newest = newest
    }

    package var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Returns when the number is greater than the one that is known, when the time is over, when the bell ends, or when the
    /// task is cancelled.
    package func wait(beyond known: UInt64, milliseconds: UInt64) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let deadline = ContinuousClock.now + .milliseconds(milliseconds)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let startsLooking = state.withLock { state -> Bool? in
                    guard !state.isEnded, !Task.isCancelled, newest() <= known else { return nil }
                    state.waiters[id] = Waiter(known: known, deadline: deadline, continuation: continuation)
                    defer { state.isLooking = true }
                    return !state.isLooking
                }
                guard let startsLooking else { return continuation.resume() }
                if startsLooking { Task { await look() } }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume()
        }
    }

    private func look() async {
        while true {
            try? await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
            let number = newest()
            let (due, goesOn) = state.withLock { state in
                let now = ContinuousClock.now
                let due = state.waiters.filter { $0.value.known < number || $0.value.deadline <= now }
                for id in due.keys { state.waiters[id] = nil }
                state.isLooking = !state.waiters.isEmpty
                return (due, state.isLooking)
            }
            for waiter in due.values { waiter.continuation.resume() }
            if !goesOn { return }
        }
    }

    /// Wakes everybody who waits now: there is something else to look at.
    package func ring() {
        let waiters = state.withLock { state in
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.continuation.resume() }
    }

    /// Wakes everybody, for good.
    package func end() {
        let waiters = state.withLock { state in
            state.isEnded = true
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.continuation.resume() }
    }
}
