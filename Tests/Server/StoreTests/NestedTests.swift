import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Testing

@Suite("Collections in mixed values in the record", .everyBackend)
struct NestedTests {
    private static let schema = Schema([
        ClassSchema(
            name: "Note",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true),
                Property(name: "any", type: .mixed, isOptional: true),
                Property(name: "set", type: .mixed, collection: .set, isOptional: true),
            ]),
        ClassSchema(
            name: "Sent", kind: .asymmetric,
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true),
                Property(name: "any", type: .mixed, isOptional: true),
            ]),
    ])

    private static func note(_ id: Int64) -> ObjectReference { ObjectReference("Note", .int(id)) }

    private static func list(_ number: UInt64) -> ObjectReference {
        ObjectReference("#List", .container(ElementID(client: Record.ann, counter: number)))
    }

    private static func link(_ object: ObjectReference) -> Value { .anyLink(ClassedLink(object.className, object.key)) }

    private static func insert(_ value: Value, into list: ObjectReference, _ number: UInt64) -> Operation {
        .list(
            list, property: "elements",
            .insert(ElementID(client: Record.ann, counter: number), left: nil, right: nil, value: value))
    }

    private func record() throws -> Record {
        let record = try Record()
        try record.backend.extendSchema(Self.schema)
        return record
    }

    @Test("a tower of any height is taken in one upload and goes with what holds it")
    func tower() throws {
        let record = try record()
        let height: UInt64 = 3000
        var operations = (1...height).map { Operation.create(Self.list($0), life: 1, fields: []) }
        operations.append(.create(Self.note(1), life: 1, fields: [FieldValue("any", Self.link(Self.list(1)))]))
        for level in 1..<height {
            operations.append(Self.insert(Self.link(Self.list(level + 1)), into: Self.list(level), height + level))
        }
        let outcome = try record.commit(Record.ann, record.changeset(Record.ann, operations))
        #expect(outcome.failure == nil)
        #expect(try record.store.count(of: "#List") == Int(height))
        _ = try record.commit(
            Record.ann, record.changeset(Record.ann, [.set(Self.note(1), FieldValue("any", .int(1)))]))
        #expect(try record.store.count(of: "#List") == 0)
    }

    @Test("collections cannot hold each other in a circle, and those that nothing holds do not stay")
    func circle() throws {
        let record = try record()
        let outcome = try record.commit(
            Record.ann,
            record.changeset(
                Record.ann,
                [
                    .create(Self.list(1), life: 1, fields: []), .create(Self.list(2), life: 1, fields: []),
                    .create(Self.list(3), life: 1, fields: []), Self.insert(.int(1), into: Self.list(3), 10),
                    .create(Self.note(1), life: 1, fields: [FieldValue("any", Self.link(Self.list(1)))]),
                    Self.insert(Self.link(Self.list(2)), into: Self.list(1), 11),
                ]))
        #expect(outcome.failure == nil)
        #expect(try record.store.count(of: "#List") == 2)
        let circle = try record.commit(
            Record.ann,
            record.changeset(Record.ann, [Self.insert(Self.link(Self.list(1)), into: Self.list(2), 12)]))
        #expect(circle.failure == nil)
        #expect(try record.refusals(Record.ann).map(\.failure.code) == [.operationInvalid])
        #expect(try record.write(Record.ann, .delete(Self.note(1), life: 2)).failure == nil)
        #expect(try record.store.count(of: "#List") == 0)
        #expect(try record.store.count(of: "Note") == 0)
    }

    @Test("what could not be in a mixed value is refused")
    func refused() throws {
        let invalid: [Operation] = [
            .keyed(Self.note(1), property: "set", .put(key: Self.link(Self.list(1)), value: .null)),
            .set(Self.note(1), FieldValue("any", .anyLink(ClassedLink("#List", .int(1))))),
            .set(Self.note(1), FieldValue("any", .anyLink(ClassedLink("#Set", Self.list(1).key)))),
            .set(Self.note(1), FieldValue("any", .anyLink(ClassedLink("Home", Self.list(1).key)))),
            .create(ObjectReference("#List", .int(1)), life: 1, fields: []),
        ]
        for operation in invalid {
            let record = try record()
            let outcome = try record.commit(Record.ann, record.changeset(Record.ann, [operation]))
            #expect(outcome.failure == nil, "\(operation)")
            #expect(try record.refusals(Record.ann).map(\.failure.code) == [.operationInvalid], "\(operation)")
        }
    }

    @Test("a device cannot declare the hidden classes")
    func reserved() throws {
        let record = try Record()
        #expect {
            try record.backend.extendSchema(Schema([NestedCollection.list.schema]))
        } throws: { error in
            (error as? StoreFailure)?.code == .schemaMismatch
        }
    }
}
