import CausewayJournal
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewaySeeds
import CausewayStore
import CausewayStoreEmbedded
import CausewayStoreReplicated
import Testing

/// Random histories on nodes whose configurations differ: their states never do [I3].
@Suite("Histories of replicas")
struct ReplicaHistoryTests {
    private static let drawn: DrawnSeeds = {
        let drawn = DrawnSeeds("replicas", count: 12)
        drawn.tell()
        return drawn
    }()

    @Test("replicas are equal at equal positions, whatever is restarted, copied, begun anew or configured")
    func equalStates() throws {
        for seed in Self.drawn.first..<Self.drawn.first + UInt64(Self.drawn.count) {
            var history = try RandomHistory(seed: seed)
            for _ in 0..<60 { try history.step() }
            try history.check()
        }
    }
}

private struct RandomHistory {
    private let seed: UInt64
    private var random: SeededNumbers
    private let replicas = Replicas()
    private var nodes: [Replicas.Node] = []
    private var time: UInt64 = 1_700_000_000_000
    private var copies: [ObjectStore] = []
    private let clients = (1...3).map { ClientID(UInt64($0)) }

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededNumbers(seed: seed)
        for number in 0...1 + random.below(2) { nodes.append(try replicas.node(options: Self.options(number))) }
        var options = StoreEmbedded.Options()
        options.historyVersionsMax = random.one(of: [4, 20, 1_000])
        options.editedBytesMin = random.one(of: [0, 128])
        options.clientDaysMax = 2
        try nodes[0].record.begin(with: options.settings)
        try nodes[0].record.extendSchema(Record.schema)
    }

    /// What no state may depend on.
    private static func options(_ number: Int) -> StoreEmbedded.Options {
        StoreEmbedded.Options(
            historyVersionsMax: UInt64(2 + number), editedBytesMin: 50 * number, refusalBytesMax: UInt64(100 * number),
            refusalsMax: number, clientDaysMax: UInt64(number))
    }

    mutating func step() throws {
        let index = random.below(nodes.count)
        let node = nodes[index]
        time += UInt64(random.one(of: [1, 1, 50, 5_000, 90_000_000]))
        switch random.below(20) {
        case 0: nodes[index] = try replicas.node(node.folder, options: Self.options(random.below(9)))
        case 1: nodes[index] = try replicas.node(options: Self.options(random.below(9)))
        case 2:
            let folder = replicas.newFolder()
            copies.append(try node.replica.copyInMemory(toFolder: folder))
            nodes[index] = try replicas.node(folder, options: Self.options(random.below(9)))
        case 3: while try node.record.maintain(at: time) {}
        case 4: try node.record.extendSchema(Record.schema, by: Declarer(user: "user", time: time))
        case 5:
            var settings = try node.replica.settings ?? StoreEmbedded.Options().settings
            settings.historyVersionsMax = random.one(of: [3, 10, 1_000])
            try node.record.take(settings)
        case 6: try node.record.catchUp(atMost: random.below(5))
        case 7: try oneWay(node)
        default: try upload(node)
        }
        if random.once(in: 6) { try check() }
    }

    private mutating func upload(_ node: Replicas.Node) throws {
        let client = random.one(of: clients)
        let target = dog(Int64(random.below(6)))
        let box = ObjectReference("Box", .int(Int64(random.below(3))))
        let known = try node.record.register(client, user: "user")
        let operations: [Operation] =
            switch random.below(7) {
            case 0: [.delete(target, life: 2)]
            case 1: [set(target, "name", .string("n\(random.below(9))")), set(target, "nonsense", .int(1))]
            case 2: [create(box, ("body", .null))]
            case 3: [.keyed(box, property: "labels", .put(key: .string("l\(random.below(5))"), value: .bool(true)))]
            case 4: [set(target, "friend", .link(.int(Int64(random.below(6)))))]
            default: [create(target, ("age", .int(Int64(random.below(99)))))]
            }
        let base = random.once(in: 3) ? 0 : node.record.version.rawValue
        let changeset = Changeset(
            client: client, sequence: known.committed + 1, stamp: Stamp(time: time << 16, client: client),
            base: ServerVersion(base), operations: operations)
        _ = try node.record.commit(
            [UploadBatch(client: client, user: "user", changesets: [changeset])],
            receivedAt: time - UInt64(random.below(1_000)))
    }

    private mutating func oneWay(_ node: Replicas.Node) throws {
        let client = random.one(of: clients)
        let known = try node.record.register(client, user: "user")
        let reading = create(
            ObjectReference("Reading", .int(Int64(random.below(9)))), ("value", .double(Double(random.below(5)))))
        _ = try node.record.ingest(
            OneWayBatch(client: client, user: "user", first: known.ingested + 1, entries: [[reading]]), receivedAt: time
        )
    }

    func check() throws {
        for node in nodes { try node.record.catchUp() }
        let digests = Set(try nodes.map { try $0.replica.digest() })
        #expect(digests.count == 1, "seed \(seed), entry \(nodes[0].record.position)")
        #expect(Set(nodes.map(\.record.version)).count == 1, "seed \(seed)")
        for node in nodes { #expect(node.record.end == nil, "seed \(seed)") }
    }
}
