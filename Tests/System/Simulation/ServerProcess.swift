import CausewaySeeds
import CausewayIngest
import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayOperations
import CausewayQuery
import CausewaySession
import CausewayStore
import CausewayStoreEmbedded
import CausewaySubscriptions
import CausewayWire
import Synchronization

/// The server: the real record, one-way intake and conversations, driven on the world's one thread. It performs what
/// `Conversations` performs with threads and tasks.
final class ServerProcess {
    unowned let world: World
    private var folder: String
    private let options: StoreEmbedded.Options
    /// Keeps the in-memory file alive while the process is gone, and lets the checks look inside.
    private var file: ObjectStore
    /// Everything that made the record what it is, so that an older copy of it can be made.
    private var journal: [Past] = []
    /// An older copy has at least so much of it.
    private var journalBegin = 0
    /// Every opening of the database has a name.
    private var runs: UInt64 = 0
    private(set) var restores = 0
    /// Clients that could not send again all that a restored server lacks.
    private(set) var incomplete: Set<ClientID> = []
    private(set) var record: FaultyRecord
    private var intake: Intake
    private var sessions: [UInt64: ServerSession] = [:]
    /// Another session took their place, which their devices have not been told yet.
    private var replaced: [ServerSession] = []
    private var lastSession: UInt64 = 1_000
    private var turns = Turns(places: ServerProcess.comparisonsAtOnce)
    private var waiting: [(batch: UploadBatch, exchange: Exchange)] = []
    private var isCommitting = false
    /// Calls that were not answered: whoever made them hears of it when the process ends.
    private var unanswered: [ObjectIdentifier: Exchange] = [:]
    private(set) var isUp = true
    /// Numbers the lives of the process: what an earlier one had in mind is gone.
    private var life = 0
    /// How far its clock is off.
    var clockOffset: Int64 = 0
    private(set) var access = ServerAccess()
    /// Every operation that the record ever refused, by its changeset and its place there.
    private(set) var refused: [ClientID: Set<[UInt64]>] = [:]
    /// Every changeset that ever reached the record, for sending it again.
    private(set) var delivered: [ClientID: [Changeset]] = [:]

    private enum Past {
        case opened(run: UInt64)
        case called(FaultyRecord.Change)
    }

    static let limits = SessionLimits(frameBytes: 1 << 20, creditBytes: 6_000, heartbeatMilliseconds: 2_000)
    static let user = "u"
    /// Few, so that devices wait for each other.
    private static let comparisonsAtOnce = 2
    private static let filesMade = Atomic<Int>(0)

    init(_ world: World) throws {
        self.world = world
        folder = Self.newFolder(world.plan.seed)
        options = StoreEmbedded.Options(
            historyVersionsMax: world.plan.historyVersionsMax, refusalBytesMax: 2_000, mapSizeBytes: 1 << 26,
            inMemory: true)
        file = try Self.file(in: folder)
        let opened = try StoreEmbedded.open(folder: folder, options: options, epochSeed: world.plan.seed | 1)
        record = FaultyRecord(opened, mutation: nil, changed: { _ in }, failing: { .not })
        intake = Intake(record)
        let schema = world.plan.schema
        try opened.extendSchema(schema)
        try Self.beginTallies(opened)
        journal = [
            .opened(run: world.plan.seed | 1),
            .called { record throws(StoreFailure) in try record.extendSchema(schema) },
            .called { record throws(StoreFailure) in try Self.beginTallies(record) },
        ]
        journalBegin = journal.count
        begin(opened)
    }

    private static func newFolder(_ seed: UInt64) -> String {
        "simulated-server-\(seed)-\(filesMade.wrappingAdd(1, ordering: .relaxed).newValue)"
    }

    private static func file(in folder: String) throws -> ObjectStore {
        try ObjectStore.open(
            path: folder + "/database.causeway",
            options: ObjectStore.Options(inMemory: true, mapSizeBytes: 1 << 26))
    }

    private func begin(_ opened: StoreEmbedded) {
        record = FaultyRecord(
            opened, mutation: world.mutation,
            changed: { [unowned self] in journal.append(.called($0)) },
            failing: { [unowned world] in world.recordFails() })
        intake = Intake(record)
    }

