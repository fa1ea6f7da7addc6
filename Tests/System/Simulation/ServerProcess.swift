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
import CausewayStoreReplicated
import CausewaySubscriptions
import CausewaySyncedFile
import CausewayWire
import Synchronization

/// The server: the product's record, intake and sessions, called on the world's one thread where `Conversations` calls
/// them with threads and tasks.
final class ServerProcess {
    unowned let world: World
    let ledger: ServerLedger
    /// What it has as one of several nodes; nil for the only server.
    var node: Node?
    var folder: String
    private let options: StoreEmbedded.Options
    /// Keeps the in-memory file alive while the process is gone, and lets the checks look inside.
    var file: ObjectStore
    /// Everything that made the record what it is, so that an older copy of it can be made.
    private var journal: [Past] = []
    /// An older copy has at least so much of it.
    private var journalBegin = 0
    /// Every opening of the database has a name.
    private var runs: UInt64 = 0
    private(set) var record: FaultyRecord
    private(set) var sessions: Sessions
    private var commits: CommitLine
    private var downloads: [UInt64: ServerDownload] = [:]
    private var lastSession: UInt64 = 1_000
    /// Downloads whose bells have rung since somebody looked.
    private var rung: Set<UInt64> = []
    /// What looks at the commits missed.
    private(set) var looksWrong: [String] = []
    /// Whose changesets the commit that runs has.
    private var committing: Set<ClientID> = []
    private var uploadsWaiting = 0
    /// Calls that were not answered: whoever made them hears of it when the process ends.
    private var unanswered: [ObjectIdentifier: Exchange] = [:]
    private(set) var isUp = true
    /// Numbers the lives of the process: what an earlier one had in mind is gone.
    private var life = 0
    /// How far its clock is off.
    var clockOffset: Int64 = 0
    var access: ServerAccess { ledger.access }

    private enum Past {
        case opened(run: UInt64)
        case called(FaultyRecord.Change)
    }

    static let user = "u"
    /// Few, so that devices wait for each other.
    private static let comparisonsAtOnce = 2
    private static let filesMade = Atomic<Int>(0)

    static func options(_ plan: Plan) -> StoreEmbedded.Options {
        StoreEmbedded.Options(
            historyVersionsMax: plan.historyVersionsMax, editedBytesMin: plan.editedBytesMin, refusalBytesMax: 2_000,
            mapSizeBytes: 1 << 26, inMemory: true)
    }

    /// - Parameters:
    ///   - number: of the node, from zero.
    ///   - cluster: nil for the only server.
    init(_ world: World, _ ledger: ServerLedger, number: Int = 0, of cluster: Cluster? = nil) throws {
        self.world = world
        self.ledger = ledger
        folder = Self.newFolder(world.plan.seed)
        options = Self.options(world.plan)
        lastSession = 1_000 + 1_000_000 * UInt64(number)
        file = try Self.file(in: folder)
        let opened: any StoreBackend & OneWayIntake
        if let cluster {
            let node = try Self.node(number, of: cluster, in: folder, generation: cluster.generation)
            try node.record.begin(with: cluster.settings)
            opened = node.record
            self.node = node
        } else {
            opened = try StoreEmbedded.open(folder: folder, options: options, epochSeed: world.plan.seed | 1)
        }
        record = FaultyRecord(opened, mutation: nil, changed: { _ in }, committing: { _ in }, failing: { .not })
        sessions = Sessions(backend: record, intake: Intake(record), now: { 0 })
        commits = CommitLine(backend: record, now: { 0 })
        let schema = world.plan.schema
        if number == 0 {
            try opened.extendSchema(schema)
            try Self.beginTallies(opened)
        }
        journal = [
            .opened(run: world.plan.seed | 1),
            .called { record throws(StoreFailure) in try record.extendSchema(schema) },
            .called { record throws(StoreFailure) in try Self.beginTallies(record) },
        ]
        journalBegin = journal.count
        begin(opened)
    }

    static func newFolder(_ seed: UInt64) -> String {
        "simulated-server-\(seed)-\(filesMade.wrappingAdd(1, ordering: .relaxed).newValue)"
    }

    static func file(in folder: String) throws -> ObjectStore {
        try ObjectStore.open(
            path: folder + "/database.causeway",
            options: ObjectStore.Options(inMemory: true, mapSizeBytes: 1 << 26))
    }

