import CausewayOperations
import CausewaySeeds
import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayStore
import CausewaySync
import CausewayWire

/// A device: its file, and the process that works on it with the real conversation. It performs what the database's
/// driver performs with a queue and tasks.
final class DeviceProcess {
    unowned let world: World
    let number: Int
    let file: DeviceFile
    var clock: WallClock
    let limits: ConversationLimits

    /// Of the process; a new one begins with what the file says.
    private(set) var replica: Replica
    private(set) var conversation: Conversation
    private(set) var connection = Connection()
    private var stream: DownloadStream?
    private(set) var isRunning = true
    /// Numbers the lives of the process: what an earlier one had in mind is gone.
    private(set) var life = 0
    private var lastWake = 0
    private var lastWaiter: UInt64 = 0
    /// Callers that wait for the upload, with the last changeset that was logged when they asked.
    private var uploadWaits: [Conversation.Waiter: UInt64] = [:]
    private var downloadWaits: Set<Conversation.Waiter> = []

    var isTokenValid = true
    var isSuspended = false
    /// Since when the app has to log in again.
    private(set) var needsLogin = false
    /// One-way entries that are on the server but could not leave the file.
    private(set) var hasOneWayLeft = false
    private(set) var hellos = 0

    /// What the app knows that it did: what the file must say after any end of the process [I1].
    var lastSequence: UInt64 = 0
    var lastOneWay: UInt64 = 0
    var ledger: [String: Int64] = [:]
    var added: [String: Int64] = [:]

    init(_ world: World, number: Int, plan: Plan.DevicePlan) throws {
        self.world = world
        self.number = number
        clock = plan.clock
        file = try DeviceFile(
            seed: world.plan.seed, number: number,
            schema: plan.isNewer ? world.plan.newerSchema : world.plan.schema)
        var limits = ConversationLimits()
        limits.uploadBytes = 1_500
        limits.ingestBytes = 600
        // Below what the server sends ahead, so that changes go through the staging tree.
        limits.stagingBytes = 2_500
        limits.backoffMaximumMilliseconds = 5_000
        limits.answerMilliseconds = 10_000
        self.limits = limits
        replica = try file.openReplica()
        conversation = try Self.conversation(file, replica, limits)
    }

    private static func conversation(
        _ file: DeviceFile, _ replica: Replica, _ limits: ConversationLimits
    ) throws -> Conversation {
        let state = try file.state(replica)
        return Conversation(
            limits: limits, logged: .init(changesets: state.lastSequence, oneWay: state.lastOneWay),
            dropped: .init(changesets: state.acknowledged, oneWay: state.acknowledgedOneWay),
            queriesWanted: file.wanted.version)
    }

    var wallTime: UInt64 { clock.reading(at: world.now) }

    private var moment: Moment { Moment(milliseconds: world.now - World.beginning) }

    // MARK: - The process

    /// Ends at once: whatever is not in the file is gone.
    func crash() {
        guard isRunning else { return }
        world.story.note("device \(number) dies")
        isRunning = false
        life += 1
        connection.close()
        uploadWaits = [:]
        downloadWaits = []
        world.after(UInt64(1 + world.random.below(1_000))) { [self] in try start() }
    }

    func start() throws {
        guard !isRunning else { return }
        isRunning = true
        replica = try file.openReplica()
        conversation = try Self.conversation(file, replica, limits)
        hasOneWayLeft = false
        let state = try file.state(replica)
        world.story.note("device \(number) is back, with \(state.lastSequence - state.acknowledged) changesets pending")
        guard state.lastSequence == lastSequence, state.lastOneWay == lastOneWay else {
            throw Divergence(
                "[I1] device \(number) committed \(lastSequence) changesets and \(lastOneWay) one-way entries, its file "
                    + "has \(state.lastSequence) and \(state.lastOneWay) after its process ended")
        }
        if !isSuspended { try handle(.resumed) }
    }

    /// Runs unless the process ended meanwhile.
    func after(_ milliseconds: UInt64, _ body: @escaping () throws -> Void) {
        let life = life
        world.after(milliseconds) { [self] in
            if life == self.life { try body() }
        }
    }

    // MARK: - The conversation

    func tell(_ event: Conversation.Event) {
        after(0) { [self] in try handle(event) }
    }

