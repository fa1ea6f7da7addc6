package import CausewayJournal
import CausewayModel
package import CausewayObjectStore
package import CausewayStore
import Synchronization

extension StoreEmbedded: JournalReplica {
    /// Opens the replica in a folder, or creates one that has applied nothing.
    ///
    /// - Parameters:
    ///   - options: of them only what is the machine's counts; the rest comes from the journal.
    ///   - database: the journal's.
    package static func openReplica(
        folder: String, options: Options = Options(), of database: UInt64
    ) throws(StoreFailure) -> StoreEmbedded {
        // Where no entry has said anything yet, all programs say the same.
        var machine = options
        machine.settings = Options().settings
        let replica = try open(folder: folder, options: machine, epochSeed: database, isReplica: true)
        guard replica.epoch == database else {
            throw StoreFailure(
                .fault,
                "The file in \(folder) is a replica of another database. Move it away: a node makes its replica anew.")
        }
        if let settings = try replica.settings { replica.settingsApplied(settings) }
        return replica
    }

    package var mark: JournalMark {
        get throws(StoreFailure) {
            try read { reading throws(StoreFailure) in
                guard let mark = try JournalMark.load(in: reading) else { throw Self.notReplica }
                return mark
            }
        }
    }

    package var settings: RecordSettings? {
        get throws(StoreFailure) { try read { reading throws(StoreFailure) in try .load(in: reading) } }
    }

    package func digest() throws(StoreFailure) -> JournalHash {
        try read { reading in
            var digest = StateDigest()
            reading.visitContent { digest.add($0) }
            return digest.value
        }
    }

    /// Writes a copy of the replica into another folder, from which a node can begin.
    package func copy(toFolder folder: String) throws(StoreFailure) {
        do {
            try store.copy(to: folder + "/" + Self.fileName)
        } catch {
            throw StoreFailure(error)
        }
    }

    /// Makes a copy of the replica in memory, which can be opened by its folder as long as somebody holds it.
    package func copyInMemory(toFolder folder: String) throws(StoreFailure) -> ObjectStore {
        do {
            return try store.copyInMemory(to: folder + "/" + Self.fileName)
        } catch {
            throw StoreFailure(error)
        }
    }

    static let notReplica = StoreFailure(
        .fault,
        "The database is no replica of a journal. Start the server without the section journal, or move the database there: "
            + "sync-server journal import")

    static let isReplica = StoreFailure(
        .fault,
        "The database is a replica of a journal, and changes by its entries alone. Start the server with that journal, or "
            + "make a database of one server of it: sync-server journal restore")

    // MARK: - What needs no entry

    package func known(_ registration: JournalEntry.Registration) throws(StoreFailure) -> ClientRecord? {
        try peek(registration.client, registration.user, registration.standing)
    }

    package func outcomeWithoutEntry(_ body: JournalEntry.Body) throws(StoreFailure) -> EntryOutcome? {
        switch body {
        case .extendSchema(let declaration) where try isUnchanged(by: declaration):
            return .additions(SchemaAdditions())
        case .extendSchema(let declaration):
            let additions = try rehearse { transaction, _ throws(StoreFailure) in
                try extending(declaration.wanted, by: declaration.declarer, in: transaction)
            }
            if additions != nil { remember(declaration) }
            return additions.map { .additions($0) }
        case .requireSchema(let declaration) where try isUnchanged(by: declaration): return .done
        case .requireSchema(let declaration):
            let required: Void? = try rehearse { transaction, _ throws(StoreFailure) in
                ((), try requiring(declaration.wanted, by: declaration.declarer, in: transaction))
            }
            if required != nil { remember(declaration) }
            return required.map { .done }
        case .maintain(let time):
            let hasMore = try rehearse { transaction, meta throws(StoreFailure) in
                try maintaining(at: time, .rehearsal, in: transaction, &meta)
            }
            return hasMore.map { .maintained(hasMore: $0) }
        case .settings(let wanted): return try settings == wanted ? .done : nil
        case .generation(let wanted): return try mark.generation >= wanted ? .done : nil
        case .keeping(.keepOrder):
            return try rehearse { transaction, _ throws(StoreFailure) in
                ((), try beginOrder(in: transaction) != nil)
            }.map { .done }
        case .keeping(.lift(let sequence)):
            return try rehearse { transaction, _ in ((), lift(above: sequence, in: transaction)) }.map { .done }
        case .keeping(.remove(let due, let time, let start, let countMax)):
            let next: UInt64?? = try rehearse { transaction, meta throws(StoreFailure) in
                try removing(due, at: time, after: start, countMax: countMax, in: transaction, &meta)
            }
            return next.map { .removed(next: $0) }
        case .keeping(.savePosition(let position, let name)):
            return try self.position(of: name) == position ? .done : nil
        // What changes nothing is told to the other nodes all the same.
        case .commit, .ingest, .register, .act: return nil
        }
    }

    /// Whether the schema has all of it, and it was noted as declared not long ago: what most hellos find.
    private func isUnchanged(by declaration: JournalEntry.Declaration) throws(StoreFailure) -> Bool {
        guard let declarer = declaration.declarer,
            !declared.withLock({ $0.isStale(declaration.wanted.nameFingerprint, at: declarer.time) })
        else { return false }
        return try lacksNothing(of: declaration.wanted)
    }

    private func remember(_ declaration: JournalEntry.Declaration) {
        guard let declarer = declaration.declarer else { return }
        declared.withLock { $0.note(declaration.wanted.nameFingerprint, at: declarer.time) }
    }

    /// Runs `body` in the write transaction, and takes back what it did.
    ///
    /// - Returns: nil when it changed anything.
    private func rehearse<Outcome>(
        _ body: (Transaction, inout Meta) throws(StoreFailure) -> (outcome: Outcome, commits: Bool)
    ) throws(StoreFailure) -> Outcome? {
        try write(as: .rehearsal) { transaction, meta throws(StoreFailure) in
            let result = try body(transaction, &meta)
            return (result.commits ? nil : result.outcome, false)
        }
    }
}
