package import CausewayConversion
package import CausewayJournal
package import CausewayModel
package import CausewayStore
import Synchronization

/// A record that many nodes serve: what it is told goes into a journal, and a replica applies the journal.
///
/// 1. An answer is given when its entry is durable in the journal and applied here.
/// 2. A hello first brings the replica up to the journal's head, so a device that comes from another node finds what it was
///    told there.
/// 3. Versions never go back while this value lives. When the journal has lost entries that the replica has, it ends:
///    `end` says so, every call fails, and the node begins again with another replica.
/// 4. A node that cannot be sure to do what the others do stops, and says why [I3].
package final class StoreReplicated: StoreBackend, OneWayIntake {
    package struct Options: Sendable {
        /// Of the software: an entry that needs a newer one is not applied.
        package var generation: UInt64
        /// At which multiples of positions the state is digested and compared with what other nodes found.
        package var digestEvery: UInt64

        package init(generation: UInt64 = JournalGeneration.newest, digestEvery: UInt64 = 10_000) {
            self.generation = generation
            self.digestEvery = max(digestEvery, 1)
        }
    }

    let journal: any Journal
    let replica: any JournalReplica
    let options: Options
    /// Held while an entry is appended, which takes as long as the journal does. Reading never waits for it.
    private let state: Mutex<Following>
    private let ended = Mutex<ReplicaEnd?>(nil)
    private let applied: Atomic<UInt64>
    private let isHeldUp = Atomic(false)
    private let trouble = Mutex<String?>(nil)
    /// What operators did by entries that were applied, until somebody takes it. As many as there is room for.
    private let acts = Mutex<[OperatorAct]>([])

    package init(
        _ replica: any JournalReplica, following journal: any Journal, options: Options = Options()
    ) throws(StoreFailure) {
        self.journal = journal
        self.replica = replica
        self.options = options
        let mark = try replica.mark
        state = Mutex(Following(mark: mark))
        applied = Atomic(mark.position)
    }

    /// What the journal said when it failed last, for the operator. It may name addresses, so nobody else is told.
    package var lastTrouble: String? { trouble.withLock { $0 } }

    func note(_ failure: JournalFailure) {
        if failure.code != .otherIncarnation { trouble.withLock { $0 = failure.message } }
    }

    /// Why it no longer serves; nil while it does.
    package var end: ReplicaEnd? { ended.withLock { $0 } }

    /// Up to which entry the replica is.
    package var position: UInt64 { applied.load(ordering: .relaxed) }

    func isApplied(through position: UInt64) { applied.store(position, ordering: .relaxed) }

    package var epoch: UInt64 { replica.epoch }

    package var version: ServerVersion { replica.version }

    package func snapshot() throws(StoreFailure) -> any StoreSnapshot {
        if let end { throw StoreFailure(.closed, end.message) }
        return try replica.snapshot()
    }

    /// Applies what other nodes have appended, up to an entry that needs nobody to be there: see `isWaitingToBeAlone`.
    ///
    /// - Parameter countMax: the most entries in this call.
    package func catchUp(atMost countMax: Int = .max) throws(StoreFailure) {
        try following { state throws(StoreFailure) in try follow(&state, atMost: countMax) }
    }

    // MARK: - What operators do

    /// Whether the next entry changes the schema under those who use it. It is applied by `catchUpAlone`, and until then what
    /// would change the record is refused for a moment.
    package var isWaitingToBeAlone: Bool { isHeldUp.load(ordering: .relaxed) }

    /// Applies everything that other nodes have appended. Call it while no session is open.
    package func catchUpAlone() throws(StoreFailure) {
        try following(isAlone: true) { state throws(StoreFailure) in try follow(&state) }
    }

    /// What operators did since this was asked last, on any node, this one included.
    package func takeActs() -> [OperatorAct] {
        acts.withLock { acts in
            defer { acts = [] }
            return acts
        }
    }

    /// The newest are kept. Whoever looks finds the rest in the state.
    static let actsMax = 1_000

    func note(_ act: OperatorAct) {
        acts.withLock { acts in
            if acts.count == Self.actsMax { acts.removeFirst() }
            acts.append(act)
        }
    }

    /// Removes a class or a property on all nodes. Call it while no session is open.
    package func drop(_ className: String, property: String?) throws(StoreFailure) {
        _ = try acted(.drop(className: className, property: property))
    }

    /// Gives a property another type on all nodes. Call it while no session is open.
    package func convert(_ wanted: PropertyConversion) throws(StoreFailure) -> ConversionReport {
        try acted(.convert(wanted)).converted
    }

    /// Forgets what may be forgotten of a client. Its session on another node ends.
    ///
    /// - Returns: nil for a client that is not known.
    package func forget(_ client: ClientID) throws(StoreFailure) -> ForgottenClient? {
        try acted(.forget(client)).forgotten
    }

    package func shutOut(_ shutOut: ShutOut) throws(StoreFailure) { _ = try acted(.shutOut(shutOut)) }

    /// - Returns: whether it was shut out.
    package func letIn(_ subject: ShutOut.Subject) throws(StoreFailure) -> Bool {
        try acted(.letIn(subject)).wasShutOut
    }

    private func acted(_ act: OperatorAct) throws(StoreFailure) -> EntryOutcome {
        try following(isAlone: act.needsNobody) { state throws(StoreFailure) in
            try follow(&state)
            return try journaled(.act(act), &state)
        }
    }

    // MARK: - What changes the record

    package func commit(_ batches: [UploadBatch], receivedAt time: UInt64) throws(StoreFailure) -> [CommitOutcome] {
        try following { state throws(StoreFailure) in
            let commit = JournalEntry.Commit(batches: batches, time: time, shortage: try replica.shortage(at: time))
            // A device's upload is known by its number, and a call by its key. A call without one might happen twice.
            let isRepeatable = batches.allSatisfy { $0.call.map { $0.receipt != nil } ?? true }
            return try journaled(.commit(commit), isRepeatable: isRepeatable, &state).commits
        }
    }

    package func ingest(_ batch: OneWayBatch, receivedAt time: UInt64) throws(StoreFailure) -> UInt64 {
        try following { state throws(StoreFailure) in
            if let shortage = try replica.shortage(at: time) { throw shortage.failure }
            return try journaled(.ingest(JournalEntry.Ingest(batch: batch, time: time)), &state).ingested
        }
    }

    package func accept(_ batch: OneWayBatch, receivedAt time: UInt64) throws(StoreFailure) -> UInt64 {
        try ingest(batch, receivedAt: time)
    }

    package func register(
        _ client: ClientID, user: String, standing: DeviceStanding
    ) throws(StoreFailure) -> ClientRecord {
        try following { state throws(StoreFailure) in
            try follow(&state)
            let registration = JournalEntry.Registration(client: client, user: user, standing: standing)
            if let known = try replica.known(registration) { return known }
            return try journaled(.register(registration), &state).registered
        }
    }

    @discardableResult
    package func extendSchema(_ wanted: Schema, by declarer: Declarer?) throws(StoreFailure) -> SchemaAdditions {
        try decided(.extendSchema(JournalEntry.Declaration(wanted: wanted, declarer: declarer))).additions
    }

    package func requireSchema(_ wanted: Schema, by declarer: Declarer?) throws(StoreFailure) {
        _ = try decided(.requireSchema(JournalEntry.Declaration(wanted: wanted, declarer: declarer)))
    }

    /// See `StoreEmbedded.maintain`. An entry is written only where it would change something.
    package func maintain(at time: UInt64) throws(StoreFailure) -> Bool { try decided(.maintain(time: time)).hasMore }

    /// Settings that all replicas use from here on.
    package func take(_ settings: RecordSettings) throws(StoreFailure) { _ = try decided(.settings(settings)) }

    /// Settings for a journal that has none yet: the first node to come says them.
    ///
    /// Call it while no session is open.
    package func begin(with settings: RecordSettings) throws(StoreFailure) {
        try following(isAlone: true) { state throws(StoreFailure) in
            try compareDigest(isFirst: true, &state)
            try follow(&state)
            if try replica.settings == nil { _ = try journaled(.settings(settings), &state) }
        }
    }

    /// Switches on what a generation of software brings. Nodes of an older one stop here.
    package func switchOn(generation: UInt64) throws(StoreFailure) { _ = try decided(.generation(generation)) }

    /// Journals what would change something; answers the rest by itself.
    func decided(_ body: JournalEntry.Body) throws(StoreFailure) -> EntryOutcome {
        try following { state throws(StoreFailure) in
            try follow(&state)
            if let outcome = try replica.outcomeWithoutEntry(body) { return outcome }
            return try journaled(body, &state)
        }
    }

    /// Runs with the turn to append and apply.
    ///
    /// - Parameter isAlone: whether no session is open.
    private func following<Outcome>(
        isAlone: Bool = false, _ body: (inout Following) throws(StoreFailure) -> Outcome
    ) throws(StoreFailure) -> Outcome {
        try state.withLock { state throws(StoreFailure) in
            try state.refuseIfEnded()
            state.isAlone = isAlone
            defer {
                isHeldUp.store(state.isHeldUp, ordering: .relaxed)
                if let end = state.end { ended.withLock { $0 = end } }
            }
            return try body(&state)
        }
    }
}

