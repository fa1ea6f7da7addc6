import CausewayJournal
import CausewayModel
import CausewayObjectStore
import CausewaySeeds
import CausewayStore
import CausewayStoreEmbedded
import CausewayStoreReplicated

/// What the nodes of one database have in common: the journal, and what is known of its positions.
final class Cluster {
    unowned let world: World
    let plan: ClusterPlan
    let journal: MemoryJournal
    /// A copy of a replica that a node can begin from, in memory as long as it is here.
    private(set) var snapshot: ReplicaCopy?
    /// By position, the state's digest and the node that found it first.
    private var digests: [UInt64: (digest: JournalHash, node: Int)] = [:]
    private var lastIncarnation: UInt64
    /// Of the software that the operator has installed last.
    private(set) var generation = JournalGeneration.newest
    private var copies = 0
    /// Whether an operator may have dropped or converted something, which ends the history.
    private(set) var hasNewSchema = false
    /// How much of the journal makes the database: that is never lost.
    private var beginning: UInt64?
    /// Not before there is a database.
    var isFaulty: Bool { beginning != nil }

    init(_ world: World, _ plan: ClusterPlan) {
        self.world = world
        self.plan = plan
        let seed = world.plan.seed | 1
        lastIncarnation = seed &+ 1_000_000
        journal = MemoryJournal(database: seed, incarnation: lastIncarnation)
    }

    /// What a node says whose journal is empty.
    var settings: RecordSettings {
        ServerProcess.options(world.plan).settings
    }

    // MARK: - What befalls it

    func databaseIsMade() { beginning = journal.head().position }

    /// The journal loses its newest entries, as a database does that fails over to a standby that lagged.
    func lose(_ count: Int) {
        let before = journal.head().position
        lastIncarnation &+= 1
        journal.lose(min(count, Int(before - (beginning ?? before))), incarnation: lastIncarnation)
        let head = journal.head().position
        digests = digests.filter { $0.key <= head }
        if let copy = snapshot, copy.position > head { snapshot = nil }
        world.story.note("the journal loses what is behind entry \(head) of \(before)")
    }

    /// A node makes a snapshot, and the journal forgets what is behind it.
    func keepSnapshot(of replica: StoreEmbedded) throws {
        let mark = try replica.mark
        let position = mark.position
        guard journal.forget(through: position, chain: mark.chain) else { return }
        copies += 1
        let name = "simulated-snapshot-\(world.plan.seed)-\(copies)"
        snapshot = ReplicaCopy(position: position, file: try replica.copyInMemory(toFolder: name), folder: name)
        world.story.note("a snapshot at entry \(position), and the journal forgets what is behind it")
    }

    func noteSchemaChanges(in entries: [[UInt8]]) {
        hasNewSchema =
            hasNewSchema
            || entries.contains { bytes in
                guard case .act(let act)? = try? JournalEntry(encoded: bytes).body else { return false }
                return act.needsNobody
            }
    }

    /// Newer software is there to be installed.
    func release() { generation += 1 }

    // MARK: - What must hold

    /// All replicas have one state at one position.
    func check(_ digest: JournalHash, at position: UInt64, of node: Int) throws {
        guard let known = digests[position] else {
            digests[position] = (digest, node)
            return
        }
        guard known.digest == digest else {
            throw Divergence(
                "nodes \(known.node) and \(node) have different states at entry \(position) of the journal")
        }
    }
}

/// A snapshot that nodes begin from.
struct ReplicaCopy {
    var position: UInt64
    /// Keeps the copy in memory.
    var file: ObjectStore
    var folder: String
}
