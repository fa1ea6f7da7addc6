import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayWire
import Testing

// Messages with everything that their envelopes and bodies have a place for.

extension VectorTests {
    private static let checkpoint = Checkpoint(
        epoch: 0xE0, version: ServerVersion(43), querySet: 3, acknowledged: 9, incarnation: 0x1C, permissions: 0x9E,
        schema: 0x5C)

    // MARK: - Sessions

    private static var schema: Schema {
        let types = PropertyType.allCases.map { type in
            Property(
                name: "a\(type)", type: type, isOptional: type == .object || type == .mixed,
                target: type == .object ? "Place" : nil)
        }
        let collections: [Property] = [
            Property(name: "list", type: .int, collection: .list),
            Property(name: "set", type: .string, collection: .set),
            Property(name: "map", type: .object, collection: .map, isOptional: true, target: "Everything"),
            Property(name: "counter", type: .int, isCounter: true), Property(name: "text", type: .string, isText: true),
            Property(name: "_id", type: .objectId, isPrimaryKey: true),
            Property(name: "code", type: .string, isOptional: true, isIndexed: true),
        ]
        return Schema([
            ClassSchema(name: "Everything", properties: types + collections),
            ClassSchema(
                name: "Place", kind: .embedded, properties: [Property(name: "any", type: .mixed, isOptional: true)]),
            ClassSchema(
                name: "Report", kind: .asymmetric, properties: [Property(name: "_id", type: .uuid, isPrimaryKey: true)]),
        ])
    }

    @Test("a hello, welcome and failure of version 1 that say all they can read as they were meant")
    func wholeSessions() throws {
        try check(
            "hello-everything",
            Hello(
                client: ClientID(0xC1), protocolVersions: 1...2, schema: Self.schema, checkpoint: Self.checkpoint,
                held: QuerySet(
                    version: 3, queries: [StandingQuery(className: "Everything", predicate: "list.@count > 2")]),
                wanted: QuerySet(version: 4, queries: []), oldest: 5, oldestOneWay: 6))
        try check(
            "welcome-skipped",
            Welcome(
                session: 0x5E55, protocolVersion: 1, epoch: 0xE0, serverTime: 1_700_000_000_000,
                limits: Self.earlierLimits, committed: 9, ingested: 5, skipped: 2))
        try check(
            "welcome-limits",
            Welcome(
                session: 0x5E55, protocolVersion: 1, epoch: 0xE0, serverTime: 1_700_000_000_000,
                limits: Self.laterLimits, committed: 9, ingested: 5, skipped: 2))
        try check("failure-future", SyncFailure(.init(rawValue: 999), "Begin again.", action: .restartSession))
        try check("failure-busy", SyncFailure(.serverBusy, "Come again.", retryAfterMilliseconds: 2_500))
    }

    /// As a server says them that knows no more of them.
    static let earlierLimits = SessionLimits(
        frameBytes: 16 << 20, creditBytes: 1 << 20, heartbeatMilliseconds: 15_000, operations: 0, refusals: 0,
        queryTerms: 0)

    /// As a server says them that takes twice the operations of today's.
    static let laterLimits = SessionLimits(
        frameBytes: 16 << 20, creditBytes: 1 << 20, heartbeatMilliseconds: 15_000, operations: 1_000_000,
        refusals: 200_000, queryTerms: 4_000)

    // MARK: - Objects

    private static func id(_ counter: UInt64) -> ElementID { ElementID(client: ClientID(0xC2), counter: counter) }

    private static var whole: ObjectState {
        let later = Stamp(time: stamp.time + 5, client: ClientID(0xC2))
        var list = ListState()
        _ = list.join(.insert(id(1), left: nil, right: nil, value: .int(1)), stamp: stamp)
        _ = list.join(.insert(id(2), left: id(1), right: nil, value: .int(2)), stamp: stamp)
        _ = list.join(.move(id(1), position: id(3), left: id(2), right: nil), stamp: later)
        _ = list.join(.delete(id(2)), stamp: later)
        var text = TextState()
        _ = text.join(.insert(id(10), left: nil, right: nil, text: "héllo"))
        _ = text.join(.delete(id(11), count: 2))
        return ObjectState(
            life: 3,
            fields: values.enumerated().map { index, value in
                .init("v\(index)", value, stamp: index == 2 ? later : stamp, isDefault: index == 3)
            },
            parts: [
                .init("list", .list(list)),
                .init("map", .keyed(KeyedState([.init(key: .string("a"), value: .int(1), stamp: stamp)]))),
                .init(
                    "set",
                    .keyed(
                        KeyedState([
                            .init(key: .int(1), value: .null, stamp: stamp),
                            .init(key: .int(2), value: nil, stamp: later),
                        ]))),
                .init("text", .text(text)),
            ], born: stamp)
    }

