import CausewayStore
import Synchronization

// Comparisons take turns. After a restore or a change of permissions every device of a fleet resyncs at once, and each
// comparison holds digests of its whole view. The number of open comparisons bounds the memory that they take.

extension Sessions {
    /// How many comparisons of one database are open at a time, if none is large.
    package static let comparisonsAtOnce = 4
    /// A comparison takes one more place for each so many objects: it holds about 32 bytes of each object, and up to
    /// twice as much while it is made.
    static let objectsPerPlace = 250_000

    /// Whether the session may open its comparison. If not, its conversation waits until it is told.
    ///
    /// - Parameter objects: how many objects its view has. While it waited it may have come to want more.
    func takeTurn(_ open: OpenSession, objects: Int) -> Bool {
        let places = 1 + objects / Self.objectsPerPlace
        let hasTooFew = turns.withLock { turns in
            turns.places(of: open.id).map { $0 < turns.placesGiven(for: places) } ?? false
        }
        if hasTooFew { passTurn(open) }
        // Under one lock: else the turn could come before the conversation knows that it waits.
        return turns.withLock { turns in
            if turns.enter(open.id, of: open.user, places: places) { return true }
            open.conversation.withLock { $0.comparisonQueued() }
            return false
        }
    }

    /// Ends the session's comparison, or its wait for one: others' turns come.
    package func passTurn(_ open: OpenSession) {
        let admitted = turns.withLock { $0.leave(open.id, of: open.user) }
        for next in admitted {
            // A session that is no longer in the table is about to end, and passes its turn on then.
            guard let waiting = table.withLock({ $0[next] }) else { continue }
            waiting.conversation.withLock { $0.turnCame() }
            waiting.wake()
        }
    }
}
