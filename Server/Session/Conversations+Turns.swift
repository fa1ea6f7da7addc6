import Synchronization

// Comparisons in turn. A restored server, and other permissions, resync every device of a fleet at once, and each
// comparison holds digests of its whole view: what they take together is bounded by how many are open.

extension Conversations {
    /// How many comparisons of one database are open at a time.
    package static let comparisonsAtOnce = 8

    /// Whether the session may open its comparison. If not, its conversation waits until it is told that it may.
    func takeTurn(_ open: OpenSession) -> Bool {
        // Under one lock: else the turn could come before the conversation knows that it waits.
        turns.withLock { turns in
            if turns.enter(open.id, of: open.user) { return true }
            open.conversation.withLock { $0.comparisonQueued() }
            return false
        }
    }

    /// The session's comparison is over, or will not be: the next one's turn comes.
    func passTurn(_ open: OpenSession) {
        let next = turns.withLock { $0.leave(open.id, of: open.user) }
        // One that is not in the table any more is about to end, and passes its turn on then.
        guard let next, let waiting = sessions.withLock({ $0[next] }) else { return }
        waiting.conversation.withLock { $0.turnCame() }
        waiting.wake()
    }
}