    /// What happened to a list, a map and a text of one object, and to a list of another.
    private static var edited: ViewChunk {
        let later = Stamp(time: stamp.time + 5, client: ClientID(0xC2))
        let list: [StampedEdit<ListOperation>] = [
            StampedEdit(.insert(id(4), left: id(3), right: nil, value: .int(4)), stamp),
            StampedEdit(.insert(id(5), left: id(4), right: nil, value: .int(5)), stamp),
            StampedEdit(.move(id(1), position: id(6), left: nil, right: id(1)), later),
            StampedEdit(.set(id(1), value: .int(10)), later),
            StampedEdit(.clear([id(4), id(5)]), later),
            StampedEdit(.delete(id(1)), stamp),
        ]
        let map: [StampedEdit<KeyedOperation>] = [
            StampedEdit(.put(key: .string("a"), value: .int(2)), later), StampedEdit(.remove(key: .string("b")), later),
        ]
        let text: [StampedEdit<TextOperation>] = [
            StampedEdit(.insert(id(20), left: id(10), right: id(11), text: "é🛫"), later),
            StampedEdit(.delete(id(13), count: 2), later),
        ]
        return ViewChunk(
            checkpoint: checkpoint, objectsTotal: 2,
            updated: [
                ObjectContent(
                    .init("Everything", .int(1)),
                    ObjectState(life: 3, fields: [.init("v0", .int(7), stamp: later)], born: stamp),
                    changes: [
                        PartChange("list", .list(list)), PartChange("map", .keyed(map)),
                        PartChange("text", .text(text)),
                    ]),
                ObjectContent(
                    .init("Flight", .int(2)), ObjectState(life: 1, born: stamp),
                    changes: [PartChange("notes", .list([StampedEdit(.delete(id(9)), later)]))]),
            ])
    }

    @Test("changes of version 1 with every run and state read as they were meant")
    func everyRun() throws {
        let later = Stamp(time: Self.stamp.time + 5, client: ClientID(0xC2))
        // All stamps those of birth; one for all; numbers. No mark, all marks, some.
        let shapes: [ObjectState] = [(Self.stamp, false), (later, true)].map { stamp, isDefault in
            ObjectState(
                life: 1, fields: [.init("v1", .bool(true), stamp: stamp, isDefault: isDefault)], born: Self.stamp)
        }
        try check(
            "download-changes-runs",
            DownloadMessage.changes(
                ViewChunk(
                    checkpoint: Self.checkpoint, objectsTotal: 31,
                    entered: [ObjectContent(.init("Everything", .int(1)), Self.whole)]
                        + Self.keys.map { ObjectContent(.init("Place", $0), shapes[0]) }
                        + shapes.map { ObjectContent(.init("Everything", .int(2)), $0) },
                    updated: shapes.map { ObjectContent(.init("Everything", .int(3)), $0) },
                    left: [
                        ObjectLeave(.init("Flight", .int(5)), .query),
                        ObjectLeave(.init("Flight", .int(6)), .permission),
                        ObjectLeave(.init("Plane", .string("N1")), .unsubscribed),
                    ],
                    deleted: [
                        ObjectEnd(.init("Flight", .int(7)), life: 2),
                        ObjectEnd(.init("Place", .container(Self.id(4))), life: 4),
                    ],
                    refused: [
                        OperationRefusal(
                            sequence: 9, operation: 0,
                            failure: SyncFailure(.operationInvalid, "'gate' is no property of Flight.")),
                        OperationRefusal(
                            sequence: 9, operation: 4, failure: SyncFailure(.permissionDenied, "Only crews may.")),
                    ])))
        try check("download-changes-edits", DownloadMessage.changes(Self.edited))
        try check(
            "download-changes-part",
            DownloadMessage.changes(
                ViewChunk(objectsTotal: 31, entered: [ObjectContent(.init("Everything", .int(1)), shapes[1])])))
        try check(
            "download-changes-nothing", DownloadMessage.changes(ViewChunk(checkpoint: Self.checkpoint)))
    }
}