extension EntryOutcome {
    fileprivate var commits: [CommitOutcome] {
        get throws(StoreFailure) { if case .commits(let outcomes) = self { outcomes } else { throw failure } }
    }

    fileprivate var ingested: UInt64 {
        get throws(StoreFailure) { if case .ingested(let last) = self { last } else { throw failure } }
    }

    fileprivate var registered: ClientRecord {
        get throws(StoreFailure) { if case .registered(let record) = self { record } else { throw failure } }
    }

    fileprivate var additions: SchemaAdditions {
        get throws(StoreFailure) { if case .additions(let additions) = self { additions } else { throw failure } }
    }

    fileprivate var converted: ConversionReport {
        get throws(StoreFailure) { if case .converted(let report) = self { report } else { throw failure } }
    }

    fileprivate var forgotten: ForgottenClient? {
        get throws(StoreFailure) { if case .forgotten(let forgotten) = self { forgotten } else { throw failure } }
    }

    fileprivate var wasShutOut: Bool {
        get throws(StoreFailure) { if case .letIn(let wasShutOut) = self { wasShutOut } else { throw failure } }
    }

    var removedNext: UInt64? {
        get throws(StoreFailure) { if case .removed(let next) = self { next } else { throw failure } }
    }

    fileprivate var hasMore: Bool {
        get throws(StoreFailure) { if case .maintained(let hasMore) = self { hasMore } else { throw failure } }
    }

    private var failure: StoreFailure {
        guard case .refused(let failure) = self else {
            preconditionFailure("An entry of one kind had the outcome of another.")
        }
        return failure
    }
}
