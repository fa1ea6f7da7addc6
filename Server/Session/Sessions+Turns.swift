import CausewayStore
import Synchronization

// Comparisons in turn. A restored server, and other permissions, resync every device of a fleet at once, and each
// comparison holds digests of its whole view: what they take together is bounded by how many are open.

extension Sessions {
    /// How many comparisons of one database are open at a time, where none is large.
    package static let comparisonsAtOnce = 4
    /// A comparison of more objects takes one more place for each so many: it holds some 32 bytes of each object, and up to
    /// twice as much while it is made.
    static let objectsPerPlace = 250_000

    /// Whether the session may open its comparison. If not, its conversation waits until it is told that it may.
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

    /// The session's comparison is over, or will not be: others' turns come.
    package func passTurn(_ open: OpenSession) {
        let admitted = turns.withLock { $0.leave(open.id, of: open.user) }
        for next in admitted {
            // One that is not in the table any more is about to end, and passes its turn on then.
            guard let waiting = table.withLock({ $0[next] }) else { continue }
            waiting.conversation.withLock { $0.turnCame() }
            waiting.wake()
        }
    }
}
