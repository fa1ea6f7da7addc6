import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayQuery
import CausewaySeeds
import CausewayStore
import CausewayStoreEmbedded
import Testing

extension Record {
    /// All objects of the classes that are not embedded, whole, without what is named “Class.property”.
    func contents(without omitted: String = "") throws -> [ObjectReference: ObjectState] {
        let snapshot = try store.snapshot()
        var found: [ObjectContent] = []
        for classSchema in snapshot.schema.classes where classSchema.kind == .object {
            let number = try #require(snapshot.classNumber(classSchema.name))
            let keys = try snapshot.keys(number, matching: .constant(true))
            try snapshot.appendWhole(number, keys[...], to: &found)
        }
        var result: [ObjectReference: ObjectState] = [:]
        for content in found {
            var state = content.state
            func isKept(_ name: String) -> Bool { "\(content.object.className).\(name)" != omitted }
            state.fields.removeAll { !isKept($0.property) }
            state.parts.removeAll { !isKept($0.property) }
            result[content.object] = state
        }
        return result
    }

    /// A record in which everything holds something, some of it changed later and some of it gone.
    static func full(_ seed: UInt64, _ name: String = #function) throws -> Record {
        let record = try Record("\(name) \(seed)")
        try record.writeDrawn(60, seed: seed)
        for number in Int64(1)...3 {
            let box = ObjectReference("Box", .int(number))
            func id(_ counter: UInt64) -> ElementID {
                ElementID(client: ann, counter: 1_000 * UInt64(number) + counter)
            }
            try record.write(
                ann, create(box), .keyed(box, property: "labels", .put(key: .string("a"), value: .null)),
                .keyed(box, property: "scores", .put(key: .string("k"), value: .int(number))),
                .list(box, property: "items", .insert(id(1), left: nil, right: nil, value: .string("x"))),
                .list(box, property: "items", .insert(id(2), left: id(1), right: nil, value: .string("y"))),
                .list(box, property: "items", .delete(id(1))),
                .text(box, property: "body", .insert(id(10), left: nil, right: nil, text: "héllo")))
            try record.write(bob, .keyed(box, property: "labels", .remove(key: .string("a"))))
        }
        return record
    }

    /// Commits so many changesets of four drawn operations each.
    func writeDrawn(_ count: Int, seed: UInt64) throws {
        var random = Drawing(seed: seed)
        for _ in 0..<count {
            let client = random.pick([Self.ann, Self.bob])
            let changeset = changeset(client, (0..<4).map { _ in random.operation() })
            #expect(try commit(client, changeset).failure == nil, "seed \(seed)")
        }
    }
}