    func begin(_ opened: any StoreBackend) {
        let isOne = node == nil
        record = FaultyRecord(
            opened, mutation: world.mutation,
            changed: { [unowned self] in if isOne { journal.append(.called($0)) } },
            committing: { [unowned self] in note($0) },
            failing: { [unowned world] in world.recordFails() })
        let here = OneThread(self)
        let limits = SessionLimits(
            frameBytes: 1 << 20, creditBytes: world.plan.creditBytes, heartbeatMilliseconds: 2_000)
        sessions = Sessions(
            backend: record, intake: Intake(record), limits: limits, comparisonsAtOnce: Self.comparisonsAtOnce,
            names: { here.part.nextSession() },
            lookChecks: LookChecks(isDue: { true }, report: { here.part.looksWrong.append($0) }),
            stepEnd: { here.part.stepEnd() }, now: { here.part.clock })
        commits = CommitLine(backend: record, now: { here.part.clock })
        poll()
    }

    private func nextSession() -> UInt64 {
        lastSession += 1
        return lastSession
    }

    /// Mostly a piece of work is done before it has to give way; some are not.
    private func stepEnd() -> StepEnd {
        guard world.happens(percent: 15) else { return StepEnd { false } }
        let looksLeft = Atomic(3 + world.random.below(8))
        return StepEnd { looksLeft.wrappingSubtract(1, ordering: .relaxed).newValue < 0 }
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
        world.story.note("\(name) dies")
        isUp = false
        life += 1
        for download in downloads.values.sorted(by: { $0.id < $1.id }) { download.vanish() }
        downloads = [:]
        rung = []
        uploadsWaiting = 0
        let lost = unanswered.values.sorted { $0.number < $1.number }
        unanswered = [:]
        for exchange in lost { world.fail(exchange) }
        world.after(UInt64(1 + world.random.below(800))) { [self] in try start() }
    }

    func start() throws {
        guard !isUp else { return }
        if let node {
            isUp = true
            return try startNode(node)
        }
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
        if let node { return world.loseTail(of: node.cluster) }
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
        ledger.restores += 1
        world.story.note("the server is restored: version \(before.rawValue) → \(copy?.version.rawValue ?? 0)")
    }

    /// Ends as a server does that is asked to: every device is told.
    func restartGracefully() throws {
        guard isUp else { return }
        world.story.note("\(name) ends for maintenance")
        sessions.end(SyncFailure(.serverEnding, "The server ends for maintenance."))
        answerBells()
        world.after(30) { [self] in crash() }
    }

    /// The operator permits something else from now on.
    func rulesChanged() {
        guard isUp else { return }
        sessions.reconsider()
        answerBells()
    }

    /// Runs unless the process ended meanwhile.
    func after(_ milliseconds: UInt64, _ body: @escaping () throws -> Void) {
        let life = life
        world.after(milliseconds) { [self] in
            guard life == self.life else { return }
            if world.crashesHere() { return crash() }
            try body()
            answerBells()
        }
    }