    func handle(_ event: Conversation.Event) throws {
        guard isRunning else { return }
        let actions = conversation.handle(event, at: moment, using: &world.random)
        let life = life
        for action in actions {
            if world.crashesHere() { return crash() }
            try perform(action)
            if life != self.life { return }
        }
    }

    private func perform(_ action: Conversation.Action) throws {
        switch action {
        case .sendHello(let attempt): try sendHello(attempt)
        case .openDownload(let attempt, let session): openDownload(attempt, session)
        case .upload(let attempt, let session, let after, _): try upload(attempt, session, after)
        case .ingest(let attempt, let after, _): try ingest(attempt, after)
        case .setAside(let refused):
            throw Divergence("[I7] the server takes in no form what device \(number) wrote: \(refused)")
        case .sendQueries(let attempt, let session):
            let wanted = file.wanted
            call(attempt, .queries, .subscriptions, SubscriptionsRequest(session: session, wanted: wanted)) {
                (_: Accepted) in .queriesTaken(attempt, version: wanted.version)
            }
        case .sendMark(let attempt, let session, let id):
            call(attempt, .mark(id), .mark, MarkRequest(session: session, mark: id)) { (_: Accepted) in nil }
        case .sendCredit(let attempt, let session, let bytes):
            call(attempt, .credit, .credit, CreditRequest(session: session, bytes: bytes)) {
                (_: Accepted) in .creditTaken(attempt)
            }
        case .sendDigests(let attempt, let request):
            call(attempt, .digests, .resync, request) { (_: Accepted) in nil }
        case .digest(let attempt, let question): after(fileDelay) { [self] in try digest(attempt, question) }
        case .refill(let committed): after(fileDelay) { [self] in try refill(after: committed) }
        case .beginAgain:
            throw Divergence("[I7] device \(number) is taken for a copy, and nobody copied it")
        case .disconnect:
            connection.close()
        case .renewToken: renewToken()
        case .apply(let changes): after(fileDelay) { [self] in try apply(changes) }
        case .spill(let parts, let from): after(fileDelay) { [self] in try spill(parts, from) }
        case .dropOneWay(let through): after(fileDelay) { [self] in try dropOneWay(through) }
        case .queriesRefused(let version, let failure):
            world.story.note("queries \(version) of device \(number) are refused: \(failure.message)")
            file.refuse(version)
        case .wake(let moment): arm(moment)
        case .finish(let waiter): try finish(waiter)
        case .fail(let waiter, let trouble):
            world.story.note("a wait of device \(number) fails: \(trouble.message)")
            uploadWaits[waiter] = nil
            downloadWaits.remove(waiter)
        case .report(let trouble): try report(trouble)
        }
    }

    private var fileDelay: UInt64 { world.isCalm ? 1 : UInt64(world.random.below(20)) }

    private func arm(_ moment: Moment) {
        lastWake += 1
        let wake = lastWake
        let now = self.moment.milliseconds
        after(moment.milliseconds - min(moment.milliseconds, now)) { [self] in
            if wake == lastWake { try handle(.timer) }
        }
    }

    private func report(_ trouble: Trouble) throws {
        world.story.note("device \(number) reports: \(trouble.message)")
        switch trouble {
        case .interrupted, .file, .changesetsLost: break
        case .stopped(.refused(let failure)) where failure.code == .tokenExpired: needsLogin = true
        case .stopped(let failure):
            throw Divergence("[I8] device \(number) stops: \(failure)")
        case .uploadRefused(let failure, let after), .ingestRefused(let failure, let after):
            throw Divergence("[I7] what device \(number) wrote after \(after) is refused: \(failure.message)")
        }
    }

    // MARK: - The app

    /// One write of the app. It may be given up, and the process may end before its commit or right after it [I1].
    func edit() throws {
        guard isRunning else { return }
        enum End: Error { case givenUp, crash }
        let prefix = "d\(number)"
        do {
            let (writes, state) = try file.write { transaction in
                var writes = AppWrites(transaction, replica, world.plan.vocabulary, prefix: prefix)
                try writes.perform(&world.random)
                if world.random.happens(percent: 4) { throw End.givenUp }
                try replica.record(in: transaction, now: wallTime)
                if world.crashesHere() { throw End.crash }
                return (writes, try replica.state(in: transaction))
            }
            ledger.merge(writes.ledger) { _, new in new }
            added.merge(writes.added, uniquingKeysWith: +)
            let isNews = state.lastSequence > lastSequence
            lastSequence = state.lastSequence
            lastOneWay = state.lastOneWay
            if isNews { try tellWrite(state.lastSequence) }
            if world.crashesHere() { return crash() }
            try handle(.committed(.init(changesets: lastSequence, oneWay: lastOneWay)))
        } catch End.givenUp {
            world.story.note("the app of device \(number) gives a write up")
        } catch End.crash {
            crash()
        }
    }

