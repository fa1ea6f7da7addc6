import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Testing

@testable import CausewayIngest

@Suite("One-way objects")
struct IntakeTests {
    private let client = ClientID(5)

    private static let schema = Schema([
        ClassSchema(
            name: "Reading", kind: .asymmetric,
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true),
                Property(name: "value", type: .double),
                Property(name: "place", type: .object, isOptional: true, target: "Place"),
            ]),
        ClassSchema(name: "Place", kind: .embedded, properties: [Property(name: "city", type: .string)]),
        ClassSchema(name: "Dog", properties: [Property(name: "_id", type: .int, isPrimaryKey: true)]),
    ])

    private func record() throws -> StoreEmbedded {
        let record = try StoreEmbedded.open(
            folder: "intake-\(UInt64.random(in: 0...UInt64.max))",
            options: StoreEmbedded.Options(mapSizeBytes: 1 << 26, inMemory: true), epochSeed: 3)
        try record.extendSchema(Self.schema)
        _ = try record.register(client, user: "user")
        return record
    }

    private func batch(_ first: UInt64, _ ids: ClosedRange<Int64>, user: String = "user") -> OneWayBatch {
        OneWayBatch(client: client, user: user, first: first, entries: ids.map { [reading($0)] })
    }

    private func reading(_ id: Int64, _ value: Double = 1) -> Operation {
        .create(ObjectReference("Reading", .int(id)), life: 1, fields: [FieldValue("value", .double(value))])
    }

    @Test("each entry is kept once, whatever is sent again, and is queryable under its primary key")
    func once() throws {
        let record = try record()
        let intake = Intake(record)
        #expect(try intake.accept(batch(1, 1...10), receivedAt: 1) == 10)
        #expect(try intake.accept(batch(1, 1...10), receivedAt: 2) == 10)
        #expect(try intake.accept(batch(6, 6...15), receivedAt: 3) == 15)
        #expect(try record.count(of: "Reading") == 15)
        #expect(try record.count("Reading", matching: "_id BETWEEN {6, 8}") == 3)
        #expect(try record.register(client, user: "user").ingested == 15)
    }

    @Test("a large batch is taken in bites")
    func bites() throws {
        let record = try record()
        let intake = Intake(
            record, limits: Intake.Limits(entriesMax: 1_000, operationsMax: 1_000, operationsAtOnce: 7))
        #expect(try intake.accept(batch(1, 1...100), receivedAt: 1) == 100)
        #expect(try record.count(of: "Reading") == 100)
    }

    @Test("entries with nothing in them count, and one is never split")
    func emptyEntries() throws {
        let intake = Intake(
            try record(), limits: Intake.Limits(entriesMax: 1_000, operationsMax: 1_000, operationsAtOnce: 7))
        let empty: [[CausewayOperations.Operation]] = Array(repeating: [], count: 100)
        #expect(intake.bite(of: empty, from: 0) == 7)
        #expect(intake.bite(of: empty, from: 96) == 100)
        let large = [(1...20).map { reading($0) }, []]
        #expect(intake.bite(of: large, from: 0) == 1)
    }

    @Test("a gap is refused and says where to go on")
    func gap() throws {
        let record = try record()
        let failure = #expect(throws: StoreFailure.self) { try Intake(record).accept(batch(3, 3...4), receivedAt: 1) }
        #expect(failure?.code == .sequenceGap)
        #expect(failure?.message.contains("from 1 on") == true)
    }

    @Test("an entry that cannot be kept is named, and what came before it stays")
    func invalid() throws {
        let record = try record()
        var entries = [[reading(1)], [reading(2)]]
        entries.append([.create(ObjectReference("Dog", .int(1)), life: 1, fields: [])])
        entries.append([reading(3)])
        let batch = OneWayBatch(client: client, user: "user", first: 1, entries: entries)
        #expect(try Intake(record).accept(batch, receivedAt: 1) == 2)
        let rest = OneWayBatch(client: client, user: "user", first: 3, entries: Array(entries[2...]))
        let failure = #expect(throws: StoreFailure.self) { try Intake(record).accept(rest, receivedAt: 2) }
        #expect(failure?.code == .operationInvalid)
        #expect(failure?.message.contains("Dog") == true)
        #expect(try record.count(of: "Reading") == 2)
    }

    @Test("each operation that cannot be kept is named, with what depends on it, in every entry behind the first such")
    func refusals() throws {
        let record = try record()
        let bad = ObjectReference("Reading", .int(2))
        let entries: [[Operation]] = [
            [
                reading(1), .create(bad, life: 1, fields: [FieldValue("value", .string("warm"))]),
                .list(bad, property: "none", .clear([])), reading(3),
            ],
            [reading(4)],
            [.delete(ObjectReference("Reading", .int(1)), life: 2)],
        ]
        var batch = OneWayBatch(client: client, user: "user", first: 1, entries: entries)
        let failure = #expect(throws: StoreFailure.self) { try Intake(record).accept(batch, receivedAt: 1) }
        #expect(failure?.refusals.map { [Int($0.sequence), $0.operation] } == [[1, 1], [1, 2], [3, 0]])
        #expect(failure?.refusals.first?.failure.message == failure?.message)
        #expect(Set(failure?.refusals.map(\.failure.message) ?? []).count == 2)
        #expect(try record.count(of: "Reading") == 0)
        // The device sends what is left.
        batch.entries = [[reading(1), reading(3)], [reading(4)], []]
        #expect(try Intake(record).accept(batch, receivedAt: 2) == 3)
        #expect(try record.count(of: "Reading") == 3)
    }

    @Test("one-way objects are created and nothing else")
    func createsOnly() throws {
        let record = try record()
        for operation in [
            Operation.delete(ObjectReference("Reading", .int(1)), life: 2),
            .set(ObjectReference("Reading", .int(1)), FieldValue("value", .double(1))),
        ] {
            let batch = OneWayBatch(client: client, user: "user", first: 1, entries: [[operation]])
            #expect(throws: StoreFailure.self) { try Intake(record).accept(batch, receivedAt: 1) }
        }
    }

    @Test("objects embedded in one-way objects come with them")
    func embedded() throws {
        let record = try record()
        let place = ObjectReference("Place", .container(ElementID(client: client, counter: 1)))
        let batch = OneWayBatch(
            client: client, user: "user", first: 1,
            entries: [
                [
                    .create(place, life: 1, fields: [FieldValue("city", .string("Ulm"))]),
                    .create(
                        ObjectReference("Reading", .int(1)), life: 1, fields: [FieldValue("place", .link(place.key))]),
                ]
            ])
        #expect(try Intake(record).accept(batch, receivedAt: 1) == 1)
        #expect(try record.count("Reading", matching: "place.city == 'Ulm'") == 1)
    }

    @Test("the same primary key is the same object: what comes later replaces it")
    func sameKey() throws {
        let record = try record()
        let batch = OneWayBatch(
            client: client, user: "user", first: 1, entries: [[reading(1, 1.5)], [reading(1, 2.5)]])
        #expect(try Intake(record).accept(batch, receivedAt: 1) == 2)
        #expect(try record.count("Reading", matching: "value == 2.5") == 1)
        #expect(try record.count(of: "Reading") == 1)
    }

    @Test("a batch of another user, from an unknown client or beyond the bounds is refused")
    func refused() throws {
        let record = try record()
        let intake = Intake(record, limits: Intake.Limits(entriesMax: 5, operationsMax: 5, operationsAtOnce: 5))
        #expect(throws: StoreFailure.self) { try intake.accept(batch(1, 1...2, user: "eve"), receivedAt: 1) }
        #expect(throws: StoreFailure.self) { try intake.accept(batch(1, 1...6), receivedAt: 1) }
        #expect(throws: StoreFailure.self) { try intake.accept(batch(0, 1...2), receivedAt: 1) }
        let stranger = OneWayBatch(client: ClientID(6), user: "user", first: 1, entries: [[reading(1)]])
        #expect(throws: StoreFailure.self) { try intake.accept(stranger, receivedAt: 1) }
    }
}
