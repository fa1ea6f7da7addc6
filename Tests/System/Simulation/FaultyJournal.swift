import CausewayJournal
import CausewaySeeds

/// The journal as one node reaches it: answers get lost, and sometimes nobody is there.
///
/// Unchecked: the world is on one thread.
final class FaultyJournal: Journal, @unchecked Sendable {
    private let journal: MemoryJournal
    private unowned let world: World
    private unowned let cluster: Cluster

    init(_ cluster: Cluster) {
        journal = cluster.journal
        world = cluster.world
        self.cluster = cluster
    }

    private func reach() throws(JournalFailure) {
        if cluster.isFaulty, world.happens(percent: cluster.plan.awayPercent) {
            throw JournalFailure(.away, "Nobody is there.")
        }
    }

    func head() throws(JournalFailure) -> JournalHead {
        try reach()
        return journal.head()
    }

    func append(_ entries: [[UInt8]], in incarnation: UInt64) throws(JournalFailure) -> UInt64 {
        try reach()
        let isLost = cluster.isFaulty && world.happens(percent: cluster.plan.lostAppendPercent)
        if isLost, world.random.happens(percent: 50) {
            throw JournalFailure(.uncertain, "The answer was lost, and nothing was appended.")
        }
        let last = try journal.append(entries, in: incarnation)
        cluster.noteSchemaChanges(in: entries)
        world.journalGrew()
        if isLost { throw JournalFailure(.uncertain, "The answer was lost, and everything was appended.") }
        return last
    }

    func read(after position: UInt64, limit: Int) throws(JournalFailure) -> [StoredEntry] {
        try reach()
        return try journal.read(after: position, limit: limit)
    }

    func note(_ digest: JournalHash, at position: UInt64) throws(JournalFailure) -> JournalHash {
        try reach()
        return journal.note(digest, at: position)
    }
}