    private func tellWrite(_ sequence: UInt64) throws {
        guard world.story.isTold else { return }
        for changeset in try file.read({
            try replica.pending(in: $0, after: sequence - 1, limitBytes: 1 << 20)
        }) {
            for operation in changeset.operations {
                world.story.tell(.set, "on device \(number): \(brief(operation))")
            }
            world.story.tell(
                .committed,
                "on device \(number): changeset \(changeset.sequence) on \(changeset.base.rawValue), stamped "
                    + brief(changeset.stamp))
        }
    }

    func subscribe(_ queries: [StandingQuery]) throws {
        file.subscribe(queries)
        world.story.note(
            "device \(number) wants \(file.wanted.version): \(queries.map { "\($0.className): \($0.predicate)" })")
        try handle(.queriesChanged(version: file.wanted.version))
    }

    func upgrade() throws {
        guard isRunning, file.schema != world.plan.newerSchema else { return }
        world.story.note("the app of device \(number) is replaced by a newer version")
        try file.upgrade(to: world.plan.newerSchema)
        try handle(.schemaChanged)
    }

    /// Nothing is pending, everything wanted is here, nobody waits.
    func isAtRest() throws -> Bool {
        guard isRunning, conversation.connectionState == .connected, conversation.download.work == .none, !isAwaited,
            stream?.isIdle == true
        else { return false }
        let state = try file.state(replica)
        return state.isSettled
            && (state.querySet == file.wanted.version || file.refused.contains(file.wanted.version))
    }

    /// What was left undone is done after a hello.
    func sayHelloAgain() throws {
        hasOneWayLeft = false
        try handle(.suspended)
    }

    /// For a message about one that does not come to rest.
    func standing() throws -> String {
        let state = try file.state(replica)
        return
            "device \(number): \(conversation.phase), changesets \(state.acknowledged) of \(state.lastSequence), one-way "
            + "entries \(state.acknowledgedOneWay) of \(state.lastOneWay), queries \(state.querySet) of "
            + "\(file.wanted.version)\(isAwaited ? ", somebody waits" : "")"
    }

    // MARK: - Calls

    private func call<Answer: WireMessage>(
        _ attempt: Conversation.Attempt, _ call: Conversation.Call, _ route: Route, _ request: some WireMessage,
        _ event: @escaping (Answer) -> Conversation.Event?
    ) {
        world.call(route, request, of: self, over: connection) { [self] (result: Result<Answer, TransportFailure>) in
            switch result {
            case .success(let answer): if let event = event(answer) { try handle(event) }
            case .failure(let failure): try handle(.failed(attempt, call, failure))
            }
        }
    }

    private func sendHello(_ attempt: Conversation.Attempt) throws {
        connection = Connection()
        hellos += 1
        let (hello, state, staged) = try file.hello(replica)
        let openings = try file.read { try replica.openings(in: $0) }
        let greeting = Conversation.Greeting(
            wanted: file.wanted.version, logged: .init(changesets: state.lastSequence, oneWay: state.lastOneWay),
            dropped: .init(changesets: state.acknowledged, oneWay: state.acknowledgedOneWay), staged: staged,
            openings: openings.changesets, oneWayOpenings: openings.oneWay)
        let sent = world.now
        call(attempt, .hello, .session, hello) { [self] (welcome: Welcome) in
            replica.observe(serverTime: welcome.serverTime, localTime: wallTime, roundTrip: world.now - sent)
            return .welcomed(attempt, welcome, greeting)
        }
    }

    private func openDownload(_ attempt: Conversation.Attempt, _ session: UInt64) {
        let stream = DownloadStream(world, self, connection) { [unowned self] event in
            switch event {
            case .message(let message, let bytes): try handle(.received(attempt, message, bytes: bytes))
            case .closed: try handle(.downloadClosed(attempt))
            case .broken(let reason): try handle(.failed(attempt, .download, .unreachable(reason)))
            }
        }
        self.stream = stream
        world.after(world.latency()) { [world] in world.server.download(session, into: stream) }
    }

