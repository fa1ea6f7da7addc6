import CausewayJournal
import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded

/// A replica that makes a mistake when it is told to.
///
/// Unchecked: the world is on one thread.
final class FaultyReplica: JournalReplica, @unchecked Sendable {
    private let replica: StoreEmbedded
    private let mutation: Mutation?
    private let journal: MemoryJournal
    private var commits = 0
    /// The body that the next entry's is taken for.
    private var swapped: (position: UInt64, body: JournalEntry.Body)?

    init(_ replica: StoreEmbedded, mutation: Mutation?, journal: MemoryJournal) {
        self.replica = replica
        self.mutation = mutation
        self.journal = journal
    }

    func apply(_ entry: JournalEntry, to mark: JournalMark) throws(StoreFailure) -> EntryOutcome {
        var mistaken = entry
        mistaken.body = planted(entry.body, at: mark.position)
        var outcome = try replica.apply(mistaken, to: mark)
        // Whoever waits for it is told of what they sent.
        if case .commit(let commit) = entry.body, mistaken.body != entry.body {
            outcome = .commits(
                commit.batches.map { CommitOutcome(committed: $0.changesets.last?.sequence ?? 0, version: version) })
        } else if mistaken.body != entry.body, case .commits = outcome {
            outcome = .done
        }
        return outcome
    }

    private func planted(_ body: JournalEntry.Body, at position: UInt64) -> JournalEntry.Body {
        if case .settings(var settings) = body, mutation == .configurationLeaks {
            settings.editedBytesMin += 1
            return .settings(settings)
        }
        if let swapped, swapped.position == position {
            self.swapped = nil
            return swapped.body
        }
        guard case .commit(var commit) = body else { return body }
        commits += 1
        switch mutation {
        case .entrySkipped where commits % 3 == 2:
            return .generation(JournalGeneration.first)
        case .entryAppliedTwice where commits % 3 == 2:
            guard let last = commit.batches.indices.last, var again = commit.batches[last].changesets.last else {
                return body
            }
            again.sequence += 1
            commit.batches[last].changesets.append(again)
            return .commit(commit)
        case .entriesSwapped:
            guard let next = try? journal.read(after: position, limit: 1).first,
                let entry = try? JournalEntry(encoded: next.bytes), case .commit = entry.body
            else { return body }
            swapped = (position + 1, body)
            return entry.body
        default: return body
        }
    }

    // MARK: - As the replica does

    var mark: JournalMark { get throws(StoreFailure) { try replica.mark } }
    var settings: RecordSettings? { get throws(StoreFailure) { try replica.settings } }
    var epoch: UInt64 { replica.epoch }
    var version: ServerVersion { replica.version }

    func digest() throws(StoreFailure) -> JournalHash { try replica.digest() }

    func known(_ registration: JournalEntry.Registration) throws(StoreFailure) -> ClientRecord? {
        try replica.known(registration)
    }

    func outcomeWithoutEntry(_ body: JournalEntry.Body) throws(StoreFailure) -> EntryOutcome? {
        try replica.outcomeWithoutEntry(body)
    }

    var newestArrival: UInt64 { replica.newestArrival }

    func position(of name: String) throws(StoreFailure) -> [UInt8]? { try replica.position(of: name) }

    func shortage(at time: UInt64) throws(StoreFailure) -> StorageShortage? { try replica.shortage(at: time) }

    func snapshot() throws(StoreFailure) -> any StoreSnapshot { try replica.snapshot() }

    func register(
        _ client: ClientID, user: String, standing: DeviceStanding
    ) throws(StoreFailure) -> ClientRecord {
        try replica.register(client, user: user, standing: standing)
    }

    func extendSchema(_ wanted: Schema, by declarer: Declarer?) throws(StoreFailure) -> SchemaAdditions {
        try replica.extendSchema(wanted, by: declarer)
    }

    func requireSchema(_ wanted: Schema, by declarer: Declarer?) throws(StoreFailure) {
        try replica.requireSchema(wanted, by: declarer)
    }

    func commit(_ batches: [UploadBatch], receivedAt time: UInt64) throws(StoreFailure) -> [CommitOutcome] {
        try replica.commit(batches, receivedAt: time)
    }

    func ingest(_ batch: OneWayBatch, receivedAt time: UInt64) throws(StoreFailure) -> UInt64 {
        try replica.ingest(batch, receivedAt: time)
    }
}