    /// Whoever was rung for looks what there is to do: in the order of their ids, whatever order they were rung for in.
    private func answerBells() {
        endIfRecordEnded()
        let due = rung.sorted()
        rung = []
        for session in due { downloads[session]?.wake() }
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
            if let answer = try perform(route, bytes, exchange) { self.answer(answer, exchange) }
        } catch {
            world.story.note("the server refuses a \(route): \(error.code.rawValue) \(error.message)")
            answer(Exchange.Answer(refusal: error), exchange)
        }
        answerBells()
    }

    /// - Returns: nil for what is answered later.
    private func perform(
        _ route: Route, _ bytes: [UInt8], _ exchange: Exchange
    ) throws(SyncFailure) -> Exchange.Answer? {
        let user = Self.user
        switch route {
        case .session: return Exchange.Answer(try open(WireCodec.decode(Hello.self, body: bytes)))
        case .upload:
            try upload(WireCodec.decode(UploadRequest.self, body: bytes), exchange)
            return nil
        case .subscriptions:
            let request = try WireCodec.decode(SubscriptionsRequest.self, body: bytes)
            try sessions.want(request.session, user: user, request.wanted)
        case .mark:
            let request = try WireCodec.decode(MarkRequest.self, body: bytes)
            if world.mutation != .markNeverAnswered {
                try sessions.mark(request.session, user: user, id: request.mark)
            }
        case .credit:
            let request = try WireCodec.decode(CreditRequest.self, body: bytes)
            try sessions.credit(request.session, user: user, bytes: request.bytes)
        case .resync: try sessions.digests(WireCodec.decode(ResyncRequest.self, body: bytes), user: user)
        case .ingest: return Exchange.Answer(try ingest(WireCodec.decode(IngestBatch.self, body: bytes)))
        }
        return Exchange.Answer(Accepted())
    }

    private func answer(_ answer: Exchange.Answer, _ exchange: Exchange) {
        unanswered[ObjectIdentifier(exchange)] = nil
        world.answer(answer, to: exchange)
    }

    // MARK: - Hello

    private func open(_ hello: Hello) throws(SyncFailure) -> Welcome {
        let client = hello.client
        let here = OneThread(self)
        let arrival = try sessions.admit(
            hello, user: Self.user,
            access: Access(expires: 0, claims: 0) { here.part.access.permissions(of: client) })
        let finding: Sessions.Finding
        do throws(StoreFailure) {
            // Noted before it is told: the record may fail behind its commit.
            if let node {
                try node.record.catchUp()
                rememberRefusals(of: client)
            }
            if hello.oldest > (try record.record.snapshot().committed(by: client)) + 1 {
                ledger.incomplete.insert(client)
            }
            finding = try sessions.look(arrival)
        } catch {
            throw SyncFailure(error)
        }
        let welcome = try sessions.open(arrival, finding)
        world.story.note(
            "session \(welcome.session) of client \(client.rawValue % 16): at \(hello.checkpoint.version.rawValue) with "
                + "queries \(hello.held.version), wants \(hello.wanted.version), committed \(welcome.committed)"
                + (finding.isLost ? ", lost" : "")
                + (welcome.resumes ? ", goes on at \(hello.staged?.checkpoint.version.rawValue ?? 0)" : ""))
        return welcome
    }

    /// Where the messages of a session go from now on.
    func download(_ id: UInt64, into stream: DownloadStream) {
        stream.begin()
        let here = OneThread(self)
        do throws(SyncFailure) {
            guard isUp else { throw SyncFailure(.sessionUnknown, "It has ended.") }
            let work = try sessions.download(
                id, user: Self.user, outlet: DownloadOutlet { here.part.downloads[id]?.offer($0) }
            ) {
                here.part.rung.insert(id)
            }
            downloads[id] = ServerDownload(work, stream, self)
            downloads[id]?.wake()
        } catch {
            stream.send(WireCodec.encode(DownloadMessage.end(error)))
            stream.end()
        }
    }

    func close(_ download: ServerDownload) {
        if downloads[download.id] === download { downloads[download.id] = nil }
        sessions.close(download.work)
        download.work.forget()
        sessions.passTurn(download.work.open)
    }

    func endSession(of client: ClientID, _ failure: SyncFailure) {
        for download in downloads.values.sorted(by: { $0.id < $1.id }) where download.work.open.client == client {
            download.end(failure)
        }
    }

    // MARK: - Uploads

    private func upload(_ request: UploadRequest, _ exchange: Exchange) throws(SyncFailure) {
        var batch = try sessions.batch(request.session, user: Self.user, request.changesets)
        guard let first = batch.changesets.first, let last = batch.changesets.last else {
            throw SyncFailure(.messageMalformed, "An upload carries no changeset.")
        }
        world.story.tell(
            .arrived, "an upload of client \(batch.client.rawValue % 16): \(first.sequence)…\(last.sequence)")
        let failure = try ledger.obstinacy.parts(&batch, world)
        let client = batch.client
        let (here, ended) = (OneThread(self), Once(exchange))
        uploadsWaiting += 1
        let starts = commits.add(batch) {
            here.part.lookSoon()
        } answer: { result in
            here.part.committed(client, result, failure, ended.value)
        }
        if starts { commitSoon() }
    }

    /// Has the server look whom the commits concern: mostly at once, sometimes when more was committed.
    func lookSoon() {
        guard sessions.committed() else { return }
        after(world.isCalm ? 1 : UInt64(world.random.below(5))) { [self] in sessions.look() }
    }

    private func commitSoon() {
        after(UInt64(world.random.below(4))) { [self] in
            let more = commits.commitGroup()
            for client in committing.sorted(by: { $0.rawValue < $1.rawValue }) { rememberRefusals(of: client) }
            committing = []
            if world.crashesHere() { return crash() }
            if more { commitSoon() }
        }
    }

    /// What a commit is about to be made of.
    private func note(_ batches: [UploadBatch]) {
        for batch in batches {
            ledger.delivered[batch.client, default: []] += batch.changesets
            committing.insert(batch.client)
        }
        world.story.tell(.merged, "changesets of clients \(batches.map { $0.client.rawValue % 16 })")
    }

    /// - Parameter failure: why no more than the batch was taken.
    private func committed(
        _ client: ClientID, _ result: Result<CommitOutcome, StoreFailure>, _ failure: SyncFailure?, _ exchange: Exchange
    ) {
        uploadsWaiting -= 1
        if case .success(let outcome) = result {
            world.story.tell(
                .versioned,
                "\(outcome.version.rawValue), with client \(client.rawValue % 16) through \(outcome.committed)")
        }
        do throws(SyncFailure) {
            var uploaded = try UploadAnswer(result)
            uploaded.failure = uploaded.failure ?? failure
            answer(Exchange.Answer(uploaded), exchange)
        } catch {
            world.story.note("the record fails: \(error.code) \(error.message)")
            answer(Exchange.Answer(refusal: error), exchange)
        }
    }

    /// Also of a commit that failed after it was written: what it refused is refused.
    func rememberRefusals(of client: ClientID) {
        guard access.wasRestricted || wasObstinate, let snapshot = try? record.record.snapshot(),
            let refusals = try? snapshot.refusals(of: client, after: 0, through: snapshot.committed(by: client))
        else { return }
        for refusal in refusals {
            ledger.refused[client, default: []].insert([refusal.sequence, UInt64(refusal.operation)])
        }
    }

    private func ingest(_ batch: IngestBatch) throws(SyncFailure) -> IngestAnswer {
        try ledger.obstinacy.check(batch, world)
        let client = batch.client
        let here = OneThread(self)
        let oneWay = try sessions.oneWay(
            batch, user: Self.user,
            access: Access(expires: 0, claims: 0) { here.part.access.permissions(of: client) })
        do throws(StoreFailure) {
            let through = try sessions.ingest(oneWay, receivedAt: clock)
            world.story.note("the server keeps one-way entries of client \(client.rawValue % 16) through \(through)")
            return IngestAnswer(acknowledged: through)
        } catch {
            throw SyncFailure(error)
        }
    }

    /// Whether it ever took something in no form.
    var wasObstinate: Bool { ledger.obstinacy.wasSeen }

    // MARK: - What the checks ask

    /// As the story calls it.
    var name: String { node.map { "node \($0.number)" } ?? "the server" }

    func report(_ wrong: String) { looksWrong.append(wrong) }

    /// Whether every session has been told everything.
    var isQuiet: Bool {
        isUp && isAtHead && uploadsWaiting == 0 && downloads.values.allSatisfy { $0.isQuiet(newest: record.version) }
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
        let state = try device.state()
        let held = try device.queries(state.querySet)
        let comparison = try ViewComparison(
            record.record.snapshot(), schema: device.schema, wanted: held.texts,
            under: access.permissions(of: device.client), isHeld: true, for: device.client,
            told: state.acknowledged, seed: world.plan.seed)
        while let question = comparison.question() {
            guard try comparison.take(device.file.digests(DigestQuestion(question))) else {
                throw Divergence("an answer to digests fits no question")
            }
        }
        let part = try comparison.difference().next(bytesMax: .max)
        let hasLists = part.entered.contains {
            $0.state.parts.contains { $0.content.kind == .list && !$0.content.elements().isEmpty }
        }
        let entered = part.entered.map(\.object) + part.enteredRuns.flatMap { $0.objects.map(\.object) }
        return (hasLists ? [] : entered.map { "enter \(brief($0))" }) + part.left.map { "leave \(brief($0.object))" }
            + part.deleted.map { "delete \(brief($0.object))" }
    }

    /// A fresh run of queries: what a device that wants them must hold, under its schema and rules.
    func content(
        of queries: QuerySet, for device: DeviceProcess
    ) throws -> [String: [PrimaryKey: Picture]] {
        let rules = access.rules(of: device.client)
        return try read { transaction in
            var content: [String: [PrimaryKey: Picture]] = [:]
            for declared in device.schema.classes where declared.kind == .object {
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
    func problems() throws -> [String] { try file.verify().problems + StoreEmbedded.verify(file).problems }

    func read<R>(_ body: (Transaction) throws -> R) throws -> R {
        let transaction = try file.read()
        defer { transaction.end() }
        return try body(transaction)
    }
}