    private func upload(_ attempt: Conversation.Attempt, _ session: UInt64, _ after: UInt64) throws {
        var changesets = try file.read {
            try replica.pending(in: $0, after: after, limitBytes: conversation.upload.batchBytes)
        }
        guard let first = changesets.first, let last = changesets.last else {
            return tell(.uploadFoundNothing(attempt))
        }
        world.story.tell(.uploaded, "device \(number) sends \(first.sequence)…\(last.sequence)")
        if world.mutation == .pendingWriteForgotten, last.sequence % 4 == 3 {
            changesets[changesets.count - 1].operations = []
        }
        call(attempt, .upload, .upload, UploadRequest(session: session, changesets: changesets)) {
            (answer: UploadAnswer) in .uploadAnswered(attempt, answer)
        }
    }

    private func ingest(_ attempt: Conversation.Attempt, _ after: UInt64) throws {
        let pending = try file.read {
            try replica.pendingOneWay(in: $0, after: after, limitBytes: conversation.ingest.batchBytes)
        }
        guard let pending else { return tell(.ingestFoundNothing(attempt)) }
        let batch = IngestBatch(
            client: file.client, first: pending.first, entries: pending.entries, opening: pending.opening)
        call(attempt, .ingest, .ingest, batch) {
            (answer: IngestAnswer) in .ingestAnswered(attempt, through: answer.acknowledged)
        }
    }

    // MARK: - The token

    private func renewToken() {
        after(world.latency()) { [self] in
            let luck = world.isCalm ? 0 : world.random.below(10)
            switch luck {
            case 0...6:
                isTokenValid = true
                try handle(.tokenRenewed)
            case 7...8: try handle(.renewalFailed(.unreachable("The server of tokens cannot be reached.")))
            default: try handle(.renewalFailed(nil))
            }
        }
    }

    func logIn() throws {
        isTokenValid = true
        needsLogin = false
        try handle(.tokenChanged)
    }

    // MARK: - Waiting

    var isAwaited: Bool { !uploadWaits.isEmpty || !downloadWaits.isEmpty }

    func waitForUpload() throws {
        let waiter = newWaiter()
        uploadWaits[waiter] = lastSequence
        try handle(.waitForUpload(waiter))
    }

    func waitForDownload() throws {
        let waiter = newWaiter()
        downloadWaits.insert(waiter)
        try handle(.waitForDownload(waiter))
    }

    private func newWaiter() -> Conversation.Waiter {
        lastWaiter += 1
        return Conversation.Waiter(number: lastWaiter)
    }

    private func finish(_ waiter: Conversation.Waiter) throws {
        downloadWaits.remove(waiter)
        guard let sequence = uploadWaits.removeValue(forKey: waiter) else { return }
        // Who was told so before a restore was told the truth.
        guard world.server.restores == 0 else { return }
        let known = try world.server.record.record.register(file.client, user: ServerProcess.user)
        guard known.committed >= sequence else {
            throw Divergence(
                "[I7] device \(number) was told that changeset \(sequence) is on the server, which has \(known.committed)"
            )
        }
    }

    // MARK: - The file

    private enum FileFailure: Error {
        /// The commit took no effect, or it did.
        case before, after
        /// The process ended in the middle.
        case inTheMiddle
    }

    /// Does something to the file, which may fail, or end with the process, before the commit took effect or after it.
    private func onFile(
        _ body: (Transaction) throws -> Void, done: () throws -> Conversation.Event?
    ) throws {
        do {
            try file.write { transaction in
                try body(transaction)
                if world.crashesHere() { throw FileFailure.inTheMiddle }
                if world.happens(percent: world.plan.fileErrorPercent) { throw FileFailure.before }
            }
            if world.happens(percent: world.plan.fileErrorPercent / 2) { throw FileFailure.after }
        } catch FileFailure.inTheMiddle {
            return crash()
        } catch let failure as FileFailure {
            world.story.note("the file of device \(number) fails, \(failure) the commit")
            return tell(.fileFailed("The disk is full."))
        }
        if world.crashesHere() { return crash() }
        if let event = try done() { try handle(event) }
    }