    /// Sums that all devices add to, and that nobody ever sets.
    private static func beginTallies(_ record: any StoreBackend) throws(StoreFailure) {
        let client = ClientID(3)
        _ = try record.register(client, user: user)
        let creates = SimulationSchema.tallies.map { name in
            Operation.create(
                ObjectReference("Tally", .string(name)), life: 1,
                fields: [FieldValue("sum", .int(0), isDefault: true)])
        }
        let stamp = Stamp(time: (World.beginning - 1_000) << 16, client: client)
        let changeset = Changeset(client: client, sequence: 1, stamp: stamp, base: .zero, operations: creates)
        _ = try record.commit(
            [UploadBatch(client: client, user: user, changesets: [changeset])], receivedAt: World.beginning)
    }

    var clock: UInt64 { UInt64(clamping: Int64(world.now) + clockOffset) }

    // MARK: - The process

    /// Ends at once: sessions, waiting uploads and everything that was not committed are gone.
    func crash() {
        guard isUp else { return }
        world.story.note("the server dies")
        isUp = false
        life += 1
        waiting = []
        isCommitting = false
        for session in (sessions.values + replaced).sorted(by: { $0.id < $1.id }) { session.vanish() }
        sessions = [:]
        replaced = []
        turns = Turns(places: Self.comparisonsAtOnce)
        let lost = unanswered.values.sorted { $0.number < $1.number }
        unanswered = [:]
        for exchange in lost { world.fail(exchange) }
        world.after(UInt64(1 + world.random.below(800))) { [self] in try start() }
    }

    func start() throws {
        guard !isUp else { return }
        runs += 1
        let run = (world.plan.seed | 1) &+ 2 * runs
        journal.append(.opened(run: run))
        begin(try StoreEmbedded.open(folder: folder, options: options, epochSeed: run))
        isUp = true
        world.story.note("the server is back, at version \(record.version.rawValue)")
    }

    /// The operator copies back what the folder was some calls of the record ago. The record gives one outcome for one
    /// order of calls, so the copy is made by calling it again.
    func restore(callsLost: Int) throws {
        crash()
        let before = record.version
        journal.removeLast(min(callsLost, journal.count - journalBegin))
        folder = Self.newFolder(world.plan.seed)
        file = try Self.file(in: folder)
        var copy: StoreEmbedded?
        for past in journal {
            switch past {
            case .opened(let run): copy = try StoreEmbedded.open(folder: folder, options: options, epochSeed: run)
            // One that failed failed then as well.
            case .called(let change): if let copy { try? change(copy) }
            }
        }
        restores += 1
        world.story.note("the server is restored: version \(before.rawValue) → \(copy?.version.rawValue ?? 0)")
    }

    /// Ends as a server does that is asked to: every device is told.
    func restartGracefully() throws {
        guard isUp else { return }
        world.story.note("the server ends for maintenance")
        for session in sessions.values.sorted(by: { $0.id < $1.id }) {
            session.end(SyncFailure(.serverEnding, "The server ends for maintenance."))
        }
        world.after(30) { [self] in crash() }
    }

    /// The operator permits something else from now on, also if the process is down.
    func changeRules() throws {
        let change = try access.change(&world.random)
        world.story.note("\(change)")
        for session in sessions.values.sorted(by: { $0.id < $1.id }) {
            session.governed(by: access.permissions(of: session.client))
        }
    }

    /// Runs unless the process ended meanwhile.
    func after(_ milliseconds: UInt64, _ body: @escaping () throws -> Void) {
        let life = life
        world.after(milliseconds) { [self] in
            guard life == self.life else { return }
            if world.crashesHere() { return crash() }
            try body()
        }
    }

    // MARK: - Requests

    /// A request whose end never came must not be taken for a whole one.
    func receiveCut(_ route: Route, _ bytes: [UInt8]) throws {
        do throws(SyncFailure) {
            switch route {
            case .session: _ = try WireCodec.decode(Hello.self, body: bytes)
            case .upload: _ = try WireCodec.decode(UploadRequest.self, body: bytes)
            case .subscriptions: _ = try WireCodec.decode(SubscriptionsRequest.self, body: bytes)
            case .mark: _ = try WireCodec.decode(MarkRequest.self, body: bytes)
            case .credit: _ = try WireCodec.decode(CreditRequest.self, body: bytes)
            case .resync: _ = try WireCodec.decode(ResyncRequest.self, body: bytes)
            case .ingest: _ = try WireCodec.decode(IngestBatch.self, body: bytes)
            }
        } catch {
            return
        }
        throw Divergence("[I10] \(bytes.count) bytes of a cut \(route) were read as a whole one")
    }

