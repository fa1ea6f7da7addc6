import CausewaySeeds
import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayOperations
import CausewayStorage
import CausewaySync
import CausewayWire
import Synchronization

/// A device's file: what survives the end of its process. It does what the database's synchronised file does, and
/// fails when it is told to.
final class DeviceFile {
    let store: ObjectStore
    let client: ClientID
    private(set) var schema: Schema
    /// Every query set the app ever asked for: the checkpoint names one of them.
    private var querySets: [UInt64: QuerySet] = [0: .empty]
    private(set) var wanted = QuerySet.empty
    private(set) var refused: Set<UInt64> = []
    /// How often a process opened it.
    private var openings: UInt64 = 0
    /// What the questions of one resync have in common.
    private var comparison: ReplicaDigests?

    private static let filesMade = Atomic<Int>(0)

    init(seed: UInt64, number: Int, schema: Schema) throws {
        self.schema = schema
        client = ClientID(seed &* 1_000_000 &+ 16 * 3 &+ UInt64(number))
        let unique = Self.filesMade.wrappingAdd(1, ordering: .relaxed).newValue
        store = try ObjectStore.open(
            path: "simulated-device-\(seed)-\(number)-\(unique)",
            options: ObjectStore.Options(inMemory: true, mapSizeBytes: 1 << 26))
        try write { transaction in
            try transaction.extendSchema(schema.withNestedCollections)
            _ = try Replica.open(in: transaction, newClient: client)
        }
    }

    // MARK: - Transactions

    func read<R>(_ body: (Transaction) throws -> R) throws -> R {
        let transaction = try store.read()
        defer { transaction.end() }
        return try body(transaction)
    }

    /// Commits what the body did, or nothing of it if the body throws.
    func write<R>(_ body: (Transaction) throws -> R) throws -> R {
        let transaction = try store.write()
        defer { transaction.end() }
        do {
            let result = try body(transaction)
            _ = try transaction.commit(.relaxed)
            return result
        } catch {
            if transaction.isWritable { transaction.abort() }
            throw error
        }
    }

    /// The bookkeeping as a process finds it that opens the file.
    func openReplica() throws -> Replica {
        openings += 1
        let opening = client.rawValue << 32 | openings
        return try read { try Replica.open(in: $0, newClient: client, opening: opening) }
    }

    func state(_ replica: Replica) throws -> ReplicaState {
        try read { try replica.state(in: $0) }
    }

    func upgrade(to newer: Schema) throws {
        try write { try $0.extendSchema(newer.withNestedCollections) }
        schema = newer
    }

    // MARK: - Subscriptions

    func subscribe(_ queries: [StandingQuery]) {
        wanted = QuerySet(version: wanted.version + 1, queries: queries)
        querySets[wanted.version] = wanted
    }

    func refuse(_ version: UInt64) { refused.insert(version) }

    func queries(_ version: UInt64) -> QuerySet { querySets[version] ?? .empty }

    func hello(_ replica: Replica) throws -> (hello: Hello, state: ReplicaState, staged: StagedChange?) {
        comparison = nil
        let staged = try read { try Self.staged(in: $0) }
        let view = staged?.view(queries)
        let (state, oldest) = try read { (try replica.state(in: $0), try replica.oldestChangeset(in: $0)) }
        let held = queries(state.querySet)
        let hello = Hello(
            client: client, protocolVersions: WireProtocol.versions, schema: schema,
            checkpoint: Checkpoint(
                epoch: state.epoch, version: state.version, querySet: state.querySet,
                acknowledged: state.acknowledged, incarnation: state.incarnation, permissions: state.permissions,
                schema: state.schema),
            held: held, wanted: refused.contains(wanted.version) ? held : wanted, oldest: oldest,
            oldestOneWay: state.acknowledgedOneWay + 1, staged: view)
        return (hello, state, view == nil ? nil : staged)
    }

    // MARK: - Resync

    func digests(_ question: DigestQuestion, _ replica: Replica) throws -> [DigestReport] {
        if comparison?.seed != question.seed || comparison?.acknowledged != question.acknowledged
            || question.number == 1
        {
            comparison = replica.digests(seed: question.seed, acknowledged: question.acknowledged)
        }
        return try read { transaction in
            try question.asks.map { try comparison?.report(on: $0, in: transaction) ?? .objects([]) }
        }
    }

    func endComparison() { comparison = nil }

    // MARK: - Staging

    private static func staging(_ transaction: Transaction) -> Tree { transaction.tree("sync.staging") }

    private static func stagingKey(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
    }

    private static let stagedKey: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]

    static func staged(in transaction: Transaction) throws -> StagedChange? {
        try staging(transaction).get(stagedKey).map { try StagedChange(encoded: $0) }
    }

    static func clearStaging(in transaction: Transaction) { staging(transaction).removeRange() }

    static func stage(_ parts: [ViewChunk], from first: Int, in transaction: Transaction) throws {
        if first == 0 { clearStaging(in: transaction) }
        var staged = try staged(in: transaction)
        for (offset, part) in parts.enumerated() {
            staged = StagedChange.adding(part, number: first + offset, to: staged)
        }
        if let staged { staging(transaction).put(stagedKey, staged.encoded()) }
        for (offset, part) in parts.enumerated() {
            staging(transaction).put(
                stagingKey(first + offset), WireCodec.encode(DownloadMessage.changes(part)))
        }
    }

    /// Some of the parts that were staged, in order.
    static func unstage(_ numbers: Range<Int>, in transaction: Transaction) throws -> [ViewChunk] {
        try numbers.map { number in
            guard let bytes = staging(transaction).get(stagingKey(number)),
                case .changes(let part) = try WireCodec.decode(DownloadMessage.self, body: bytes)
            else { throw Divergence("part \(number) of a staged change is missing") }
            return part
        }
    }

    // MARK: - What the checks ask

    /// Operations that are kept because the server refused them.
    func quarantined() throws -> [Operation] {
        try read { try Replica.quarantined(in: $0).flatMap(\.operations) }
    }

    func content() throws -> [String: [PrimaryKey: Picture]] {
        try read { transaction in
            var content: [String: [PrimaryKey: Picture]] = [:]
            for declared in schema.classes where declared.kind == .object {
                content[declared.name] = transaction.pictures(declared.name)
            }
            return content
        }
    }

    /// Top-level objects that pending changesets are about, by themselves or by what is embedded in them.
    func pendingObjects(_ replica: Replica) throws -> Set<ObjectReference> {
        try read { transaction in
            var objects: Set<ObjectReference> = []
            var sequence = try replica.state(in: transaction).acknowledged
            // What was written in different openings of the file is read in as many turns.
            while let last = try collect(after: sequence, replica, transaction, &objects) { sequence = last }
            return objects
        }
    }

    /// - Returns: the last changeset that was read; nil when none is left.
    private func collect(
        after sequence: UInt64, _ replica: Replica, _ transaction: Transaction, _ objects: inout Set<ObjectReference>
    ) throws -> UInt64? {
        let pending = try replica.pending(in: transaction, after: sequence, limitBytes: 1 << 30)
        for operation in pending.flatMap(\.operations) {
            objects.insert(operation.target)
            guard case .container = operation.target.key else { continue }
            if let root = transaction.root(of: operation.target) { objects.insert(root) }
        }
        return pending.last?.sequence
    }
}
