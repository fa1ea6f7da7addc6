import CausewayOpLog
import CausewaySeeds
import CausewayStore
import CausewaySync
import CausewayWire

/// A server and its devices on one thread and in virtual time: edits, faults and the order of everything follow from
/// the seed.
final class World {
    let plan: Plan
    let mutation: Mutation?
    let story: Story
    var random: SeededNumbers
    private(set) var now = World.beginning
    let ledger = ServerLedger()
    /// What the nodes have in common; nil where there is one server.
    private(set) var cluster: Cluster?
    /// Of a cluster all nodes; otherwise the one server.
    private(set) var nodes: [ServerProcess] = []
    /// The first node, or the one server.
    var server: ServerProcess { nodes[0] }
    private(set) var devices: [DeviceProcess] = []
    /// Nothing goes wrong any more: everything has to come to rest.
    private(set) var isCalm = false
    private var agenda = Agenda()
    private var lastNumber: UInt64 = 0
    private(set) var events = 0

    static let beginning: UInt64 = 1_700_000_000_000

    init(
        seed: UInt64, hasRules: Bool? = nil, nodes count: Int = 1, mutation: Mutation? = nil, isTold: Bool = false
    ) throws {
        plan = Plan(seed: seed, hasRules: hasRules)
        self.mutation = mutation
        story = Story(isTold: isTold)
        random = SeededNumbers(seed: seed)
        if count > 1 {
            let cluster = Cluster(self, ClusterPlan(seed: seed, nodes: count))
            self.cluster = cluster
            for number in 0..<count { nodes.append(try ServerProcess(self, ledger, number: number, of: cluster)) }
            cluster.databaseIsMade()
        } else {
            nodes = [try ServerProcess(self, ledger)]
        }
        devices = try plan.devices.enumerated().map { index, device in
            try DeviceProcess(self, number: index + 1, plan: device)
        }
    }

    /// Times of work, each followed by rest and the checks.
    func run() throws {
        // What is still to happen holds the world that it would happen in.
        defer { agenda = Agenda() }
        story.note("\(plan)")
        if let cluster { story.note("\(cluster.plan)") }
        for device in devices {
            try subscribe(device)
            try device.begin()
        }
        for phase in 1...plan.phases {
            isCalm = false
            for _ in 0..<plan.stepsPerPhase { try step() }
            story.note("--- rest \(phase): the faults end")
            isCalm = true
            try settle()
            try check()
        }
    }

    // MARK: - Time

    func after(_ milliseconds: UInt64, _ body: @escaping () throws -> Void) {
        agenda.add(at: now + milliseconds, body)
    }

    /// Lets everything happen that is due within so many milliseconds.
    private func pass(_ milliseconds: UInt64) throws {
        let end = now + milliseconds
        while let entry = agenda.removeNext(dueAt: end) {
            now = max(now, entry.time)
            story.milliseconds = now - Self.beginning
            try entry.body()
            events += 1
            guard events < Self.eventsMax else {
                throw Divergence("an endless loop: \(Self.eventsMax) events, and no rest")
            }
        }
        now = end
        story.milliseconds = now - Self.beginning
    }

    /// Many times what the busiest seeds need.
    private static let eventsMax = 1_000_000

    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    // MARK: - Chance

    func happens(percent: Int, evenWhenCalm: Bool = false) -> Bool {
        guard percent > 0, evenWhenCalm || !isCalm else { return false }
        return random.happens(percent: percent)
    }

    /// Whether a process ends at this place.
    func crashesHere() -> Bool {
        guard !isCalm, plan.crashesPerMille > 0 else { return false }
        return random.below(1_000) < plan.crashesPerMille
    }

    func recordFails() -> FaultyRecord.Failing {
        guard happens(percent: plan.storeErrorPercent) else { return .not }
        return random.one(of: [.before(.outOfSpace), .before(.fault), .after(.fault), .after(.outOfSpace)])
    }

    // MARK: - The server

    /// A node, or the one server. Whom it is drawn from changes no story of one server.
    func anyNode() -> ServerProcess { nodes.count == 1 ? nodes[0] : random.one(of: nodes) }

    /// The operator permits something else from now on, also where a process is down.
    func changeRules() throws {
        let change = try ledger.access.change(&random)
        story.note("\(change)")
        for node in nodes { node.rulesChanged() }
    }

