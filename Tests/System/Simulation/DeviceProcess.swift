import CausewayEnvironment
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayOperations
import CausewaySeeds
import CausewayStore
import CausewaySync
import CausewaySyncedFile
import CausewayWire
import Synchronization

/// A device: its file, and the process that works on it. The conversation, the file and what comes between them are the
/// product's; this carries errands out on the world's one thread, as the database's driver does with queues and tasks.
final class DeviceProcess {
    unowned let world: World
    let number: Int
    /// Where its session is, or was: another node for each hello.
    private(set) var server: ServerProcess
    /// What survives the end of the process.
    let store: ObjectStore
    private let names: DeviceNames
    let client: ClientID
    /// What the app declares.
    private(set) var schema: Schema
    var clock: DeviceClock
    let limits: ConversationLimits

    /// Of the process; a new one begins with what the store holds.
    private(set) var file: SyncedFile
    private(set) var conversation: Conversation
    private var watch = FileWatch()
    var connection = Connection()
    var stream: DownloadStream?
    /// What the file still has to do.
    var fileWork: [Conversation.Action] = []
    var isFileBusy = false
    let disk = DeviceDisk()
    private(set) var isRunning = true
    /// Numbers the lives of the process: what an earlier one had in mind is gone.
    private(set) var life = 0
    private var lastWake = 0
    private var lastWaiter: UInt64 = 0
    /// Callers that wait for the upload, with the last changeset that was logged when they asked.
    var uploadWaits: [Conversation.Waiter: UInt64] = [:]
    var downloadWaits: Set<Conversation.Waiter> = []

    var isTokenValid = true
    var isSuspended = false
    /// Since when the app has to log in again.
    private(set) var needsLogin = false
    /// Something that the conversation does not wait for failed: it is done again after the next hello.
    var hasWorkLeft = false
    /// How often it said hello though nothing had been refused since the last one. A server whose list of refusals is full takes
    /// nothing more until a hello says that they were read. The refusals make such hellos necessary, so they do not count.
    private(set) var hellos = 0
    private var refusedAtHello = 0

    /// What the app knows that it did: what the file must say after any end of the process [I1].
    var lastSequence: UInt64 = 0
    var lastOneWay: UInt64 = 0
    var ledger: [String: Int64] = [:]
    var added: [String: Int64] = [:]
    /// The one-way objects that it wrote, by their numbers.
    var readings: [Int64] = []
    /// Operations that lie in the quarantine, and those that were taken out of it and sent again.
    var quarantinedCount = 0
    var submittedCount = 0
    private var refusedCount: Int { quarantinedCount + submittedCount }
    /// Operations that were set aside because the server took them in no form.
    var setAsideCount = 0

    init(_ world: World, number: Int, plan: Plan.DevicePlan) throws {
        self.world = world
        self.number = number
        server = world.server
        clock = plan.clock
        schema = plan.isNewer ? world.plan.newerSchema : world.plan.schema
        client = ClientID(world.plan.seed &* 1_000_000 &+ 16 * 3 &+ UInt64(number))
        names = DeviceNames(client)
        var limits = ConversationLimits()
        limits.uploadBytes = 1_500
        limits.ingestBytes = 600
        // Below what the server sends ahead, so that changes go through the staging tree.
        limits.stagingBytes = 2_500
        limits.backoffMaximumMilliseconds = 5_000
        limits.answerMilliseconds = 10_000
        self.limits = limits
        let unique = Self.filesMade.wrappingAdd(1, ordering: .relaxed).newValue
        store = try ObjectStore.open(
            path: "simulated-device-\(world.plan.seed)-\(number)-\(unique)",
            options: ObjectStore.Options(inMemory: true, mapSizeBytes: 1 << 26))
        file = try SyncedFile(store, owner: Self.owner, random: names)
        conversation = try file.conversation(limits: limits)
        try open()
        try write { try $0.extendSchema(schema.withNestedCollections) }
    }

    private static let filesMade = Atomic<Int>(0)
    private static let owner = SyncedFile.Owner(userID: ServerProcess.user, appID: "simulation")

    /// As a process does that begins.
    private func open() throws {
        file = try SyncedFile(
            store, owner: Self.owner, clock: DeviceTime(self), random: names, beforeCommit: disk.beforeCommit)
        disk.use { [unowned self] in try willCommit($0) }
        conversation = try file.conversation(limits: limits)
        watch = FileWatch()
        fileWork = []
        isFileBusy = false
        hasWorkLeft = false
    }

    var replica: Replica { file.replica }

    func countHello() {
        if refusedCount == refusedAtHello { hellos += 1 }
        refusedAtHello = refusedCount
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
        try open()
        let state = try state()
        world.story.note("device \(number) is back, with \(state.lastSequence - state.acknowledged) changesets pending")
        guard state.lastSequence == lastSequence, state.lastOneWay == lastOneWay else {
            throw Divergence(
                "[I1] device \(number) committed \(lastSequence) changesets and \(lastOneWay) one-way entries, its file "
                    + "has \(state.lastSequence) and \(state.lastOneWay) after its process ended")
        }
        try begin()
    }

