import CausewayModel
import CausewayOperations
import CausewaySinks
import CausewayStore
import CausewayStoreEmbedded
import Synchronization
import Testing

@Suite("Which one-way objects are removed")
struct RetentionTests {
    /// A place that remembers how far it is, over the lives of carriers.
    private final class Place: Sink {
        private let position = Mutex<UInt64>(0)

        func open() async throws(SinkFailure) -> UInt64 { position.withLock { $0 } }
        func take(_ batch: SinkBatch) async throws(SinkFailure) { position.withLock { $0 = batch.through } }
        func rest() async throws(SinkFailure) {}
        func close() async {}
    }

    @Test("a class that a sink takes later: what arrived before stays, and what comes then goes when it was carried")
    func added() async throws {
        let (bench, place) = (try SinkBench(), Place())
        func alarm(_ key: String) throws {
            try bench.ingest([.create(ObjectReference("Alarm", .string(key)), life: 1, fields: [])])
        }
        func carryAndRemove(_ classes: Set<ExactString>?) async throws {
            let carrier = bench.carrier(place, classes: classes)
            try await running(carrier) { carrier.state.now.position == bench.record.newestArrival }
            try await Retention(bench.record, sinks: [carrier.state], milliseconds: 1).sweep(at: bench.now + 1_000)
        }
        try alarm("early")
        try bench.readings(1...3)
        try await carryAndRemove(["Reading"])
        #expect(try bench.record.count(of: "Reading") == 0)
        #expect(try bench.record.count(of: "Alarm") == 1)
        try bench.readings(4...5)
        try alarm("late")
        try await carryAndRemove(["Reading", "Alarm"])
        #expect(try bench.record.count(of: "Reading") == 0)
        #expect(try bench.record.count(of: "Alarm") == 1, "the early one was never carried")
        try alarm("later")
        try await carryAndRemove(nil)
        #expect(try bench.record.count(of: "Alarm") == 1)
    }

    @Test("nothing is removed before every sink was opened")
    func unopened() async throws {
        let bench = try SinkBench()
        try bench.readings(1...2)
        let (one, other) = (bench.carrier(Place()), bench.carrier(Place(), name: "other"))
        try await running(one) { one.state.now.position == bench.record.newestArrival }
        try await Retention(bench.record, sinks: [one.state, other.state], milliseconds: 1).sweep(at: bench.now + 1_000)
        #expect(try bench.record.count(of: "Reading") == 2)
    }

    @Test("a clock that is wrong for a moment removes nothing, and one that leaps nothing before its age")
    func leap() async throws {
        let (bench, day) = (try SinkBench(), 86_400_000 as UInt64)
        try bench.readings(1...2)
        // While the clock stands at 1970 an object arrives.
        _ = try bench.record.ingest(
            OneWayBatch(client: SinkBench.client, user: "user", first: 3, entries: [[reading(3)]]), receivedAt: 5)
        let carrier = bench.carrier(Place())
        try await running(carrier) { carrier.state.now.position == bench.record.newestArrival }
        let retention = Retention(bench.record, sinks: [carrier.state], milliseconds: day)
        var time = bench.now
        func remaining() async throws -> Int {
            try await retention.sweep(at: time)
            return try bench.record.count(of: "Reading")
        }
        #expect(try await remaining() == 3)
        time += 365 * day
        #expect(try await remaining() == 3)
        for _ in 0..<20 {
            time += 60_000
            while try bench.record.maintain(at: time) {}
        }
        #expect(try await remaining() == 3, "they are as old as the leap that is believed now")
        for _ in 0..<3 {
            time += day / 2
            while try bench.record.maintain(at: time) {}
        }
        #expect(try await remaining() == 0)
    }
}