    func receive(_ route: Route, _ bytes: [UInt8], isTokenValid: Bool, _ exchange: Exchange) throws {
        guard isUp else { return }
        if world.crashesHere() {
            crash()
            return world.fail(exchange)
        }
        unanswered[ObjectIdentifier(exchange)] = exchange
        do throws(SyncFailure) {
            guard isTokenValid else { throw SyncFailure(.tokenExpired, "The token has expired.") }
            switch route {
            case .session: answer(try open(WireCodec.decode(Hello.self, body: bytes)), exchange)
            case .upload: try upload(WireCodec.decode(UploadRequest.self, body: bytes), exchange)
            case .subscriptions:
                let request = try WireCodec.decode(SubscriptionsRequest.self, body: bytes)
                try find(request.session).wants(request.wanted)
                answer(Accepted(), exchange)
            case .mark:
                let request = try WireCodec.decode(MarkRequest.self, body: bytes)
                if world.mutation != .markNeverAnswered { try find(request.session).marked(request.mark) }
                answer(Accepted(), exchange)
            case .credit:
                let request = try WireCodec.decode(CreditRequest.self, body: bytes)
                sessions[request.session]?.credited(request.bytes)
                answer(Accepted(), exchange)
            case .resync:
                let request = try WireCodec.decode(ResyncRequest.self, body: bytes)
                try find(request.session).answered(request.number, request.reports)
                answer(Accepted(), exchange)
            case .ingest: answer(try ingest(WireCodec.decode(IngestBatch.self, body: bytes)), exchange)
            }
        } catch {
            let refusal = Exchange.Answer(refusal: error)
            world.story.note("the server refuses a \(route): \(error.code.rawValue) \(error.message)")
            answer(refusal, exchange)
        }
    }

    private func answer(_ message: some WireMessage, _ exchange: Exchange) {
        answer(Exchange.Answer(message), exchange)
    }

    private func answer(_ answer: Exchange.Answer, _ exchange: Exchange) {
        unanswered[ObjectIdentifier(exchange)] = nil
        world.answer(answer, to: exchange)
    }

    private func find(_ session: UInt64) throws(SyncFailure) -> ServerSession {
        guard let found = sessions[session] else {
            throw SyncFailure(.sessionUnknown, "This session does not exist or has ended.")
        }
        return found
    }

    // MARK: - Hello

    private func open(_ hello: Hello) throws(SyncFailure) -> Welcome {
        let checkpoint = hello.checkpoint
        guard checkpoint.epoch == record.epoch || checkpoint.isBeforeFirst else {
            throw SyncFailure(.epochChanged, "The checkpoint is not of this database.")
        }
        let known: ClientRecord
        var isLost = false
        var isStagedKnown = false
        do throws(StoreFailure) {
            // Noted before it is told: the record may fail behind its commit.
            if hello.oldest > (try record.record.snapshot().committed(by: hello.client)) + 1 {
                incomplete.insert(hello.client)
            }
            known = try record.register(
                hello.client, user: Self.user,
                standing: DeviceStanding(
                    oldest: hello.oldest, oldestOneWay: hello.oldestOneWay, acknowledged: checkpoint.acknowledged))
            try record.extendSchema(hello.schema, by: Declarer(user: Self.user, time: 0))
            let snapshot = try record.snapshot()
            isStagedKnown = try hello.isStagedKnown(to: snapshot, epoch: record.epoch)
            isLost = try hello.isLost(to: snapshot, record: known, isStagedKnown: isStagedKnown)
        } catch {
            throw SyncFailure(error)
        }
        var hello = hello
        hello.checkpoint.acknowledged = min(checkpoint.acknowledged, known.committed)
        hello.checkpoint.opening = known.openings.id(of: hello.checkpoint.acknowledged) ?? 0
        for session in sessions.values where session.client == hello.client {
            session.end(SyncFailure(.sessionUnknown, "The same client opened a newer session, which replaces this."))
            sessions[session.id] = nil
            replaced.append(session)
        }
        lastSession += 1
        let session = ServerSession(
            lastSession, hello, isLost: isLost, awaited: checkpoint.acknowledged, isStagedKnown: isStagedKnown, self)
        sessions[lastSession] = session
        world.story.note(
            "session \(lastSession) of client \(hello.client.rawValue % 16): at \(checkpoint.version.rawValue) with queries "
                + "\(hello.held.version), wants \(hello.wanted.version), committed \(known.committed)\(isLost ? ", lost" : "")"
                + (session.resumes ? ", goes on at \(hello.staged?.checkpoint.version.rawValue ?? 0)" : "")
        )
        return Welcome(
            session: lastSession, protocolVersion: Conversations.protocolVersions.upperBound, epoch: record.epoch,
            serverTime: clock, limits: Self.limits, committed: known.committed, ingested: known.ingested,
            skipped: known.skipped, resumes: session.resumes, openings: known.openings,
            oneWayOpenings: known.oneWayOpenings)
    }

