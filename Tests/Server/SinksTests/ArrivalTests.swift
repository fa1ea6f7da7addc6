import CausewayModel
import CausewayOperations
import CausewaySinks
import CausewayStore
import CausewayStoreEmbedded
import Testing

@Suite("The order in which one-way objects arrive")
struct ArrivalTests {
    private func ids(_ record: StoreEmbedded, after sequence: UInt64 = 0) throws -> [PrimaryKey?] {
        let snapshot = try record.snapshot()
        return try snapshot.arrivals(after: sequence, countMax: 1_000).map { snapshot.name(of: $0.row)?.key }
    }

    @Test("objects have rising numbers, and one that arrives again gets a new one")
    func numbers() throws {
        let bench = try SinkBench()
        try bench.readings(1...3)
        let first = try bench.record.snapshot().arrivals(after: 0, countMax: 10)
        #expect(first.map(\.sequence) == first.map(\.sequence).sorted())
        #expect(bench.record.newestArrival == first.last?.sequence)
        try bench.readings(2...2, value: 9)
        #expect(try ids(bench.record) == [.int(1), .int(3), .int(2)])
        #expect(try ids(bench.record, after: bench.record.newestArrival) == [])
    }

    @Test("what was there before the order was kept comes first, in the order of rows")
    func earlier() throws {
        let bench = try SinkBench(ordered: false)
        try bench.readings(1...3)
        #expect(try ids(bench.record) == [])
        try bench.record.keepOneWayOrder()
        try bench.record.keepOneWayOrder()
        try bench.readings(4...4)
        #expect(try ids(bench.record) == [.int(1), .int(2), .int(3), .int(4)])
    }

    @Test("an entry that is refused has no number")
    func refused() throws {
        let bench = try SinkBench()
        #expect(throws: StoreFailure.self) { try bench.ingest([reading(1, ("value", .string("warm")))]) }
        #expect(try ids(bench.record) == [])
    }

    @Test("numbers go on above those of a sink that is further")
    func lifted() throws {
        let bench = try SinkBench()
        try bench.record.liftArrivals(above: 1 << 62)
        try bench.readings(1...1)
        #expect(bench.record.newestArrival == 1 << 62 + 1)
    }

    @Test("what all sinks have is removed once it is old enough, with what is embedded in it, and nothing else")
    func retention() async throws {
        let bench = try SinkBench()
        let place = ObjectReference("Place", .container(ElementID(client: SinkBench.client, counter: 1)))
        try bench.ingest([
            reading(1), .create(place, life: 1, fields: [FieldValue("city", .string("Bonn"))]),
            .create(
                ObjectReference("Reading", .int(2)), life: 1, fields: [FieldValue("place", .link(place.key))]),
        ])
        try bench.ingest([.create(ObjectReference("Alarm", .string("a")), life: 1, fields: [])])
        try bench.readings(3...4)
        let arrivals = try bench.record.snapshot().arrivals(after: 0, countMax: 10)
        let due = DueArrivals(through: arrivals[3].sequence, ageMinMilliseconds: 0, classes: ["Reading"])
        #expect(try bench.record.removeOneWay(due, at: bench.now, after: 0, countMax: 2) == arrivals[1].sequence)
        #expect(try bench.record.removeOneWay(due, at: bench.now, after: arrivals[1].sequence, countMax: 100) == nil)
        #expect(try ids(bench.record) == [.string("a"), .int(4)])
        #expect(try bench.record.count(of: "Place") == 0)
        var young = due
        young.through = .max
        young.ageMinMilliseconds = 60_000
        #expect(try bench.record.removeOneWay(young, at: bench.now, after: 0, countMax: 100) == nil)
        #expect(try bench.record.count(of: "Reading") == 1)
    }

    @Test("a class that is dropped leaves no number behind")
    func dropped() throws {
        let bench = try SinkBench()
        try bench.readings(1...2)
        try bench.ingest([.create(ObjectReference("Alarm", .null), life: 1, fields: [])])
        try bench.record.drop("Reading")
        #expect(try ids(bench.record) == [.null])
    }
}
