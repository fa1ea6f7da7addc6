import Synchronization

/// The one turn to write a file. Its holder may pass it on from any thread.
package protocol WriteTurn: AnyObject, Sendable {
    /// Gives the turn to the next in the queue.
    func release()
}

/// A turn to write that was granted and not yet used. If it is released unused, the turn goes to the next in the queue.
package final class WriteReservation: Sendable {
    private let turn: any WriteTurn
    private let isUsed: Atomic<Bool>

    package init(_ turn: any WriteTurn, isUsed: Bool) {
        self.turn = turn
        self.isUsed = Atomic(isUsed)
    }

    /// Takes the turn. Returns false when it was used before, was never granted or is another file's.
    package func use(for turn: any WriteTurn) -> Bool {
        turn === self.turn
            && isUsed.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
    }

    deinit {
        if !isUsed.load(ordering: .acquiring) { turn.release() }
    }
}
