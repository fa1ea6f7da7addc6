import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewaySeeds
import CausewayStore
import CausewayStoreEmbedded
import Testing

@Suite("What the operator takes out of a schema")
struct SchemaDropTests {
    private static let seeds = SeedList.drawn(for: "dropped-schemas", count: 4)

    private let ann = Record.ann
    private let bob = Record.bob

    @Test(
        "a property goes with its values and what is embedded in it; all else stands as it stood, and takes what comes",
        arguments: [
            "Dog.name", "Dog.age", "Dog.friend", "Dog.toys", "Dog.home", "Home.city", "Home.room", "Room.size",
            "Box.labels", "Box.scores", "Box.items", "Box.body",
        ], seeds)
    func property(path: String, seed: UInt64) throws {
        let record = try Record.full(seed, #function)
        let parts = path.split(separator: ".").map(String.init)
        var expected = try record.contents(without: path)
        try record.store.drop(parts[0], property: parts[1])
        if path == "Dog.home" {
            // Nothing else may hold a home.
            expected = expected.filter { $0.key.className != "Home" && $0.key.className != "Room" }
        } else if path == "Home.room" {
            expected = expected.filter { $0.key.className != "Room" }
        }
        #expect(try record.contents() == expected, "\(path), seed \(seed)")
        #expect(try record.store.snapshot().schema[parts[0]]?.index(of: parts[1]) == nil)
        #expect(try record.problems() == [], "\(path), seed \(seed)")
        try record.writeDrawn(40, seed: seed &+ 100)
        #expect(try record.problems() == [], "\(path), seed \(seed)")
        // It may come back, empty and of another type.
        try record.backend.extendSchema(
            Schema([
                ClassSchema(
                    name: parts[0], kind: parts[0] == "Home" || parts[0] == "Room" ? .embedded : .object,
                    properties: (parts[0] == "Home" || parts[0] == "Room"
                        ? [] : [Property(name: "_id", type: .int, isPrimaryKey: true)])
                        + [Property(name: parts[1], type: .double, isOptional: true)])
            ]))
        #expect(try record.problems() == [], "\(path), seed \(seed)")
    }

    @Test(
        "a class goes with its objects and what is embedded in them, and comes back empty", arguments: ["Dog", "Box"])
    func wholeClass(name: String) throws {
        for seed in Self.seeds {
            let record = try Record.full(seed, "\(#function) \(name)")
            let dropped = try #require(try record.store.snapshot().schema[name])
            let expected = try record.contents().filter { object, _ in
                object.className != name && (name == "Box" || !["Home", "Room"].contains(object.className))
            }
            let count = try record.contents().keys.count { $0.className == name }
            #expect(try record.store.objectsLost(with: name) == count)
            try record.store.drop(name)
            #expect(try record.contents() == expected, "seed \(seed)")
            #expect(try record.problems() == [], "seed \(seed)")
            try record.backend.extendSchema(Schema([dropped, try #require(Record.schema["Home"]), roomSchema]))
            #expect(try record.contents() == expected, "seed \(seed)")
            // Whoever has not seen the end of an object does not change another one of its key.
            let target = ObjectReference(name, .int(1))
            try record.write(bob, create(target, life: 3))
            #expect(try record.contents()[target] != nil)
            var random = Drawing(seed: seed &+ 100)
            for _ in 0..<40 {
                let changeset = record.changeset(ann, base: 1, (0..<4).map { _ in random.operation() })
                #expect(try record.commit(ann, changeset).failure == nil, "seed \(seed)")
            }
            #expect(try record.problems() == [], "seed \(seed)")
        }
    }

    private var roomSchema: ClassSchema {
        get throws { try #require(Record.schema["Room"]) }
    }

    @Test("an object that had ended goes on behind its last life when its class comes back")
    func endedLives() throws {
        let record = try Record()
        for life in stride(from: UInt32(1), through: 3_001, by: 1_000) {
            try record.write(ann, create(dog(1), life: life))
            try record.write(ann, .delete(dog(1), life: life + 1))
        }
        let dropped = try #require(try record.store.snapshot().schema["Dog"])
        try record.store.drop("Dog")
        try record.backend.extendSchema(Schema([dropped, try #require(Record.schema["Home"]), roomSchema]))
        // Whoever brings it back counts from what it knows.
        #expect(try record.objection(ann, create(dog(1), life: 3_003)) == nil)
        #expect(try record.dog(1) != nil)
    }

    @Test("who stood before is compared: no history leads on from there")
    func history() throws {
        let record = try Record.full(1)
        let version = record.store.version
        try record.store.drop("Box", property: "items")
        #expect(record.store.version > version)
        let snapshot = try record.store.snapshot()
        #expect(snapshot.historyStart > version && snapshot.version == record.store.version)
        try record.write(ann, create(dog(77)))
        #expect(try record.store.snapshot().history(after: snapshot.version, for: bob).births.count == 1)
    }

    @Test("a primary key, and a class that others link to, stay, and the refusal says why")
    func refused() throws {
        let record = try Record.full(2)
        let before = try record.contents()
        for (name, property, word) in [
            ("Dog", "_id", "primary key"), ("Home", nil, "“Dog.home”"), ("Room", nil, "“Home.room”"),
            ("Cat", nil, "no class"), ("Dog", "colour", "no property"), ("#List", nil, "no class"),
        ] as [(String, String?, String)] {
            let failure = #expect(throws: StoreFailure.self) { try record.store.drop(name, property: property) }
            #expect(failure?.message.contains(word) == true, "\(name): \(failure?.message ?? "")")
        }
        #expect(try record.contents() == before)
        // Not only declared links count.
        try record.backend.extendSchema(
            Schema([
                ClassSchema(
                    name: "Note",
                    properties: [
                        Property(name: "_id", type: .int, isPrimaryKey: true),
                        Property(name: "any", type: .mixed, isOptional: true),
                    ])
            ]))
        let link = Value.anyLink(ClassedLink("Box", .int(1)))
        try record.write(ann, create(ObjectReference("Note", .int(1)), ("any", link)))
        let failure = #expect(throws: StoreFailure.self) { try record.store.drop("Box") }
        #expect(failure?.message.contains("“Note.any”") == true, "\(failure?.message ?? "")")
        try record.store.drop("Note", property: "any")
        try record.store.drop("Box")
        #expect(try record.problems() == [])
    }

    @Test("the app's next property under another type shuts out no later version for good")
    func clash() throws {
        let record = try Record()
        let id = Property(name: "_id", type: .int, isPrimaryKey: true)
        func next(_ type: PropertyType) -> Schema {
            Schema([ClassSchema(name: "Dog", properties: [id, Property(name: "next", type: type)])])
        }
        try record.backend.extendSchema(next(.string), by: Declarer(user: "eve", time: 1))
        let failure = #expect(throws: StoreFailure.self) {
            try record.backend.extendSchema(next(.int), by: Declarer(user: "ann", time: 2))
        }
        #expect(failure?.message.contains("sync-server schema drop") == true, "\(failure?.message ?? "")")
        try record.store.drop("Dog", property: "next")
        try record.backend.extendSchema(next(.int), by: Declarer(user: "ann", time: 3))
        try record.write(ann, create(dog(1), ("next", .int(5))))
        #expect(try record.dog(1)?["next"] == .int(5))
    }

    @Test("collections in mixed values go with their property")
    func nested() throws {
        let record = try Record()
        try record.backend.extendSchema(
            Schema([
                ClassSchema(
                    name: "Note",
                    properties: [
                        Property(name: "_id", type: .int, isPrimaryKey: true),
                        Property(name: "any", type: .mixed, isOptional: true),
                        Property(name: "other", type: .mixed, isOptional: true),
                    ])
            ]))
        let note = ObjectReference("Note", .int(1))
        func list(_ counter: UInt64) -> ObjectReference {
            ObjectReference("#List", .container(ElementID(client: ann, counter: counter)))
        }
        for (counter, property) in [(1, "any"), (2, "other")] as [(UInt64, String)] {
            let target = list(counter)
            try record.write(
                ann, create(target), create(note),
                set(note, property, .anyLink(ClassedLink("#List", target.key))),
                .list(
                    target, property: "elements",
                    .insert(
                        ElementID(client: ann, counter: 10 + counter), left: nil, right: nil, value: .string(property)))
            )
        }
        #expect(try record.refusals(ann) == [])
        try record.store.drop("Note", property: "any")
        let left = try record.contents()
        #expect(left[list(1)] == nil && left[list(2)] != nil && left[note] != nil)
        #expect(try record.problems() == [])
    }
}