    func journalGrew() {
        for node in nodes { node.journalGrew() }
    }

    // MARK: - One step

    private func step() throws {
        try pass(random.happens(percent: 4) ? UInt64(random.below(12_000)) : UInt64(random.below(60)))
        if random.happens(percent: plan.faultPercent) { try strike(random.one(of: Fault.allCases)) }
        if happens(percent: plan.rulesPercent) { try changeRules() }
        if let cluster, random.happens(percent: cluster.plan.faultPercent) {
            try strike(random.one(of: NodeFault.allCases))
        }
        if happens(percent: plan.leapPercent) { leapClock() }
        let device = random.one(of: devices)
        switch random.below(100) {
        case 0..<5: try subscribe(device)
        case 5..<8: try toggle(device)
        case 8..<10: if device.isRunning { try device.waitForUpload() }
        case 10..<12: if device.isRunning { try device.waitForDownload() }
        case 12..<13: if device.isRunning { try device.handle(.reconnect) }
        case 13..<15: if device.isRunning, device.needsLogin { try device.logIn() }
        case 15..<25: break
        default: try device.edit()
        }
    }

    private func subscribe(_ device: DeviceProcess) throws {
        var choice = SimulationSchema.queries + SimulationSchema.countedQueries
        if device.schema == plan.newerSchema { choice += SimulationSchema.newerQueries }
        if plan.vocabulary.hasNumbers { choice += SimulationSchema.numberQueries }
        var queries: [StandingQuery] = []
        for _ in 0..<(1 + random.below(3)) { queries.append(random.one(of: choice)) }
        if random.happens(percent: 40) { queries.append(random.one(of: SimulationSchema.countedQueries)) }
        if random.happens(percent: 10) { queries = [] }
        if random.happens(percent: 3) { queries.append(SimulationSchema.refusedQuery) }
        try device.subscribe(queries)
    }

    /// The app suspends its session, or lets it go on.
    private func toggle(_ device: DeviceProcess) throws {
        device.isSuspended.toggle()
        story.note("device \(device.number) is \(device.isSuspended ? "suspended" : "resumed")")
        try device.handle(device.isSuspended ? .suspended : .resumed)
    }

    // MARK: - Rest

    /// Lets everything that is under way arrive, and whatever was broken recover by itself.
    private func settle() throws {
        for node in nodes {
            node.clockOffset = 0
            try node.start()
            node.updateToServe()
        }
        for device in devices {
            device.isSuspended = false
            try device.start()
            // What waits for the app or for another hello would wait for ever.
            if device.needsLogin { try device.logIn() }
            if device.hasWorkLeft { try device.sayHelloAgain() }
            try device.handle(.resumed)
        }
        let hellos = devices.map(\.hellos)
        for _ in 0..<Self.roundsMax {
            try pass(500)
            // The server is mended: what it took in no form is sent again.
            for device in devices where device.quarantinedCount > 0 {
                try device.submitQuarantined { $0.code == SyncFailure.Code.operationInvalid.rawValue }
            }
            if let wrong = nodes.lazy.flatMap(\.looksWrong).first { throw Divergence(wrong) }
            guard try nodes.allSatisfy(\.isQuiet) && devices.allSatisfy({ try $0.isAtRest() }) else { continue }
            // A node with as many entries as the journal may have other ones, which it learns when it looks.
            for node in nodes {
                node.catchUp()
                node.endIfRecordEnded()
            }
            guard nodes.allSatisfy(\.isQuiet) else { continue }
            for (device, before) in zip(devices, hellos) where device.hellos > before + Self.hellosMax {
                throw Divergence(
                    "device \(device.number) said hello \(device.hellos - before) times after the faults ended; "
                        + "\(Self.hellosMax) are the bound")
            }
            return
        }
        let restless = try devices.filter { try !$0.isAtRest() }.map { try $0.standing() }
        throw Divergence(
            "nothing comes to rest within \(Self.roundsMax) rounds of half a second after the faults ended: "
                + "\(nodes.map { "\($0.name) \($0.isQuiet ? "quiet" : "restless")" }.joined(separator: ", ")), \(restless)"
        )
    }

    /// Longer than every wait that may still be running: an answer that does not come, a silent stream, a backoff, and
    /// each of them again.
    private static let roundsMax = 240
    private static let hellosMax = 8
}
