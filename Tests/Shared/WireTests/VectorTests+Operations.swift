import CausewayModel
import CausewayOperations
import CausewayWire
import Testing

// Changesets and one-way entries with everything that may stand in them.

extension VectorTests {
    private static func id(_ counter: UInt64) -> ElementID { ElementID(client: ClientID(0xC1), counter: counter) }

    /// One of each kind that travels. `Value.object` and `.anyObject` are rows of one file and never do.
    static let values: [Value] = [
        .null, .bool(true), .int(-3), .float(0.5), .double(-0.25), .string("é→🛫"), .bytes([0, 255]),
        .timestamp(Timestamp(seconds: 1_700_000_000, nanoseconds: 5)), .objectId(ObjectIdentifier12(high: 1, low: 2)),
        .uuid(UUID16(high: 3, low: 4)), .decimal(DecimalNumber(Int64(12))), .link(.int(2)),
        .anyLink(ClassedLink("Plane", .string("N104UW"))),
    ]

    static let keys: [PrimaryKey] = [
        .null, .int(-1), .string("N1"), .objectId(ObjectIdentifier12(high: 1, low: 2)), .uuid(UUID16(high: 3, low: 4)),
        .container(id(20)),
    ]

    private static let flight = ObjectReference("Flight", .int(2))
    private static let legs = ObjectReference("#List", .container(id(31)))

    private static let operations: [Operation] =
        [
            .create(
                flight, life: 3,
                fields: [FieldValue("origin", .string("JFK")), FieldValue("delay", .null, isDefault: true)]),
            .create(.init("Gate", .container(id(30))), life: 1, fields: []),
            .set(flight, FieldValue("gate", .link(.container(id(30))))),
            .create(legs, life: 1, fields: []),
            .set(flight, FieldValue("any", .anyLink(ClassedLink("#List", .container(id(31)))), isDefault: true)),
            .list(legs, property: "elements", .insert(id(32), left: nil, right: nil, value: .int(1))),
            .list(flight, property: "notes", .insert(id(1), left: id(8), right: id(9), value: .string("late"))),
            .list(flight, property: "notes", .move(id(1), position: id(2), left: nil, right: id(8))),
            .list(flight, property: "notes", .set(id(1), value: .null)),
            .list(flight, property: "notes", .delete(id(1))),
            .list(flight, property: "notes", .clear([id(8), id(9)])),
            .keyed(flight, property: "tags", .put(key: .string("red"), value: .null)),
            .keyed(flight, property: "seats", .put(key: .string("1A"), value: .int(7))),
            .keyed(flight, property: "seats", .remove(key: .string("1B"))),
            .add(flight, property: "passengers", Addition(-2)),
            .text(flight, property: "log", .insert(id(40), left: nil, right: id(39), text: "héllo")),
            .text(flight, property: "log", .delete(id(41), count: 3)),
        ] + values.map { .set(flight, FieldValue("any", $0)) } + keys.map { .delete(.init("Plane", $0), life: 2) }

    /// A new kind of operation does not compile here until it has a name, and fails below until it has a vector.
    private static func kind(_ operation: Operation) -> String {
        switch operation {
        case .create: "create"
        case .delete: "delete"
        case .set: "set"
        case .add: "add"
        case .list(_, _, .insert): "list insert"
        case .list(_, _, .delete): "list delete"
        case .list(_, _, .move): "list move"
        case .list(_, _, .set): "list set"
        case .list(_, _, .clear): "list clear"
        case .keyed(_, _, .put): "put"
        case .keyed(_, _, .remove): "remove"
        case .text(_, _, .insert): "text insert"
        case .text(_, _, .delete): "text delete"
        }
    }

    @Test("changesets of version 1 with every operation, value and key read as they were meant")
    func everyOperation() throws {
        #expect(Set(Self.operations.map(Self.kind)).count == 13)
        let first = Changeset(
            client: ClientID(0xC1), sequence: 8, stamp: Self.stamp, base: ServerVersion(41),
            operations: Self.operations)
        let second = Changeset(
            client: ClientID(0xC1), sequence: 9, stamp: Stamp(time: Self.stamp.time + 9, client: ClientID(0xC1)),
            base: ServerVersion(42), operations: [])
        try check("upload-operations", UploadRequest(session: 0x5E55, changesets: [first, second]))
        try check("upload-nothing", UploadRequest(session: 0x5E55, changesets: []))
    }

    @Test("one-way entries of version 1 with collections and texts read as they were meant")
    func everyEntry() throws {
        let report = ObjectReference("Report", .uuid(UUID16(high: 1, low: 2)))
        let place = ObjectReference("Place", .container(Self.id(50)))
        try check(
            "ingest-collections",
            IngestBatch(
                client: ClientID(0xC1), first: 3,
                entries: [
                    [
                        .create(report, life: 1, fields: [FieldValue("place", .link(.container(Self.id(50))))]),
                        .list(
                            report, property: "values", .insert(Self.id(51), left: nil, right: nil, value: .double(1))),
                        .keyed(report, property: "tags", .put(key: .string("wet"), value: .null)),
                        .text(report, property: "log", .insert(Self.id(60), left: nil, right: nil, text: "rain")),
                        .create(place, life: 1, fields: [FieldValue("name", .string("EWR"))]),
                    ],
                    [.create(.init("Report", .null), life: 1, fields: [FieldValue("place", .null, isDefault: true)])],
                ]))
    }
}
