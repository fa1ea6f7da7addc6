import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Testing

/// No app lets an embedded object hold itself, or what holds it. A program that speaks the protocol can.
@Suite("Embedded objects that hold themselves", .everyBackend)
struct CircleTests {
    private static let schema = Schema([
        ClassSchema(
            name: "Top",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true),
                Property(name: "first", type: .object, isOptional: true, target: "Chain"),
            ]),
        ClassSchema(
            name: "Chain", kind: .embedded,
            properties: [
                Property(name: "next", type: .object, isOptional: true, target: "Chain"),
                Property(name: "parts", type: .object, collection: .map, isOptional: true, target: "Chain"),
                Property(name: "list", type: .object, collection: .list, target: "Chain"),
                Property(name: "words", type: .string, collection: .list),
                Property(name: "body", type: .string, isText: true),
                Property(name: "z", type: .int),
            ]),
    ])

    private func chain(_ id: UInt64) -> ObjectReference {
        ObjectReference("Chain", .container(ElementID(client: Record.bob, counter: id)))
    }

    private func put(_ holder: ObjectReference, _ key: String, _ part: ObjectReference?) -> Operation {
        .keyed(
            holder, property: "parts", .put(key: .string(key), value: part.map { .link($0.key) } ?? .null))
    }

    private func insert(_ word: String, _ id: UInt64, into holder: ObjectReference) -> Operation {
        .list(
            holder, property: "words",
            .insert(
                ElementID(client: Record.bob, counter: 100 + id), left: nil, right: nil, value: .string(word)))
    }

    @Test("an object that an entry makes and lets go of again takes what comes behind it along, and nothing else")
    func oneWay() throws {
        let text = Operation.text(
            chain(1), property: "body",
            .insert(ElementID(client: Record.bob, counter: 300), left: nil, right: nil, text: "words"))
        let entries: [[Operation]] = [
            [
                create(chain(1)), put(chain(1), "a", chain(1)), put(chain(1), "a", nil), insert("x", 1, into: chain(1)),
                put(chain(1), "b", chain(2)), text,
            ],
            [
                create(chain(1), ("next", .link(chain(1).key))),
                create(chain(1), ("next", .null), ("z", .int(1))), insert("x", 1, into: chain(1)),
            ],
            [
                create(chain(1)), put(chain(1), "a", chain(2)), create(chain(2)), put(chain(2), "b", chain(1)),
                put(chain(2), "b", nil), insert("x", 1, into: chain(2)),
            ],
            [create(chain(1)), put(chain(1), "a", chain(1)), create(chain(1), ("z", .int(2)))],
        ]
        for (number, entry) in entries.enumerated() {
            let record = try Record("circle of one way")
            try record.backend.extendSchema(Self.schema)
            let after = [create(chain(9), ("z", .int(9))), insert("kept", 9, into: chain(9))]
            let kept = try record.backend.ingest(
                OneWayBatch(client: Record.bob, user: "user", first: 1, entries: [entry, after]), receivedAt: 5)
            #expect(kept == 2, "entry \(number)")
            #expect(try record.object("Chain", chain(9).key)?["z"] == .int(9), "entry \(number)")
            #expect(try record.problems() == [], "entry \(number)")
        }
    }

    @Test("an object that held itself, and is let go of by one of many changes of its collections, ends")
    func changesets() throws {
        let changes: [[Operation]] = [
            [put(chain(1), "a", nil), create(chain(2)), put(chain(1), "b", chain(2))],
            [.keyed(chain(1), property: "parts", .remove(key: .string("a"))), put(chain(1), "b", nil)],
            [create(chain(2)), put(chain(1), "a", chain(2)), put(chain(1), "b", nil), set(chain(1), "z", .int(3))],
        ]
        for (number, change) in changes.enumerated() {
            let record = try Record("circle")
            try record.backend.extendSchema(Self.schema)
            try record.write(Record.bob, create(chain(1)), put(chain(1), "a", chain(1)))
            #expect(try record.commit(Record.bob, record.changeset(Record.bob, change)).failure == nil)
            #expect(try record.object("Chain", chain(1).key) == nil, "change \(number)")
            #expect(try record.problems() == [], "change \(number)")
            #expect(try record.objection(Record.bob, create(ObjectReference("Top", .int(1)))) == nil)
        }
    }
}
