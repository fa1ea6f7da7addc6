import CausewayJournal
import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import CausewayStoreReplicated
import Synchronization

/// A journal in memory and nodes that follow it, each with a configuration of its own.
final class Replicas {
    let journal = MemoryJournal(database: 5, incarnation: 11)
    private let name = "replicas-\(UInt64.random(in: 0...UInt64.max))"
    private var folders = 0

    struct Node {
        let folder: String
        let replica: StoreEmbedded
        let record: StoreReplicated
    }

    /// - Parameters:
    ///   - folder: of a replica that there is; nil begins a new one.
    ///   - through: the journal as the node reaches it.
    func node(
        _ folder: String? = nil, options: StoreEmbedded.Options = StoreEmbedded.Options(),
        _ record: StoreReplicated.Options = StoreReplicated.Options(digestEvery: 4), through: (any Journal)? = nil
    ) throws -> Node {
        var options = options
        (options.inMemory, options.mapSizeBytes) = (true, 1 << 26)
        let folder = folder ?? newFolder()
        let replica = try StoreEmbedded.openReplica(folder: folder, options: options, of: 5)
        return Node(
            folder: folder, replica: replica,
            record: try StoreReplicated(replica, following: through ?? journal, options: record))
    }

    func newFolder() -> String {
        folders += 1
        return "\(name)-\(folders)"
    }
}

extension Replicas.Node {
    /// A changeset of one operation by the client, behind everything that it has sent.
    func write(_ client: ClientID, at time: UInt64, _ operations: Operation...) throws -> CommitOutcome {
        let known = try record.register(client, user: "user")
        let changeset = Changeset(
            client: client, sequence: known.committed + 1, stamp: Stamp(time: time << 16, client: client),
            base: record.version, operations: operations)
        return try record.commit(
            [UploadBatch(client: client, user: "user", changesets: [changeset])], receivedAt: time)[0]
    }
}

/// A journal that fails when it is told to.
final class FailingJournal: Journal {
    enum Failing { case not, away, uncertainBefore, uncertainAfter }

    private let journal: MemoryJournal
    private let failing = Mutex<[Failing]>([])

    init(_ journal: MemoryJournal) { self.journal = journal }

    /// What becomes of the next appends.
    func fail(_ appends: Failing...) { failing.withLock { $0 = appends } }

    func head() -> JournalHead { journal.head() }

    func append(_ entries: [[UInt8]], in incarnation: UInt64) throws(JournalFailure) -> UInt64 {
        let fate = failing.withLock { $0.isEmpty ? .not : $0.removeFirst() }
        switch fate {
        case .not: break
        case .away: throw JournalFailure(.away, "Nobody is there.")
        case .uncertainBefore: throw JournalFailure(.uncertain, "Nothing was appended.")
        case .uncertainAfter:
            _ = try journal.append(entries, in: incarnation)
            throw JournalFailure(.uncertain, "Everything was appended.")
        }
        return try journal.append(entries, in: incarnation)
    }

    func read(after position: UInt64, limit: Int) throws(JournalFailure) -> [StoredEntry] {
        try journal.read(after: position, limit: limit)
    }

    func note(_ digest: JournalHash, at position: UInt64) -> JournalHash { journal.note(digest, at: position) }
}
