import CausewayJSON
import CausewayFeed
import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded

/// A record in memory, clients that write, and readers of the feed.
final class FeedBench {
    let record: StoreEmbedded
    private var sequences: [ClientID: UInt64] = [:]
    private var time: UInt64 = 1_700_000_000_000

    static let ann = ClientID(1)
    static let bob = ClientID(2)

    static let schema = Schema([
        ClassSchema(
            name: "Task",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true),
                Property(name: "title", type: .string),
                Property(name: "owner", type: .string),
                Property(name: "place", type: .object, isOptional: true, target: "Place"),
                Property(name: "labels", type: .string, collection: .list),
                Property(name: "tags", type: .string, collection: .set),
                Property(name: "scores", type: .int, collection: .map),
            ]),
        ClassSchema(
            name: "Person",
            properties: [
                Property(name: "_id", type: .string, isPrimaryKey: true), Property(name: "name", type: .string),
            ]),
        ClassSchema(name: "Place", kind: .embedded, properties: [Property(name: "city", type: .string)]),
    ])

    init(historyVersionsMax: UInt64 = 100_000) throws {
        record = try StoreEmbedded.open(
            folder: "feed-\(UInt64.random(in: 0...UInt64.max))",
            options: StoreEmbedded.Options(
                historyVersionsMax: historyVersionsMax, mapSizeBytes: 1 << 28, inMemory: true),
            epochSeed: 3)
        try record.extendSchema(Self.schema)
        for client in [Self.ann, Self.bob] { _ = try record.register(client, user: client == Self.ann ? "ann" : "bob") }
    }

    func write(_ operations: Operation..., by client: ClientID = FeedBench.ann) throws {
        try write(operations, by: client)
    }

    func write(_ operations: [Operation], by client: ClientID = FeedBench.ann) throws {
        time += 10
        sequences[client, default: 0] += 1
        let changeset = Changeset(
            client: client, sequence: sequences[client] ?? 0, stamp: Stamp(time: time << 16, client: client),
            base: record.version, operations: operations)
        let batch = UploadBatch(
            client: client, user: client == Self.ann ? "ann" : "bob", changesets: [changeset])
        if let failure = try record.commit([batch], receivedAt: time)[0].failure { throw failure }
    }

    // MARK: - Reading

    /// All events after a position, in steps of so many events.
    func events(
        after position: FeedPosition = FeedPosition(.zero), _ selection: FeedSelection = FeedSelection(),
        under permissions: Permissions? = nil, bounds: FeedBounds = FeedBounds(), atOnce: Int = .max
    ) throws -> [ChangeEvent] {
        var reader = FeedReader(from: position, selection, bounds: bounds)
        var events: [ChangeEvent] = []
        while true {
            var left = atOnce
            let isLeft = try reader.step(record.snapshot(), under: permissions) { event in
                events.append(event)
                left -= 1
                return left > 0
            }
            if !isLeft { return events }
        }
    }
}

extension ChangeEvent {
    /// Short words: `3 updated Task 1 title`.
    var words: String {
        let key: String = if case .int(let number) = self.key { "\(number)" } else { "\(self.key)" }
        return ([String(version.rawValue), kind.rawValue, className, key] + changed).joined(separator: " ")
    }
}

extension ObjectValues {
    var json: String {
        var json = JSONWriter()
        json.write(self)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

func task(_ id: Int64) -> ObjectReference { ObjectReference("Task", .int(id)) }

func place(_ number: UInt64) -> ObjectReference {
    ObjectReference("Place", .container(ElementID(client: FeedBench.ann, counter: number)))
}

func make(_ target: ObjectReference, life: UInt32 = 1, _ fields: (String, Value)...) -> Operation {
    .create(target, life: life, fields: fields.map { FieldValue($0.0, $0.1) })
}

func change(_ target: ObjectReference, _ property: String, _ value: Value) -> Operation {
    .set(target, FieldValue(property, value))
}