    /// Where the messages of a session go from now on.
    func download(_ id: UInt64, into stream: DownloadStream) {
        stream.begin()
        guard isUp, let session = sessions[id] else {
            stream.send(WireCodec.encode(DownloadMessage.end(SyncFailure(.sessionUnknown, "It has ended."))))
            return stream.end()
        }
        session.begin(stream)
    }

    func close(_ session: ServerSession) {
        if sessions[session.id] === session { sessions[session.id] = nil }
        replaced.removeAll { $0 === session }
        passTurn(session)
    }

    func takeTurn(_ session: ServerSession) -> Bool { turns.enter(session.id, of: Self.user) }

    func isTurnAwaited(_ session: ServerSession) -> Bool { turns.isAwaited(session.id) }

    func passTurn(_ session: ServerSession) {
        for next in turns.leave(session.id, of: Self.user) { sessions[next]?.turnCame() }
    }

    func endSession(of client: ClientID, _ failure: SyncFailure) {
        for session in sessions.values where session.client == client { session.end(failure) }
    }

    // MARK: - Uploads

    private func upload(_ request: UploadRequest, _ exchange: Exchange) throws(SyncFailure) {
        let session = try find(request.session)
        for changeset in request.changesets where changeset.client != session.client {
            throw SyncFailure(.permissionDenied, "A changeset was made by another client.")
        }
        guard let first = request.changesets.first, let last = request.changesets.last else {
            throw SyncFailure(.messageMalformed, "An upload carries no changeset.")
        }
        world.story.tell(
            .arrived, "an upload of client \(session.client.rawValue % 16): \(first.sequence)…\(last.sequence)")
        waiting.append(
            (
                UploadBatch(
                    client: session.client, user: Self.user, permissions: access.permissions(of: session.client),
                    changesets: request.changesets), exchange
            ))
        guard !isCommitting else { return }
        isCommitting = true
        after(UInt64(world.random.below(4))) { [self] in commitAll() }
    }

    /// What waits is committed together, as the server's commit queue does.
    private func commitAll() {
        isCommitting = false
        let group = waiting
        waiting = []
        let before = record.version
        let result = Result { () throws(StoreFailure) in
            try record.commit(group.map(\.batch), receivedAt: clock)
        }
        for (batch, _) in group {
            delivered[batch.client, default: []] += batch.changesets
            rememberRefusals(of: batch.client)
        }
        switch result {
        case .failure(let failure):
            world.story.note("the record fails: \(failure.code.name) \(failure.message)")
            for (_, exchange) in group { answer(Exchange.Answer(refusal: SyncFailure(failure)), exchange) }
        case .success(let outcomes):
            for (upload, outcome) in zip(group, outcomes) {
                let client = upload.batch.client.rawValue % 16
                world.story.tell(.merged, "changesets of client \(client), committed \(outcome.committed)")
                world.story.tell(.versioned, "\(before.rawValue) → \(outcome.version.rawValue)")
                answer(
                    UploadAnswer(committed: outcome.committed, failure: outcome.failure.map { SyncFailure($0) }),
                    upload.exchange)
            }
        }
        if world.crashesHere() { return crash() }
        for session in sessions.values.sorted(by: { $0.id < $1.id }) { session.wake() }
    }

