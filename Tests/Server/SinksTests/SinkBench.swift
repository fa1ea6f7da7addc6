import CausewayEnvironment
import CausewayFeed
import CausewayModel
import CausewayOperations
import CausewaySinks
import CausewayStore
import CausewayStoreEmbedded
import Foundation
import Logging
import Synchronization

/// A record in memory with one-way objects, and a sink that is fed from it.
final class SinkBench: Sendable {
    let record: StoreEmbedded
    let source: FeedSource
    private let next = Mutex<(entry: UInt64, time: UInt64)>((1, 1_700_000_000_000))
    static let client = ClientID(5)

    static let schema = Schema([
        ClassSchema(
            name: "Reading", kind: .asymmetric,
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true),
                Property(name: "value", type: .double),
                Property(name: "note", type: .string, isOptional: true),
                Property(name: "place", type: .object, isOptional: true, target: "Place"),
            ]),
        ClassSchema(
            name: "Alarm", kind: .asymmetric,
            properties: [Property(name: "_id", type: .string, isOptional: true, isPrimaryKey: true)]),
        ClassSchema(name: "Place", kind: .embedded, properties: [Property(name: "city", type: .string)]),
    ])

    init(ordered: Bool = true) throws {
        record = try StoreEmbedded.open(
            folder: "sinks-\(UInt64.random(in: 0...UInt64.max))",
            options: StoreEmbedded.Options(mapSizeBytes: 1 << 28, inMemory: true), epochSeed: 3)
        source = FeedSource(record)
        try record.extendSchema(Self.schema)
        _ = try record.register(Self.client, user: "user")
        if ordered { try record.keepOneWayOrder() }
    }

    /// One entry each.
    func ingest(_ entries: [CausewayOperations.Operation]...) throws {
        let (first, time) = next.withLock { next in
            defer { next = (next.entry + UInt64(entries.count), next.time + 10) }
            return next
        }
        _ = try record.ingest(
            OneWayBatch(client: Self.client, user: "user", first: first, entries: entries), receivedAt: time)
    }

    func readings(_ ids: ClosedRange<Int64>, value: Double = 1) throws {
        for id in ids { try ingest([reading(id, ("value", .double(value)))]) }
    }

    var now: UInt64 { next.withLock { $0.time } }

    func carrier(_ sink: any Sink, name: String = "sink", classes: Set<ExactString>? = nil, rowsMax: Int = 7)
        -> SinkCarrier
    {
        var bounds = ArrivalReader.Bounds()
        bounds.rowsMax = rowsMax
        return SinkCarrier(
            sink, state: CarrierState(database: "test", .sink, name: name),
            reader: ArrivalReader(source, classes: classes, bounds: bounds), keeping: record,
            bell: NewsBell { [record] in record.newestArrival }, random: SystemRandom(),
            logger: Logger(label: "test"))
    }
}

func reading(_ id: Int64, _ fields: (String, Value)...) -> CausewayOperations.Operation {
    .create(
        ObjectReference("Reading", .int(id)), life: 1, fields: fields.map { FieldValue($0.0, $0.1) })
}

/// Runs a carrier until a condition holds; fails after a time that is meant for hangs.
func running(_ carrier: any Carrier, until isDone: () async throws -> Bool) async throws {
    let task = Task { await carrier.run() }
    let deadline = ContinuousClock.now + .seconds(60)
    do {
        while !(try await isDone()) {
            guard ContinuousClock.now < deadline else { throw Late(state: carrier.state.now) }
            try await Task.sleep(for: .milliseconds(5))
        }
    } catch {
        task.cancel()
        await task.value
        throw error
    }
    task.cancel()
    await task.value
}

struct Late: Error {
    var state: CarrierState.Snapshot
}
