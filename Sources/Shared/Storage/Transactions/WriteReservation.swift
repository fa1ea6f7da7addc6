import Synchronization

/// The one turn to write a file, which somebody holds. Passing it on must be possible from any thread.
package protocol WriteTurn: AnyObject, Sendable {
    /// Gives the turn to the next in the queue.
    func release()
}

/// The turn to write, waited for and not yet used. Dropped unused, it goes to the next in the queue.
package final class WriteReservation: Sendable {
    private let turn: any WriteTurn
    private let isUsed: Atomic<Bool>

    package init(_ turn: any WriteTurn, isUsed: Bool) {
        self.turn = turn
        self.isUsed = Atomic(isUsed)
    }

    /// Whether the caller now owns the turn; false when it was used before, was never granted or is another file's.
    package func use(for turn: any WriteTurn) -> Bool {
        turn === self.turn
            && isUsed.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
    }

    deinit {
        if !isUsed.load(ordering: .acquiring) { turn.release() }
    }
}