    /// Also of a commit that failed after it was written: what it refused is refused.
    private func rememberRefusals(of client: ClientID) {
        guard access.wasRestricted, let snapshot = try? record.record.snapshot(),
            let refusals = try? snapshot.refusals(of: client, after: 0, through: snapshot.committed(by: client))
        else { return }
        for refusal in refusals { refused[client, default: []].insert([refusal.sequence, UInt64(refusal.operation)]) }
    }

    private func ingest(_ batch: IngestBatch) throws(SyncFailure) -> IngestAnswer {
        do throws(StoreFailure) {
            let oneWay = OneWayBatch(
                client: batch.client, user: Self.user, permissions: access.permissions(of: batch.client),
                first: batch.first, entries: batch.entries, opening: batch.opening)
            let through = try intake.accept(oneWay, receivedAt: clock)
            world.story.note(
                "the server keeps one-way entries of client \(batch.client.rawValue % 16) through \(through)")
            return IngestAnswer(acknowledged: through)
        } catch {
            throw SyncFailure(error)
        }
    }

    // MARK: - What the checks ask

    /// Whether every session has been told everything.
    var isQuiet: Bool {
        isUp && waiting.isEmpty && sessions.values.allSatisfy { $0.isQuiet(newest: record.version) }
    }

    /// Whether the record has had this version, and not another one of the same number.
    func knows(_ state: ReplicaState) throws -> Bool {
        let snapshot = try record.record.snapshot()
        return try snapshot.lineage().knows(state.version, of: state.incarnation, newest: snapshot.version)
            && state.acknowledged <= snapshot.committed(by: state.client)
    }

    /// What a resync would tell a device, but for lists: the record knows places of removed elements that a device was
    /// never told of while it held the list as an empty one, and then tells the object once more.
    func resync(_ device: DeviceProcess) throws -> [String] {
        let state = try device.file.state(device.replica)
        let held = device.file.queries(state.querySet)
        let comparison = try ViewComparison(
            record.record.snapshot(), schema: device.file.schema, wanted: held.texts,
            under: access.permissions(of: device.file.client), isHeld: true, for: device.file.client,
            told: state.acknowledged, seed: world.plan.seed)
        while let question = comparison.question() {
            guard try comparison.take(device.file.digests(DigestQuestion(question), device.replica)) else {
                throw Divergence("an answer to digests fits no question")
            }
        }
        let part = try comparison.difference().next(bytesMax: .max)
        let hasLists = part.entered.contains { $0.state.lists.contains { !$0.list.isEmpty } }
        let entered = part.entered.map(\.object) + part.enteredRuns.flatMap { $0.objects.map(\.object) }
        return (hasLists ? [] : entered.map { "enter \(brief($0))" }) + part.left.map { "leave \(brief($0.object))" }
            + part.deleted.map { "delete \(brief($0.object))" }
    }

    /// A fresh run of queries: what a device that wants them must hold, under its schema and rules.
    func content(
        of queries: QuerySet, for device: DeviceProcess
    ) throws -> [String: [PrimaryKey: Picture]] {
        let rules = access.rules(of: device.file.client)
        return try read { transaction in
            var content: [String: [PrimaryKey: Picture]] = [:]
            for declared in device.file.schema.classes where declared.kind == .object {
                let predicates = try queries.queries.filter { $0.className == declared.name }.map {
                    try Predicate.parse(rules.query($0)).bound(to: declared.name, in: transaction.schema)
                }
                guard !predicates.isEmpty else { continue }
                let keys = try transaction.keys(declared.name, matching: .or(predicates))
                let known = Set(declared.properties.map(\.name))
                var pictures = transaction.pictures(declared.name, keys).mapValues { $0.restricted(to: known) }
                for property in declared.properties {
                    guard let rule = rules.properties[declared.name]?[property.name] else { continue }
                    let open = try Predicate.parse(rule).bound(to: declared.name, in: transaction.schema)
                    let shown = try transaction.pictures(declared.name, transaction.keys(declared.name, matching: open))
                    for key in pictures.keys where shown[key] == nil { pictures[key]?.empty(property) }
                }
                content[declared.name] = pictures
            }
            return content
        }
    }

    /// Where its file contradicts itself.
    func problems() throws -> [String] { try file.verify().problems.map { "\($0)" } }

    func read<R>(_ body: (Transaction) throws -> R) throws -> R {
        let transaction = try file.read()
        defer { transaction.end() }
        return try body(transaction)
    }
}
