import Synchronization

/// A journal in memory: for tests, and for nodes in one process. It is as exact about order, bytes and failures as one in a
/// database.
package final class MemoryJournal: Journal {
    private struct State {
        var head: JournalHead
        /// Those that are kept; the first one is at `begin`.
        var entries: [StoredEntry] = []
        var begin: UInt64 = 1
        /// Of the entry before `begin`.
        var chainBefore: JournalHash
        var digests: [UInt64: JournalHash] = [:]
    }

    private let state: Mutex<State>

    /// - Parameters: two numbers that are drawn; not zero.
    package init(database: UInt64, incarnation: UInt64) {
        let chain = JournalHash.empty(of: database)
        let head = JournalHead(database: database, incarnation: incarnation, position: 0, chain: chain)
        state = Mutex(State(head: head, chainBefore: chain))
    }

    package func head() -> JournalHead { state.withLock { $0.head } }

    package func append(_ entries: [[UInt8]], in incarnation: UInt64) throws(JournalFailure) -> UInt64 {
        try state.withLock { state throws(JournalFailure) in
            guard incarnation == state.head.incarnation else {
                throw JournalFailure(
                    .otherIncarnation, "The journal may have lost entries since. Read its head, and append again.")
            }
            for bytes in entries {
                state.head.position += 1
                state.head.chain = state.head.chain.followed(by: bytes, at: state.head.position)
                state.entries.append(
                    StoredEntry(position: state.head.position, chain: state.head.chain, bytes: bytes))
            }
            return state.head.position
        }
    }

    package func read(after position: UInt64, limit: Int) throws(JournalFailure) -> [StoredEntry] {
        try state.withLock { state throws(JournalFailure) in
            guard position < state.head.position else { return [] }
            guard position + 1 >= state.begin else {
                throw JournalFailure(
                    .forgotten,
                    "The journal begins at entry \(state.begin), and entry \(position + 1) is asked for. Begin from a "
                        + "snapshot.")
            }
            return Array(state.entries.dropFirst(Int(position + 1 - state.begin)).prefix(max(limit, 1)))
        }
    }

    package func note(_ digest: JournalHash, at position: UInt64) -> JournalHash {
        state.withLock { state in
            if let known = state.digests[position] { return known }
            state.digests[position] = digest
            return digest
        }
    }

    // MARK: - What befalls a journal

    /// Forgets entries up to a position, of which a snapshot exists.
    ///
    /// - Parameter chain: the hash that the snapshot has there. One of a past that was lost is no snapshot of this journal.
    /// - Returns: whether it is one.
    package func forget(through position: UInt64, chain: JournalHash) -> Bool {
        state.withLock { state in
            guard position >= state.begin else { return position + 1 == state.begin && chain == state.chainBefore }
            let count = Int(position + 1 - state.begin)
            guard count <= state.entries.count, state.entries[count - 1].chain == chain else { return false }
            state.chainBefore = chain
            state.entries.removeFirst(count)
            state.begin += UInt64(count)
            return true
        }
    }

    /// Loses the newest entries, as a database does that is restored from an older copy, or fails over to a standby that
    /// lagged.
    ///
    /// - Parameter incarnation: drawn for what comes after.
    package func lose(_ count: Int, incarnation: UInt64) {
        state.withLock { state in
            state.entries.removeLast(min(count, state.entries.count))
            state.head.position = state.begin - 1 + UInt64(state.entries.count)
            state.head.chain = state.entries.last?.chain ?? state.chainBefore
            state.head.incarnation = incarnation
            state.digests = state.digests.filter { $0.key <= state.head.position }
        }
    }
}
