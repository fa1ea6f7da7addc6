import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import CausewayTelemetry
import Testing

@testable import CausewayDaemon
@testable import CausewayFeed
@testable import CausewaySinks

@Suite("How far those are behind who follow a database")
struct FollowerGaugesTests {
    private static let client = ClientID(1)
    private static let start: UInt64 = 1_700_000_000_000

    /// Versions 1 to 3 and three one-way objects, one each second.
    private func store() throws -> StoreEmbedded {
        let store = try StoreEmbedded.open(
            folder: "followers-\(UInt64.random(in: 0...UInt64.max))",
            options: StoreEmbedded.Options(mapSizeBytes: 1 << 26, inMemory: true), epochSeed: 3)
        try store.extendSchema(
            Schema(
                ([("Task", .object), ("Reading", .asymmetric)] as [(String, ClassKind)]).map { name, kind in
                    ClassSchema(
                        name: name, kind: kind, properties: [Property(name: "_id", type: .int, isPrimaryKey: true)])
                }))
        _ = try store.register(Self.client, user: "ann")
        try store.keepOneWayOrder()
        for number in 1...3 as ClosedRange<UInt64> {
            let time = Self.start + number * 1_000
            func create(_ className: String) -> CausewayOperations.Operation {
                .create(ObjectReference(className, .int(Int64(number))), life: 1, fields: [])
            }
            let changeset = Changeset(
                client: Self.client, sequence: number, stamp: Stamp(time: time << 16, client: Self.client),
                base: store.version, operations: [create("Task")])
            _ = try store.commit(
                [UploadBatch(client: Self.client, user: "ann", changesets: [changeset])], receivedAt: time)
            _ = try store.ingest(
                OneWayBatch(client: Self.client, user: "ann", first: number, entries: [[create("Reading")]]),
                receivedAt: time)
        }
        return store
    }

    private func numbers(_ gauges: FollowerGauges) throws -> [[String]: Double] {
        let samples = try gauges.read()
        return Dictionary(uniqueKeysWithValues: samples.map { ([$0.definition.name] + $0.values, $0.number) })
    }

    @Test("webhooks lack versions, sinks lack objects, and readers of changes are as far as the slowest")
    func lag() throws {
        let store = try store()
        let feed = FeedSource(store)
        let (hook, sink) = (
            CarrierState(database: "db", .webhook, name: "h"), CarrierState(database: "db", .sink, name: "s")
        )
        let gauges = FollowerGauges(
            database: "db", feed: feed, carriers: { [hook, sink] }, now: { Self.start + 10_000 })
        let before = try numbers(gauges)
        #expect(before[["causeway_feed_readers", "db"]] == 0 && before[["causeway_feed_lag_versions", "db"]] == 0)
        #expect(before[["causeway_carrier_behind", "db", "webhook", "h"]] == nil, "it was not opened")
        hook.opened(at: 1)
        sink.opened(at: try #require(try store.snapshot().arrivals(after: 0, countMax: 1).first).sequence)
        _ = sink.failed("The disk is full.")
        sink.begins()
        let (slow, fast) = (
            try feed.place(for: "ann", at: ServerVersion(0)), try feed.place(for: "bob", at: ServerVersion(3))
        )
        let found = try numbers(gauges)
        for (name, number) in [
            ("causeway_carrier_behind", 2.0), ("causeway_carrier_lag_seconds", 8), ("causeway_carrier_failing", 0),
        ] { #expect(found[[name, "db", "webhook", "h"]] == number, "\(name)") }
        for (name, number) in [
            ("causeway_carrier_behind", 2.0), ("causeway_carrier_lag_seconds", 8), ("causeway_carrier_failing", 1),
            ("causeway_carrier_failures_total", 1), ("causeway_carrier_retries_total", 1),
        ] { #expect(found[[name, "db", "sink", "s"]] == number, "\(name)") }
        #expect(found[["causeway_feed_readers", "db"]] == 2 && found[["causeway_feed_lag_versions", "db"]] == 3)
        #expect(found[["causeway_feed_lag_seconds", "db"]] == 9)
        slow.reached(ServerVersion(3))
        fast.reached(ServerVersion(3))
        sink.succeeded()
        let after = try numbers(gauges)
        #expect(after[["causeway_feed_lag_seconds", "db"]] == 0)
        #expect(after[["causeway_carrier_failing", "db", "sink", "s"]] == 0)
        #expect(after[["causeway_carrier_success_age_seconds", "db", "sink", "s"]] != nil)
    }
}
