import CausewayJournal
import CausewayModel
import CausewayObjectStore
import CausewaySeeds
import CausewaySession
import CausewayStore
import CausewayStoreEmbedded
import CausewayStoreReplicated

// A server that is one of several nodes.

/// What a node has beside what every server has.
struct Node {
    let cluster: Cluster
    let number: Int
    var replica: StoreEmbedded
    var record: StoreReplicated
    /// Of the software that it runs.
    var generation: UInt64
    /// Whether it has been told that the journal grew, and will look.
    var isDue = false
    /// What it says to the operator, who has to do something before it serves again.
    var complaint: String?
}

extension ServerProcess {
    /// A node's own configuration, which must not matter.
    private static func options(_ plan: Plan, ofNode number: Int) -> StoreEmbedded.Options {
        var options = options(plan)
        options.historyVersionsMax = UInt64(3 + number)
        options.editedBytesMin = 100 * number
        options.refusalBytesMax = UInt64(500 * number)
        return options
    }

    /// Starts a node with the file that it has.
    static func node(_ number: Int, of cluster: Cluster, in folder: String, generation: UInt64) throws -> Node {
        let (replica, record) = try open(number, of: cluster, in: folder, generation)
        return Node(cluster: cluster, number: number, replica: replica, record: record, generation: generation)
    }

    private static func open(
        _ number: Int, of cluster: Cluster, in folder: String, _ generation: UInt64
    ) throws -> (StoreEmbedded, StoreReplicated) {
        let replica = try StoreEmbedded.openReplica(
            folder: folder, options: options(cluster.world.plan, ofNode: number),
            of: cluster.journal.head().database)
        let mutation = number == 1 ? cluster.world.mutation : nil
        let record = try StoreReplicated(
            FaultyReplica(replica, mutation: mutation, journal: cluster.journal), following: FaultyJournal(cluster),
            options: StoreReplicated.Options(generation: generation, digestEvery: cluster.plan.digestEvery))
        return (replica, record)
    }

    /// The node's process begins, with its file, with an older one, or with none.
    func startNode(_ known: Node) throws {
        var node = known
        let world = node.cluster.world
        let (end, head) = (node.record.end, node.cluster.journal.head().position)
        let choice = world.isCalm ? 0 : world.random.below(4)
        let beginsAgain = end?.remedy == .beginAgain || choice == 0 && !world.isCalm
        if beginsAgain { try beginAgain(node.cluster) }
        if node.complaint != nil || choice == 1 { node.generation = node.cluster.generation }
        node.complaint = nil
        (node.replica, node.record) = try Self.open(node.number, of: node.cluster, in: folder, node.generation)
        // An older file is one that has less of the journal.
        if beginsAgain, choice == 0, head > 0 { try? node.record.catchUp(atMost: world.random.below(Int(head))) }
        node.isDue = false
        self.node = node
        begin(node.record)
        world.story.note(
            "node \(node.number) is back, at entry \(node.record.position)\(beginsAgain ? ", with another file" : "")")
    }

    private func beginAgain(_ cluster: Cluster) throws {
        folder = Self.newFolder(world.plan.seed)
        if let copy = cluster.snapshot {
            file = try copy.file.copyInMemory(to: folder + "/" + StoreEmbedded.fileName)
        } else {
            file = try Self.file(in: folder)
        }
    }

    // MARK: - Following

    /// The node hears some time that the journal grew.
    func journalGrew() {
        guard isUp, node?.isDue == false else { return }
        node?.isDue = true
        let lag = node?.cluster.plan.lagMax ?? 1
        after(world.isCalm ? 1 : UInt64(1 + world.random.below(lag))) { [self] in
            node?.isDue = false
            catchUp()
        }
    }

    /// Looks now and then, whatever it has heard.
    func poll() {
        guard node != nil else { return }
        after(world.isCalm ? 100 : UInt64(500 + world.random.below(1_000))) { [self] in
            catchUp()
            poll()
        }
    }

    func catchUp() {
        guard let node, isUp else { return }
        let countMax = world.isCalm ? .max : 1 + world.random.below(20)
        try? node.record.catchUp(atMost: countMax)
        applyAlone()
        // Also of commits that failed behind their entries: devices are told, and then the refusals go.
        for device in world.devices { rememberRefusals(of: device.client) }
        if node.record.position < node.cluster.journal.head().position, node.record.end == nil { journalGrew() }
        if sessions.hasUnseen { lookSoon() }
    }

    /// A node that cannot go on with what it has ends.
    func endIfRecordEnded() {
        guard isUp, let end = node?.record.end else { return }
        world.story.note("node \(node?.number ?? 0) ends: \(end.message)")
        if end.remedy == .operatorNeeded {
            node?.complaint = end.message
            if let node, node.generation >= node.cluster.generation {
                report("node \(node.number) stops serving: \(end.message)")
            }
        }
        crash()
    }

    /// Whether it has applied everything, in the newest software.
    var isAtHead: Bool {
        guard let node else { return true }
        return node.record.end == nil && node.record.position == node.cluster.journal.head().position
    }

    // MARK: - What operators do

    /// Newer software, which needs another start.
    func update() {
        guard let node, node.generation < node.cluster.generation else { return }
        self.node?.generation = node.cluster.generation
        crash()
    }

    /// What has stopped until somebody updates it is updated now.
    func updateToServe() {
        guard let node, node.complaint != nil else { return }
        update()
    }

    /// Another configuration, for all nodes.
    func changeSettings() {
        guard let node, isUp, var settings = try? node.replica.settings else { return }
        settings.editedBytesMin = world.random.one(of: [0, 64, 256])
        settings.toldRefusalBytesMax = UInt64(world.random.one(of: [100, 1_000, 200_000]))
        try? node.record.take(settings)
        world.story.note("edits are told from \(settings.editedBytesMin) bytes on")
    }

    func maintain() {
        guard let node, isUp else { return }
        _ = try? node.record.maintain(at: clock)
    }

    /// Switches on what all nodes know by now, or what only some of them do.
    func switchOn() {
        guard let node, isUp else { return }
        try? node.record.switchOn(generation: node.generation)
        world.story.note("generation \(node.generation) is switched on")
    }

    func keepSnapshot() throws {
        guard let node, isUp, node.record.end == nil, node.record.position > 0 else { return }
        try node.cluster.keepSnapshot(of: node.replica)
    }
}