    /// The app opens its Realm.
    func begin() throws {
        try fileChanged()
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
            disk.begin(nil)
            let errands = file.errands(for: action, of: conversation)
            if let divergence = disk.divergence { throw divergence }
            if disk.isProcessOver { return crash() }
            for errand in errands { try perform(errand) }
            if life != self.life { return }
        }
    }

    private func perform(_ errand: Errand) throws {
        switch errand {
        case .call(let call): try send(call)
        case .file(let work): onFile(work)
        case .tell(let event): tell(event)
        case .disconnect: connection.close()
        case .renewToken: renewToken()
        case .wake(let moment): arm(moment)
        case .finish(let waiter): try finish(waiter)
        case .fail(let waiter, let trouble):
            world.story.note("a wait of device \(number) fails: \(trouble.message)")
            uploadWaits[waiter] = nil
            downloadWaits.remove(waiter)
        case .report(let trouble): try report(trouble)
        }
    }

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

    /// The file was committed to, by whomever.
    func fileChanged() throws {
        for news in watch.news(try file.standing(), for: conversation) {
            if case .event(let event) = news { try handle(event) }
        }
    }

    // MARK: - The app

    /// One write of the app. It may be given up, and the process may end before its commit or right after it [I1].
    func edit() throws {
        guard isRunning else { return }
        enum End: Error { case givenUp, crash }
        let prefix = "d\(number)"
        do {
            let (writes, state) = try write { transaction in
                var writes = AppWrites(transaction, replica, world.plan.vocabulary, prefix: prefix)
                try writes.perform(&world.random)
                if world.random.happens(percent: 4) { throw End.givenUp }
                try replica.record(in: transaction, now: wallTime)
                if world.crashesHere() { throw End.crash }
                return (writes, try replica.state(in: transaction))
            }
            ledger.merge(writes.ledger) { _, new in new }
            added.merge(writes.added, uniquingKeysWith: +)
            readings += writes.readings
            let isNews = state.lastSequence > lastSequence
            lastSequence = state.lastSequence
            lastOneWay = state.lastOneWay
            if isNews { try tellWrite(state.lastSequence) }
            if world.crashesHere() { return crash() }
            try fileChanged()
        } catch End.givenUp {
            world.story.note("the app of device \(number) gives a write up")
        } catch End.crash {
            crash()
        }
    }

    private func tellWrite(_ sequence: UInt64) throws {
        guard world.story.isTold else { return }
        for changeset in try read({ try replica.pending(in: $0, after: sequence - 1, limitBytes: 1 << 20) }) {
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
        guard isRunning else { return }
        let version = try write { try SubscriptionTree($0).want(queries) }
        world.story.note("device \(number) wants \(version): \(queries.map { "\($0.className): \($0.predicate)" })")
        try handle(.queriesChanged(version: version))
    }

    func upgrade() throws {
        guard isRunning, schema != world.plan.newerSchema else { return }
        world.story.note("the app of device \(number) is replaced by a newer version")
        schema = world.plan.newerSchema
        try write { try $0.extendSchema(schema.withNestedCollections) }
        try fileChanged()
    }

    /// Nothing is pending, everything wanted is here, nobody waits.
    func isAtRest() throws -> Bool {
        guard isRunning, conversation.connectionState == .connected, conversation.download.work == .none, !isAwaited,
            !isFileBusy, stream?.isIdle == true
        else { return false }
        let state = try state()
        return try state.isSettled && hasWhatItWants(state)
    }

    private func hasWhatItWants(_ state: ReplicaState) throws -> Bool {
        let newest = try file.subscriptions()
        if case .error = newest.state { return true }
        return state.querySet == newest.version
    }

    /// What was left undone is done after a hello.
    func sayHelloAgain() throws {
        hasWorkLeft = false
        try handle(.suspended)
    }

    /// For a message about one that does not come to rest.
    func standing() throws -> String {
        let state = try state()
        return
            "device \(number): \(conversation.phase), changesets \(state.acknowledged) of \(state.lastSequence), one-way "
            + "entries \(state.acknowledgedOneWay) of \(state.lastOneWay), queries \(state.querySet) of "
            + "\(try file.subscriptions().version)\(isAwaited ? ", somebody waits" : "")"
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
        guard world.ledger.restores == 0, let committed = try world.committed(by: client) else { return }
        guard committed >= sequence else {
            throw Divergence(
                "[I7] device \(number) was told that changeset \(sequence) is on the server, which has \(committed)")
        }
    }

    /// A balancer chooses the node of the next session.
    func connect() {
        connection = Connection()
        server = world.anyNode()
    }
}

/// The device's clock, as its file reads it.
///
/// Unchecked: the world is on one thread.
private final class DeviceTime: WallClock, @unchecked Sendable {
    private unowned let device: DeviceProcess

    init(_ device: DeviceProcess) { self.device = device }

    func now() -> UInt64 { device.wallTime }
}

/// The client's number, and then one for each opening of its file.
///
/// Unchecked: the world is on one thread.
private final class DeviceNames: RandomSource, @unchecked Sendable {
    private let client: ClientID
    private var given: UInt64 = 0

    init(_ client: ClientID) { self.client = client }

    func next() -> UInt64 {
        defer { given += 1 }
        return given == 0 ? client.rawValue : client.rawValue << 32 | given
    }
}