    private func apply(_ changes: [ViewChange]) throws {
        var observed: ChangeRecord?
        var refused: [QuarantinedChange] = []
        file.endComparison()
        let before = try file.state(replica).lastSequence
        try onFile { transaction in
            for change in changes {
                let staged = try change.partsSpilled > 0 ? DeviceFile.staged(in: transaction) : nil
                var next = 0
                for segment in staged?.segments(before: change) ?? [] {
                    let parts = try DeviceFile.unstage(next..<segment.end, in: transaction)
                    refused += try apply(parts, segment.checkpoint, in: transaction)
                    next = segment.end
                }
                let parts = try DeviceFile.unstage(next..<change.partsSpilled, in: transaction) + change.parts
                refused += try apply(parts, change.checkpoint, in: transaction)
            }
            DeviceFile.clearStaging(in: transaction)
            observed = transaction.changes
            if world.mutation == .evictionDeletes { try replica.record(in: transaction, now: wallTime) }
        } done: {
            for change in refused {
                world.story.note("device \(number) puts into the quarantine: \(change.reason)")
                // A restored server may not have the object again yet: the device that made it comes later. And what the
                // rules keep from being made is not there for the changesets behind it.
                let isUnknown = change.code == SyncFailure.Code.objectUnknown.rawValue
                let isForbidden = change.code == SyncFailure.Code.permissionDenied.rawValue
                let (restores, wasRestricted) = (world.server.restores, world.server.access.wasRestricted)
                guard isUnknown && (restores > 0 || wasRestricted) || isForbidden && wasRestricted else {
                    throw Divergence("[I7] the server refuses something of device \(number): \(change.reason)")
                }
            }
            guard let checkpoint = changes.last?.checkpoint else { return nil }
            world.story.tell(
                .applied,
                "device \(number) is at \(checkpoint.version.rawValue), queries \(checkpoint.querySet), acknowledged "
                    + "\(checkpoint.acknowledged)")
            if let observed { world.story.tell(.observed, "on device \(number): \(brief(observed))") }
            guard try file.state(replica).lastSequence == before else {
                throw Divergence("[I6] device \(number) made operations of what the server told it")
            }
            if world.random.happens(percent: 30) { try world.checkSettled(self) }
            return .applied(acknowledged: checkpoint.acknowledged)
        }
    }

    private func apply(
        _ parts: [ViewChunk], _ checkpoint: Checkpoint, in transaction: Transaction
    ) throws -> [QuarantinedChange] {
        guard
            try !replica.isOfCopy(
                acknowledged: checkpoint.acknowledged, by: checkpoint.opening, in: transaction)
        else { throw Divergence("[I7] device \(number) is told that a copy of its file wrote, and nobody copied it") }
        let application = try replica.beginApplying(
            acknowledged: checkpoint.acknowledged, in: transaction, now: wallTime)
        application.refuse(parts)
        if world.mutation != .checkpointWithoutData { try application.show(parts) }
        try application.finish(
            epoch: checkpoint.epoch, version: checkpoint.version, querySet: checkpoint.querySet,
            incarnation: checkpoint.incarnation, permissions: checkpoint.permissions, schema: checkpoint.schema)
        return application.quarantined
    }

    private func digest(_ attempt: Conversation.Attempt, _ question: DigestQuestion) throws {
        let reports = try file.digests(question, replica)
        world.story.note("device \(number) says what it holds, answer \(question.number)")
        try handle(.digested(attempt, number: question.number, reports))
    }

    private func refill(after committed: UInt64) throws {
        world.story.note("device \(number) will send again what the server lost after \(committed)")
        try onFile { transaction in
            DeviceFile.clearStaging(in: transaction)
            try replica.refill(after: committed, in: transaction)
        } done: {
            .refilled(after: committed)
        }
    }

    private func spill(_ parts: [ViewChunk], _ from: Int) throws {
        try onFile { transaction in
            try DeviceFile.stage(parts, from: from, in: transaction)
        } done: {
            .spilled
        }
    }

    /// The conversation does not wait for this: it is done again after the next hello if it fails.
    private func dropOneWay(_ through: UInt64) throws {
        guard !world.happens(percent: world.plan.fileErrorPercent) else {
            hasOneWayLeft = true
            return world.story.note("the file of device \(number) fails to drop one-way entries")
        }
        try file.write { try replica.acknowledgeOneWay(through: through, in: $0) }
    }
}
