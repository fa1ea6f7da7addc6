import Synchronization

/// The snapshots that are open: each keeps the pages of its version from being used again.
final class OpenSnapshots: Sendable {
    private struct State {
        /// When each was taken, by numbers that rise.
        var times: [UInt64: ContinuousClock.Instant] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Counts a snapshot for as long as somebody refers to what is returned.
    func open() -> OpenSnapshot {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.times[state.lastNumber] = .now
            return state.lastNumber
        }
        return OpenSnapshot(number, of: self)
    }

    fileprivate func close(_ number: UInt64) { state.withLock { $0.times[number] = nil } }

    /// How many there are, and how long the oldest is open.
    var census: (count: Int, oldest: Duration) {
        let (count, first) = state.withLock { ($0.times.count, $0.times.values.min()) }
        return (count, first.map { ContinuousClock.now - $0 } ?? .zero)
    }
}

/// One open snapshot.
final class OpenSnapshot: Sendable {
    private let number: UInt64
    private let all: OpenSnapshots

    fileprivate init(_ number: UInt64, of all: OpenSnapshots) {
        (self.number, self.all) = (number, all)
    }

    deinit { all.close(number) }
}
