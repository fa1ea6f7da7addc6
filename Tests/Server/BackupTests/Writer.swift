import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewaySeeds
import CausewayStore
import CausewayStoreEmbedded

/// Writes to a record what a seed says. Two writers of one seed write the same, commit for commit, so that a record can
/// be made again up to any of its versions.
final class Writer {
    let store: StoreEmbedded
    private var numbers: SeededNumbers
    private var sequences: [ClientID: UInt64] = [:]
    private var counter: UInt64 = 0
    private var time: UInt64 = 1_000_000

    static let schema = Schema([
        ClassSchema(
            name: "Task",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true),
                Property(name: "title", type: .string),
                Property(name: "next", type: .object, isOptional: true, target: "Task"),
                Property(name: "steps", type: .string, collection: .list),
                Property(name: "labels", type: .string, collection: .set),
                Property(name: "count", type: .int, isCounter: true),
                Property(name: "place", type: .object, isOptional: true, target: "Place"),
            ]),
        ClassSchema(name: "Place", kind: .embedded, properties: [Property(name: "city", type: .string)]),
    ])

    /// As an opening of the record, which makes its first versions.
    init(folder: String, seed: UInt64, run: UInt64 = 7) throws {
        store = try StoreEmbedded.open(folder: folder, epochSeed: run)
        numbers = SeededNumbers(seed: seed)
        try store.extendSchema(Self.schema)
        for client in Self.clients { _ = try store.register(client, user: "user") }
    }

    private static let clients = [ClientID(1), ClientID(2)]

    /// Commits one changeset, which makes one version.
    func write() throws {
        let client = numbers.one(of: Self.clients)
        let sequence = (sequences[client] ?? 0) + 1
        sequences[client] = sequence
        time += 1
        let changeset = Changeset(
            client: client, sequence: sequence, stamp: Stamp(time: time << 16, client: client), base: store.version,
            operations: (0..<numbers.number(1...20)).map { _ in operation(of: client) })
        let outcome = try store.commit(
            [UploadBatch(client: client, user: "user", changesets: [changeset])], receivedAt: time)[0]
        if let failure = outcome.failure { throw failure }
    }

    private func operation(of client: ClientID) -> Operation {
        let task = ObjectReference("Task", .int(Int64(numbers.below(200))))
        counter += 1
        let id = ElementID(client: client, counter: counter)
        switch numbers.below(10) {
        case 0...3:
            return .create(
                task, life: 1,
                fields: [FieldValue("title", .string("task \(counter)")), FieldValue("count", .int(Int64(counter)))])
        case 4: return .set(task, FieldValue("title", .string("again \(counter)")))
        case 5: return .set(task, FieldValue("next", .link(.int(Int64(numbers.below(200))))))
        case 6:
            return .list(task, property: "steps", .insert(id, left: nil, right: nil, value: .string("step \(counter)")))
        case 7: return .keyed(task, property: "labels", .put(key: .string("label \(numbers.below(5))"), value: .null))
        case 8: return .add(task, property: "count", Addition(3, base: .zero))
        default: return .delete(task, life: 2)
        }
    }
}
