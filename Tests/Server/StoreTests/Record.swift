import CausewayJournal
import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayQuery
import CausewayStore
import CausewayStoreEmbedded
import CausewayStoreReplicated
import Testing

/// A record in memory with a few words to write to it and to look into it.
final class Record {
    let store: StoreEmbedded
    /// The record to be tested: `store`, or one that `store` is a replica of (`EveryBackend`).
    let backend: any StoreBackend
    private let journal: MemoryJournal
    private let file: ObjectStore
    private let path: String
    private var sequences: [ClientID: UInt64] = [:]
    /// Milliseconds since 1970 at which everything is received.
    var time: UInt64 = 1_000_000

    static let schema = Schema([
        ClassSchema(
            name: "Dog",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true),
                Property(name: "name", type: .string),
                Property(name: "age", type: .int, isOptional: true),
                Property(name: "friend", type: .object, isOptional: true, target: "Dog"),
                Property(name: "toys", type: .string, collection: .list),
                Property(name: "home", type: .object, isOptional: true, target: "Home"),
            ]),
        ClassSchema(
            name: "Home", kind: .embedded,
            properties: [
                Property(name: "city", type: .string),
                Property(name: "room", type: .object, isOptional: true, target: "Room"),
            ]),
        ClassSchema(name: "Room", kind: .embedded, properties: [Property(name: "size", type: .int)]),
        ClassSchema(
            name: "Box",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true),
                Property(name: "labels", type: .string, collection: .set),
                Property(name: "scores", type: .int, collection: .map),
                Property(name: "items", type: .string, collection: .list),
                Property(name: "body", type: .string, isText: true),
            ]),
        ClassSchema(
            name: "Reading", kind: .asymmetric,
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true), Property(name: "value", type: .double),
            ]),
    ])

    /// The class gets a counter, which is declared anew with it.
    func addCounter(_ name: String, to className: String) throws {
        let counter = Property(name: name, type: .int, isCounter: true)
        try backend.extendSchema(
            Schema(
                Self.schema.classes.map { known in
                    known.name == className
                        ? ClassSchema(name: known.name, properties: known.properties + [counter]) : known
                }))
    }

    init(_ name: String = #function, options: StoreEmbedded.Options = StoreEmbedded.Options(), epoch: UInt64 = 7) throws
    {
        path = "record-\(name)-\(UInt64.random(in: 0...UInt64.max))"
        var options = options
        options.inMemory = true
        options.mapSizeBytes = 1 << 26
        file = try ObjectStore.open(
            path: path + "/database.causeway", options: ObjectStore.Options(inMemory: true, mapSizeBytes: 1 << 26))
        journal = MemoryJournal(database: epoch, incarnation: epoch)
        if EveryBackend.isReplicated {
            store = try StoreEmbedded.openReplica(folder: path, options: options, of: epoch)
            let replicated = try StoreReplicated(
                store, following: journal, options: StoreReplicated.Options(digestEvery: 500))
            try replicated.begin(with: options.settings)
            backend = replicated
        } else {
            store = try StoreEmbedded.open(folder: path, options: options, epochSeed: epoch)
            backend = store
        }
        try backend.extendSchema(Self.schema)
        for client in [Self.ann, Self.bob] { _ = try backend.register(client, user: "user") }
    }

    static let ann = ClientID(1)
    static let bob = ClientID(2)

    // MARK: - Writing

    /// The next changeset of a client.
    func changeset(
        _ client: ClientID, base: UInt64? = nil, at stamp: UInt64? = nil, _ operations: [Operation]
    ) -> Changeset {
        let sequence = (sequences[client] ?? 0) + 1
        sequences[client] = sequence
        return Changeset(
            client: client, sequence: sequence, stamp: Stamp(time: (stamp ?? time) << 16, client: client),
            base: ServerVersion(base ?? store.version.rawValue), operations: operations)
    }

    @discardableResult
    func write(
        _ client: ClientID, base: UInt64? = nil, at stamp: UInt64? = nil, _ operations: Operation...
    ) throws -> CommitOutcome {
        try commit(client, changeset(client, base: base, at: stamp, operations))
    }

    @discardableResult
    func commit(_ client: ClientID, _ changesets: Changeset...) throws -> CommitOutcome {
        time += 1
        return try backend.commit(
            [UploadBatch(client: client, user: "user", changesets: changesets)], receivedAt: time)[0]
    }

    /// Writes, and says why not all of it was applied; nil when it was.
    func objection(
        _ client: ClientID, base: UInt64? = nil, at stamp: UInt64? = nil, _ operations: Operation...
    ) throws -> StoreFailure? {
        let changeset = changeset(client, base: base, at: stamp, operations)
        if let failure = try commit(client, changeset).failure { return failure }
        return try refusals(client).first { $0.sequence == changeset.sequence }?.failure
    }

    func refusals(_ client: ClientID, after acknowledged: UInt64 = 0) throws -> [Refusal] {
        try store.snapshot().refusals(of: client, after: acknowledged, through: .max - 1)
    }

    // MARK: - Looking

    func dog(_ id: Int64) throws -> [String: Value]? { try object("Dog", .int(id)) }

    func object(_ className: String, _ key: PrimaryKey) throws -> [String: Value]? {
        let transaction = try file.read()
        defer { transaction.end() }
        let table = try #require(transaction.table(className))
        guard let row = table.key(for: key) else { return nil }
        var values: [String: Value] = [:]
        for (column, property) in table.schema.properties.enumerated() where property.collection == .none {
            var value = table.value(row, column)
            if case .object(let target) = value, let name = property.target,
                let key = transaction.table(name)?.primaryKey(of: target)
            {
                value = .link(key)
            }
            values[property.name] = value
        }
        return values
    }

    func toys(_ id: Int64) throws -> [Value] {
        let transaction = try file.read()
        defer { transaction.end() }
        let table = try #require(transaction.table("Dog"))
        let row = try #require(table.key(for: .int(id)))
        return table.listValues(row, try #require(table.schema.index(of: "toys")))
    }

    /// Which commit of its file the record is at.
    var commits: UInt64 {
        get throws {
            let transaction = try file.read()
            defer { transaction.end() }
            return transaction.version
        }
    }

    /// How many entries a tree of the record has.
    func count(_ tree: String) throws -> Int {
        let transaction = try file.read()
        defer { transaction.end() }
        return transaction.tree(tree).count
    }

    /// What lies in all the trees that the record keeps beside the columns, its history apart.
    func bytes() throws -> Int {
        try bytes(of: ["stamps", "births", "lists", "counters", "ends", "forgotten", "marks", "marked"])
    }

    /// What lies in some trees of the record.
    func bytes(of trees: [String]) throws -> Int {
        let transaction = try file.read()
        defer { transaction.end() }
        var size = 0
        for tree in trees {
            transaction.tree("server." + tree).scan { key, value in
                size += key.count + value.count
                return true
            }
        }
        return size
    }

    func elements() throws -> [SchemaElement] {
        let transaction = try file.read()
        defer { transaction.end() }
        return try StoreEmbedded.schemaElements(in: transaction)
    }

    /// What is wrong in the file, and in what the record keeps beside the objects.
    func problems() throws -> [String] { try file.verify().problems + report().problems }

    func report() throws -> RecordReport { try StoreEmbedded.verify(file) }

    /// Changes the file below the record.
    func change(_ body: (Transaction) -> Void) throws {
        let transaction = try file.write()
        defer { transaction.end() }
        body(transaction)
        try transaction.commit()
    }

    /// Puts an entry into a tree, as another build may have left it.
    func put(_ tree: String, _ key: [UInt8], _ value: [UInt8]) throws {
        let transaction = try file.write()
        defer { transaction.end() }
        transaction.tree("server." + tree).put(key, value)
        try transaction.commit()
    }

    /// The record under test once more.
    func reopened() throws -> any StoreBackend {
        guard EveryBackend.isReplicated else { return try reopen() }
        let options = StoreEmbedded.Options(mapSizeBytes: 1 << 26, inMemory: true)
        let replica = try StoreEmbedded.openReplica(folder: path, options: options, of: journal.head().database)
        return try StoreReplicated(replica, following: journal)
    }

    func reopen() throws -> StoreEmbedded {
        try StoreEmbedded.open(
            folder: path, options: StoreEmbedded.Options(mapSizeBytes: 1 << 26, inMemory: true), epochSeed: 99)
    }
}

func dog(_ id: Int64) -> ObjectReference { ObjectReference("Dog", .int(id)) }

func home(_ id: UInt64) -> ObjectReference {
    ObjectReference("Home", .container(ElementID(client: Record.ann, counter: id)))
}

func room(_ id: UInt64) -> ObjectReference {
    ObjectReference("Room", .container(ElementID(client: Record.ann, counter: id)))
}

func create(_ target: ObjectReference, life: UInt32 = 1, _ fields: (String, Value)...) -> Operation {
    .create(target, life: life, fields: fields.map { FieldValue($0.0, $0.1) })
}

func set(_ target: ObjectReference, _ property: String, _ value: Value) -> Operation {
    .set(target, FieldValue(property, value))
}

extension CommitOutcome {
    /// What the client is told. The tally is of what one commit was the first to see, so repetitions have another.
    var answer: CommitOutcome {
        var answer = self
        answer.tally = CommitTally()
        return answer
    }
}
