import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayOperations
import Testing

/// Objects that enter as columns are what they would be had they entered one by one.
@Suite struct RunTests {
    private static let schema = Schema([
        ClassSchema(
            name: "Thing",
            properties: [
                Property(name: "id", type: .int, isPrimaryKey: true),
                Property(name: "flag", type: .bool),
                Property(name: "rank", type: .int, isOptional: true, isIndexed: true),
                Property(name: "single", type: .float),
                Property(name: "real", type: .double, isOptional: true),
                Property(name: "whole", type: .double),
                Property(name: "kind", type: .string, isIndexed: true),
                Property(name: "title", type: .string, isOptional: true),
                Property(name: "data", type: .data, isOptional: true),
                Property(name: "time", type: .date),
                Property(name: "mark", type: .objectId),
                Property(name: "code", type: .uuid, isOptional: true),
                Property(name: "price", type: .decimal128),
                Property(name: "constant", type: .string),
                Property(name: "owner", type: .object, isOptional: true, target: "Person"),
                Property(name: "next", type: .object, isOptional: true, target: "Thing"),
                Property(name: "unsaid", type: .int),
                Property(name: "tags", type: .string, collection: .list),
            ]),
        ClassSchema(
            name: "Person",
            properties: [
                Property(name: "name", type: .string, isPrimaryKey: true), Property(name: "age", type: .int),
            ]),
    ])

    private let stamp = Stamp(time: 10 << 16, client: ClientID(9))

    private func things(_ ids: ClosedRange<Int64>, except left: Set<Int64> = []) -> ObjectRun {
        let ids = ids.filter { !left.contains($0) }
        func field(_ name: String, _ value: (Int64) -> Value) -> ObjectRun.Field {
            ObjectRun.Field(name, SparseColumn(ids.map(value)), stamp: stamp, isDefault: false)
        }
        let fields = [
            field("code") { $0 % 7 == 0 ? .null : .uuid(UUID16(high: UInt64($0), low: 3)) },
            field("constant") { _ in .string("same") },
            field("data") { $0 % 5 == 0 ? .null : .bytes([UInt8(truncatingIfNeeded: $0), 1]) },
            field("flag") { .bool($0 % 3 == 0) },
            field("kind") { .string("kind \($0 % 11)") },
            field("mark") { .objectId(ObjectIdentifier12(high: UInt64($0), low: 7)) },
            field("next") { $0 % 4 == 0 ? .null : .link(.int($0 + 5)) },
            field("owner") { $0 % 6 == 0 ? .null : .link(.string("person \($0 % 13)")) },
            field("price") { .decimal(DecimalNumber(high: 0x3040_0000_0000_0000, low: UInt64($0))) },
            field("rank") { $0 % 2 == 0 ? .null : .int($0 % 17) },
            field("real") { $0 % 9 == 0 ? .null : .double(Double($0) / 3) },
            field("single") { .float(Float($0) / 2) },
            field("time") { .timestamp(Timestamp(seconds: $0, nanoseconds: Int32($0 % 2))) },
            field("title") { $0 % 8 == 0 ? .null : .string("a title of its own, number \($0)") },
            field("unknown") { .int($0) },
            field("whole") { .double(Double($0)) },
        ]
        return ObjectRun(className: "Thing", keys: .ints(ids), life: 1, born: stamp, fields: fields)
    }

    private func people(_ count: Int) -> ObjectRun {
        ObjectRun(
            className: "Person", keys: KeyColumn((0..<count).map { .string("person \($0)") }), life: 1, born: stamp,
            fields: [.init("age", SparseColumn((0..<count).map { .int(Int64($0)) }), stamp: stamp, isDefault: false)])
    }

    /// Applies runs to one device as they are, to another object by object, and compares what both hold.
    private func check(
        _ runs: [ObjectRun], after first: [ObjectRun] = [],
        _ prepare: (Device) throws -> Void = { _ in }
    ) throws -> [ObjectReference: VisibleObject] {
        let devices = [try Device(1, schema: Self.schema), try Device(2, schema: Self.schema)]
        for (device, isWhole) in zip(devices, [true, false]) {
            try apply(first, to: device, isWhole: false, version: 1)
            try prepare(device)
            try apply(runs, to: device, isWhole: isWhole, version: 2)
        }
        let visible = try devices.map { try $0.visible }
        #expect(visible[0] == visible[1])
        #expect(try indexes(devices[0]) == indexes(devices[1]))
        return visible[0]
    }

    private func apply(_ runs: [ObjectRun], to device: Device, isWhole: Bool, version: UInt64) throws {
        let transaction = try device.store.write()
        defer { transaction.end() }
        let view = try device.replica.beginApplying(acknowledged: 0, in: transaction)
        for run in runs {
            if isWhole {
                try view.enter(run)
            } else {
                for (object, state) in run.objects { try view.enter(object, state) }
            }
        }
        try view.finish(epoch: 1, version: ServerVersion(version), querySet: 1)
        _ = try transaction.commit()
    }

    /// Who points where.
    private func indexes(_ device: Device) throws -> [String] {
        try device.read { transaction in
            try ["Person", "Thing"].flatMap { name in
                let table = try #require(transaction.table(name))
                return table.allKeys.map { key in
                    "\(name) \(String(describing: table.primaryKey(of: key))) \(table.backlinkCount(to: key))"
                }.sorted()
            }
        }
    }

    @Test("new objects, over several leaves, with links to what is not here and to each other")
    func new() throws {
        let visible = try check([things(1...2_345), people(10)])
        #expect(visible.count == 2_355)
        #expect(visible[ObjectReference("Thing", .int(2_343))]?.fields["kind"] == .string("kind 0"))
    }

    @Test("objects that others point to already, and a leaf that is not full")
    func behindOthers() throws {
        let visible = try check([things(301...1_400)], after: [things(1...300)])
        #expect(visible.count == 1_400)
    }

    @Test("keys that do not ascend")
    func descending() throws {
        var run = things(1...100)
        run.keys = .ints((1...100).reversed())
        #expect(try check([run]).count == 100)
    }

    @Test("objects that are here already are replaced")
    func known() throws {
        let visible = try check([things(1...200)], after: [things(150...180)])
        #expect(visible.count == 200)
    }

    @Test("a pending change stays over what enters")
    func pending() throws {
        let visible = try check([things(1...200)], after: [things(150...150)]) { device in
            try device.write { transaction in
                let table = try #require(transaction.table("Thing"))
                table.set(try #require(table.key(for: .int(150))), 7, .string("mine"))
            }
        }
        #expect(visible[ObjectReference("Thing", .int(150))]?.fields["title"] == .string("mine"))
    }

    @Test("values of another type than the property's are left out")
    func otherTypes() throws {
        var run = things(1...100)
        for index in run.fields.indices {
            run.fields[index].values = run.fields[(index + 3) % run.fields.count].values
        }
        _ = try check([run])
        run.keys = KeyColumn((1...100).map { .string("\($0)") })
        let device = try Device(3, schema: Self.schema)
        var unknown = run
        unknown.className = "Nothing"
        try apply([unknown], to: device, isWhole: true, version: 1)
        #expect(try device.visible.isEmpty)
    }
}
