import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import CausewaySubscriptions

/// A record in memory, clients that write, and the view of one device, told in full at every step.
final class View {
    let record: StoreEmbedded
    private var sequences: [ClientID: UInt64] = [:]
    private var time: UInt64 = 1_000

    static let ann = ClientID(1)
    static let bob = ClientID(2)

    static let schema = Schema([
        ClassSchema(
            name: "Task",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true),
                Property(name: "title", type: .string),
                Property(name: "done", type: .bool),
                Property(name: "owner", type: .object, isOptional: true, target: "Person"),
                Property(name: "place", type: .object, isOptional: true, target: "Place"),
                Property(name: "labels", type: .string, collection: .list),
                Property(name: "node", type: .object, isOptional: true, target: "Node"),
            ]),
        ClassSchema(
            name: "Person",
            properties: [
                Property(name: "_id", type: .string, isPrimaryKey: true), Property(name: "name", type: .string),
            ]),
        ClassSchema(name: "Place", kind: .embedded, properties: [Property(name: "city", type: .string)]),
        ClassSchema(
            name: "Node", kind: .embedded,
            properties: [
                Property(name: "next", type: .object, isOptional: true, target: "Node"),
                Property(name: "all", type: .object, collection: .list, target: "Node"),
            ]),
        ClassSchema(
            name: "Event", kind: .asymmetric, properties: [Property(name: "_id", type: .int, isPrimaryKey: true)]),
    ])

    init(historyVersionsMax: UInt64 = 1_000) throws {
        record = try StoreEmbedded.open(
            folder: "view-\(UInt64.random(in: 0...UInt64.max))",
            options: StoreEmbedded.Options(
                historyVersionsMax: historyVersionsMax, mapSizeBytes: 1 << 26, inMemory: true),
            epochSeed: 3)
        try record.extendSchema(Self.schema)
        for client in [Self.ann, Self.bob] { _ = try record.register(client, user: "user") }
    }

    func write(_ client: ClientID, base: UInt64? = nil, at stamp: UInt64? = nil, _ operations: Operation...) throws {
        try write(client, base: base, at: stamp, operations)
    }

    func write(
        _ client: ClientID, base: UInt64? = nil, at stamp: UInt64? = nil, _ operations: [Operation],
        under permissions: Permissions? = nil
    ) throws {
        time += 10
        sequences[client, default: 0] += 1
        let changeset = Changeset(
            client: client, sequence: sequences[client] ?? 0,
            stamp: Stamp(time: (stamp ?? time) << 16, client: client),
            base: ServerVersion(base ?? record.version.rawValue), operations: operations)
        let outcome = try record.commit(
            [UploadBatch(client: client, user: "user", permissions: permissions, changesets: [changeset])],
            receivedAt: time)[0]
        if let failure = outcome.failure {
            // It makes the changeset anew under the same number.
            sequences[client, default: 1] -= 1
            throw failure
        }
    }

    /// The whole difference, in short words, sorted within each kind.
    func difference(
        from version: UInt64, _ held: [QueryText], _ wanted: [QueryText], for client: ClientID = View.ann,
        bytes: Int = 1 << 20
    ) throws -> [String] {
        let difference = try ViewDifference(
            record.snapshot(), from: ServerVersion(version), held: held, wanted: wanted, for: client)
        var words: [String] = []
        while true {
            let part = try difference.next(bytesMax: bytes)
            words += part.allEntered.map { "enter \($0.object.shown)" }
            words += part.updated.map { "update \($0.object.shown) \($0.state.names)" }
            words += part.left.map { "leave \($0.object.shown)\($0.reason == .query ? "" : " \($0.reason)")" }
            words += part.deleted.map { "delete \($0.object.shown)" }
            if part.isLast { return words }
        }
    }
}

extension ViewDifference.Part {
    /// Every object that enters, one by one.
    var allEntered: [ObjectContent] {
        entered + enteredRuns.flatMap { run in run.objects.map { ObjectContent($0.object, $0.state) } }
    }
}

func task(_ id: Int64) -> ObjectReference { ObjectReference("Task", .int(id)) }

func place(_ id: UInt64) -> ObjectReference {
    ObjectReference("Place", .container(ElementID(client: View.bob, counter: id)))
}

func make(_ target: ObjectReference, life: UInt32 = 1, _ fields: (String, Value)...) -> Operation {
    .create(target, life: life, fields: fields.map { FieldValue($0.0, $0.1) })
}

func change(_ target: ObjectReference, _ property: String, _ value: Value) -> Operation {
    .set(target, FieldValue(property, value))
}

func tasks(_ predicate: String) -> QueryText { QueryText(className: "Task", predicate: predicate) }
