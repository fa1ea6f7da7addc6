import CausewayMeasuring
import CausewayModel
import CausewayOperations
import CausewayQuery
import CausewayStore
import CausewayStoreEmbedded
import Foundation

private typealias Operation = CausewayOperations.Operation
private typealias Row = CausewayMeasuring.Row

/// What the server's one writer takes for the operations of one changeset: nobody else commits meanwhile.
///
/// The records are in memory, so that no disk is measured.
struct RecordBenchmarks {
    static let group = "record"

    let smoke: Bool

    private static let owner = "owner"
    private static let schema = Schema([
        ClassSchema(
            name: "Item",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true), Property(name: "owner", type: .string),
                Property(name: "size", type: .int),
            ]),
        ClassSchema(
            name: "Ring",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true), Property(name: "number", type: .int),
                Property(name: "next", type: .object, isOptional: true, target: "Ring"),
            ]),
    ])

    /// An item is its owner's, and a ring may be written while the next one has the number 1.
    private static func rules() throws -> Permissions {
        func when(_ text: String) throws -> AccessRules.Rule { .when(try Predicate.parse(text)) }
        let item = try when("owner == 'owner' OR owner == 'everybody'")
        let ring = try when("next == nil OR next.number == 1")
        return Permissions(
            AccessRules(byClass: [
                "Item": AccessRules.OfClass(
                    read: item, create: item, write: item, delete: item,
                    properties: ["size": AccessRules.OfProperty(write: try when("size < 1000000000"))]),
                "Ring": AccessRules.OfClass(read: .always, create: ring, write: ring, delete: ring),
            ]))
    }

    /// A record, and the one device that writes to it.
    private final class Bench {
        private let store: StoreEmbedded
        private let permissions: Permissions?
        private let client = ClientID(1)
        private var sequence: UInt64 = 0
        private var time: UInt64 = 1_000

        init(_ permissions: Permissions?) throws {
            self.permissions = permissions
            store = try StoreEmbedded.open(
                folder: "record-\(UInt64.random(in: 0 ... .max))",
                options: StoreEmbedded.Options(mapSizeBytes: 1 << 32, inMemory: true), epochSeed: 1)
            try store.extendSchema(RecordBenchmarks.schema)
            _ = try store.register(client, user: RecordBenchmarks.owner)
        }

        /// - Returns: nanoseconds an operation.
        func commit(_ operations: [Operation]) throws -> Double {
            time += 1_000
            sequence += 1
            let changeset = Changeset(
                client: client, sequence: sequence, stamp: Stamp(time: time << 16, client: client),
                base: store.version, operations: operations)
            let batch = UploadBatch(
                client: client, user: RecordBenchmarks.owner, permissions: permissions, changesets: [changeset])
            let clock = ContinuousClock()
            let started = clock.now
            let outcome = try store.commit([batch], receivedAt: time)[0]
            let duration = clock.now - started
            if let failure = outcome.failure { throw failure }
            return duration.nanoseconds / Double(operations.count)
        }
    }

    private static func item(_ id: Int) -> ObjectReference { ObjectReference("Item", .int(Int64(id))) }
    private static func ring(_ id: Int) -> ObjectReference { ObjectReference("Ring", .int(Int64(id))) }

    private static func create(_ id: Int) -> Operation {
        .create(item(id), life: 1, fields: [FieldValue("owner", .string(owner)), FieldValue("size", .int(1))])
    }

    private static func set(_ id: Int, _ size: Int) -> Operation {
        .set(item(id), FieldValue("size", .int(Int64(size))))
    }

    /// Each is allowed only while the next one is, and the last one is not.
    private static func rings(_ count: Int) -> [Operation] {
        (0..<count).map {
            .create(ring($0), life: 1, fields: [FieldValue("number", .int($0 == count - 1 ? 0 : 1))])
        }
            + (0..<count).map {
                let next = PrimaryKey.int(Int64(($0 + 1) % count))
                return .set(ring($0), FieldValue("next", .link(next)))
            }
    }

    func run(_ report: ([CausewayMeasuring.Row]) -> Void) throws {
        let (count, runs) = smoke ? (1_000, 1) : (100_000, 5)
        for (permissions, said) in [(nil, "no rules"), (try Self.rules(), "rules of owners")]
            as [(Permissions?, String)]
        {
            let bench = try Bench(permissions)
            var (made, changed): ([Double], [Double]) = ([], [])
            for run in 0..<runs {
                let ids = run * count..<(run + 1) * count
                made.append(try bench.commit(ids.map(Self.create)))
                changed.append(try bench.commit(ids.map { Self.set($0, run + 2) }))
            }
            report([row("\(count) creates, \(said)", made), row("\(count) sets, \(said)", changed)])
        }
        let size = smoke ? 100 : 4_000
        // Only so much is kept of what was refused, so each has a record of its own.
        let linked = try (0..<runs).map { _ in try Bench(try Self.rules()).commit(Self.rings(size)) }
        report([row("\(2 * size) operations under rules through links, all of which fall with the last", linked)])
    }

    private func row(_ name: String, _ nanoseconds: [Double]) -> Row {
        .less(
            Self.group, name, "ns/operation", ours: nanoseconds.sorted()[nanoseconds.count / 2],
            under: Conditions(cache: .hot, runs: nanoseconds.count))
    }
}
