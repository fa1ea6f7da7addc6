import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Testing

@Suite("What is embedded in one-way objects", .everyBackend)
struct OneWayPartTests {
    private static let report = ObjectReference("Report", .int(1))

    private func record() throws -> Record {
        let record = try Record()
        try record.backend.extendSchema(
            Schema(
                Record.schema.classes.filter { $0.kind == .embedded } + [
                    ClassSchema(
                        name: "Report", kind: .asymmetric,
                        properties: [
                            Property(name: "_id", type: .int, isPrimaryKey: true),
                            Property(name: "home", type: .object, isOptional: true, target: "Home"),
                            Property(name: "homes", type: .object, collection: .list, target: "Home"),
                        ])
                ]))
        return record
    }

    /// The report with a home that has a room, and another home in its list.
    private func ingest(_ number: UInt64, into record: Record) throws {
        let element = ElementID(client: Record.ann, counter: 100 + number)
        _ = try record.backend.ingest(
            OneWayBatch(
                client: Record.ann, user: "user", first: number,
                entries: [
                    [
                        create(room(3 * number)),
                        create(home(3 * number + 1), ("room", .link(room(3 * number).key))),
                        create(home(3 * number + 2)),
                        create(Self.report, ("home", .link(home(3 * number + 1).key))),
                        .list(
                            Self.report, property: "homes",
                            .insert(element, left: nil, right: nil, value: .link(home(3 * number + 2).key))),
                    ]
                ]),
            receivedAt: record.time)
    }

    @Test("a part that is replaced leaves no stamps behind")
    func replaced() throws {
        let record = try record()
        try ingest(1, into: record)
        let stamps = try record.count("server.stamps")
        for number in 2...5 as ClosedRange<UInt64> { try ingest(number, into: record) }
        #expect(try record.store.count(of: "Home") == 2 && record.store.count(of: "Room") == 1)
        #expect(try record.count("server.stamps") == stamps)
        #expect(try record.problems() == [])
    }
}
