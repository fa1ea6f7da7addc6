import CausewayModel
import CausewayOperations
import CausewaySeeds
import CausewayStore
import CausewayStoreEmbedded
import Testing

@Suite("What the record refuses")
struct RefusalTests {
    private static let seeds = SeedList.drawn(for: "refusals", count: 40)

    static let invalid: [(Operation, String)] = [
        (create(ObjectReference("Cat", .int(1))), "Cat"),
        (create(ObjectReference("Dog", .string("1"))), "primary key"),
        (create(ObjectReference("Dog", .container(ElementID(client: ClientID(1), counter: 1)))), "primary key"),
        (create(ObjectReference("Home", .int(1))), "embedded"),
        (create(dog(1), ("colour", .string("red"))), "colour"),
        (create(dog(1), ("name", .int(1))), "Dog.name"),
        (create(dog(1), ("name", .null)), "Dog.name"),
        (create(dog(1), ("_id", .int(2))), "primary key"),
        (create(dog(1), ("toys", .string("a"))), "list"),
        (create(dog(1), ("name", .string("a")), ("name", .string("b"))), "twice"),
        (create(dog(1), ("friend", .link(.string("x")))), "Dog.friend"),
        (create(dog(1), ("friend", .object(ObjectKey(0)))), "Dog.friend"),
        (create(dog(1), ("home", .link(.int(1)))), "Dog.home"),
        (create(dog(1), life: 2), "life"),
        (.delete(dog(1), life: 3), "life"),
        (.delete(dog(1), life: 0), "life"),
        (set(dog(1), "_id", .int(2)), "primary key"),
        (set(dog(1), "toys", .string("a")), "list"),
        (set(dog(1), "age", .double(1)), "Dog.age"),
        (.list(dog(1), property: "name", .delete(ElementID(client: ClientID(1), counter: 1))), "not a list"),
        (
            .list(
                dog(1), property: "toys",
                .insert(ElementID(client: ClientID(1), counter: 1), left: nil, right: nil, value: .null)), "Dog.toys"
        ),
        (.keyed(dog(1), property: "toys", .remove(key: .string("a"))), "no set or map"),
        (create(ObjectReference("Reading", .int(1))), "one-way"),
    ]

    @Test("an operation that does not fit the schema is refused with its reason, and costs only itself")
    func invalidOperations() throws {
        for (operation, word) in Self.invalid {
            let record = try Record()
            let good = record.changeset(Record.ann, [create(dog(10), ("name", .string("Rex")))])
            let bad = record.changeset(Record.ann, [create(dog(11)), operation, set(dog(10), "name", .string("Max"))])
            let outcome = try record.commit(Record.ann, good, bad)
            #expect(
                outcome.committed == 2 && outcome.version == ServerVersion(1) && outcome.failure == nil, "\(operation)")
            let refusals = try record.refusals(Record.ann)
            #expect(refusals.map(\.sequence) == [2] && refusals.map(\.operation) == [1], "\(operation)")
            let failure = try #require(refusals.first?.failure)
            #expect(failure.code == .operationInvalid, "\(operation)")
            #expect(failure.message.contains(word), "\(operation): \(failure.message)")
            #expect(try record.dog(11) != nil && record.dog(10)?["name"] == .string("Max"), "\(operation)")
        }
    }

    @Test("what depends on a refused creation or place is refused with it, for the same reason")
    func dependants() throws {
        let record = try Record()
        try record.write(
            Record.ann, create(home(5), ("city", .string("Rome"))), create(home(6), ("city", .string("Oslo"))),
            create(dog(1), ("colour", .string("red")), ("home", .link(home(5).key))),
            create(dog(2), ("home", .link(home(6).key))), set(dog(1), "name", .string("Rex")))
        let refusals = try record.refusals(Record.ann)
        #expect(refusals.map(\.operation) == [0, 2, 4])
        #expect(Set(refusals.map(\.failure)).count == 1)
        #expect(try record.dog(1) == nil && record.object("Home", home(5).key) == nil)
        #expect(try record.object("Home", home(6).key)?["city"] == .string("Oslo"))
    }

    @Test("a change of an embedded object that never was is refused; of one that has ended it has no effect")
    func unknownParts() throws {
        let record = try Record()
        try record.write(
            Record.ann, create(home(1), ("city", .string("Rome"))), create(dog(1), ("home", .link(home(1).key))))
        let failure = try record.objection(Record.bob, set(home(9), "city", .string("Oslo")))
        #expect(failure?.code == .objectUnknown && failure?.message.contains("“Home”") == true)
        // Its creation was refused with its place, in an earlier changeset.
        try record.write(
            Record.ann, create(home(2)), create(dog(2), ("colour", .string("red")), ("home", .link(home(2).key))))
        #expect(try record.objection(Record.ann, set(home(2), "city", .string("Oslo")))?.code == .objectUnknown)
        try record.write(Record.ann, set(dog(1), "home", .null))
        #expect(try record.objection(Record.bob, base: 1, set(home(1), "city", .string("Oslo"))) == nil)
        // Created and placed by one changeset, whichever comes first.
        #expect(
            try record.objection(
                Record.ann, set(home(3), "city", .string("Bonn")), create(home(3)),
                set(dog(1), "home", .link(home(3).key))) == nil)
    }

    @Test("what hangs below a refused place is refused with it, however deep it goes", .timeLimit(.minutes(1)))
    func deepDependants() {
        let depth: UInt64 = 100_000
        func list(_ number: UInt64) -> ObjectReference {
            ObjectReference("#List", .container(ElementID(client: Record.ann, counter: number)))
        }
        func link(_ number: UInt64) -> Value { .anyLink(ClassedLink("#List", list(number).key)) }
        var operations: [Operation] = [create(dog(1), ("colour", link(1))), create(dog(2)), create(list(1))]
        for level in 1..<depth {
            let id = ElementID(client: Record.ann, counter: depth + level)
            operations += [
                create(list(level + 1)),
                .list(
                    list(level), property: "elements", .insert(id, left: nil, right: nil, value: link(level + 1))),
            ]
        }
        operations.append(create(list(2 * depth)))
        let failure = StoreFailure(.operationInvalid, "There is no such property.")
        var verdicts = Verdicts()
        verdicts.refuse(0, failure)
        verdicts.spread(over: operations)
        #expect(verdicts.accepted(of: operations).map(\.target) == [dog(2), list(2 * depth)])
        #expect(verdicts.reasons == [failure])
    }

    @Test("many creates of one object that are refused cost no more than they are", .timeLimit(.minutes(1)))
    func manyRefusedCreates() {
        let operations = (0..<100_000).map { _ in create(dog(1)) }
        var verdicts = Verdicts()
        for index in operations.indices where index % 2 == 0 {
            verdicts.refuse(index, StoreFailure(.operationInvalid, "It does not fit."))
        }
        verdicts.spread(over: operations)
        #expect(verdicts.accepted(of: operations).isEmpty)
    }

    @Test("a refusal is kept through repetitions, and told to whoever has not stored it")
    func kept() throws {
        let record = try Record()
        let bad = record.changeset(Record.ann, [set(dog(1), "colour", .null)])
        let first = try record.commit(Record.ann, bad)
        let refusals = try record.refusals(Record.ann)
        #expect(try record.commit(Record.ann, bad).answer == first.answer)
        #expect(try record.refusals(Record.ann) == refusals && refusals.count == 1)
        _ = try record.backend.register(Record.ann, user: "user", standing: DeviceStanding(acknowledged: 0))
        #expect(try record.refusals(Record.ann).count == 1)
        _ = try record.backend.register(Record.ann, user: "user", standing: DeviceStanding(acknowledged: 1))
        // Another copy of its file may not have heard of it.
        #expect(try record.refusals(Record.ann).count == 1)
        #expect(try record.refusals(Record.ann, after: 1) == [])
    }

    @Test("a client that lost entries on both sides goes on behind them, upwards only")
    func lifting() throws {
        let record = try Record()
        try record.write(Record.ann, create(dog(1)))
        func standing(_ oldest: UInt64, _ oldestOneWay: UInt64) throws -> ClientRecord {
            try record.backend.register(
                Record.ann, user: "user", standing: DeviceStanding(oldest: oldest, oldestOneWay: oldestOneWay))
        }
        #expect(try standing(2, 1) == ClientRecord(committed: 1, ingested: 0))
        #expect(try standing(9, 5) == ClientRecord(committed: 8, ingested: 4, skipped: 7))
        #expect(try standing(3, 2) == ClientRecord(committed: 8, ingested: 4))
        #expect(throws: StoreFailure.self) {
            try record.backend.register(Record.ann, user: "eve", standing: DeviceStanding(oldest: 20))
        }
        #expect(try standing(0, 0) == ClientRecord(committed: 8, ingested: 4))
        #expect(try standing(.max, .max).committed < UInt64.max / 2)
    }

    @Test("a primary key longer than 400 bytes is refused, also in a link")
    func longKeys() throws {
        let record = try Record()
        let schema = Schema([
            ClassSchema(
                name: "Note",
                properties: [
                    Property(name: "_id", type: .string, isPrimaryKey: true),
                    Property(name: "next", type: .object, isOptional: true, target: "Note"),
                ])
        ])
        try record.backend.extendSchema(schema)
        let long = PrimaryKey.string(String(repeating: "x", count: 401))
        let fits = PrimaryKey.string(String(repeating: "x", count: 400))
        #expect(
            try record.write(Record.ann, create(ObjectReference("Note", fits), ("next", .link(fits)))).failure == nil)
        try record.write(Record.ann, create(ObjectReference("Note", long)))
        let linking = create(ObjectReference("Note", .string("a")), ("next", .link(long)))
        try record.write(Record.ann, linking)
        #expect(try record.refusals(Record.ann).map(\.sequence) == [2, 3])
    }

    @Test("a text is changed by its edits only, and only a text is")
    func texts() throws {
        let record = try Record()
        try record.backend.extendSchema(
            Schema([
                ClassSchema(
                    name: "Note",
                    properties: [
                        Property(name: "_id", type: .int, isPrimaryKey: true),
                        Property(name: "body", type: .string, isText: true),
                    ])
            ]))
        let note = ObjectReference("Note", .int(1))
        let id = ElementID(client: ClientID(1), counter: 1)
        try record.write(
            Record.ann, create(note),
            .text(note, property: "body", .insert(id, left: nil, right: nil, text: "abc")),
            .text(note, property: "body", .delete(id, count: 1)))
        for (operation, word) in [
            (create(ObjectReference("Note", .int(2)), ("body", .string("a"))), "is a text"),
            (set(note, "body", .string("a")), "is a text"),
            (.list(note, property: "body", .delete(id)), "not a list"),
            (.text(dog(1), property: "name", .delete(id, count: 1)), "no text"),
        ] {
            try record.write(Record.ann, operation)
            let message = try record.refusals(Record.ann).last?.failure.message ?? ""
            #expect(message.contains(word), "\(operation): \(message)")
        }
        #expect(throws: StoreFailure.self) {
            try record.backend.extendSchema(
                Schema([
                    ClassSchema(
                        name: "Note",
                        properties: [
                            Property(name: "_id", type: .int, isPrimaryKey: true),
                            Property(name: "body", type: .string),
                        ])
                ]))
        }
        let snapshot = try record.store.snapshot()
        let classNumber = try #require(snapshot.classNumber("Note"))
        let row = try #require(snapshot.row(ObjectName(classNumber, .int(1))))
        #expect(snapshot.value(of: 1, in: row) == .string("bc"))
    }

    @Test("operations drawn at random never stop the server")
    func hostile() throws {
        for seed in Self.seeds {
            let record = try Record("hostile \(seed)")
            var random = Drawing(seed: seed)
            for _ in 0..<60 {
                let client = random.pick([Record.ann, Record.bob])
                let changeset = record.changeset(
                    client, base: UInt64(random.below(20)), at: random.below(4) == 0 ? UInt64.max >> 17 : nil,
                    (0..<random.below(5)).map { _ in random.operation() })
                #expect(try record.commit(client, changeset).failure == nil, "seed \(seed)")
            }
            let snapshot = try record.store.snapshot()
            let history = try snapshot.history(after: .zero, for: Record.ann)
            #expect(!history.touched.isEmpty || !history.births.isEmpty, "seed \(seed)")
        }
    }
}

@Suite("The schema of a database", .everyBackend)
struct SchemaTests {
    @Test("what is new is added, and the rest stays")
    func additive() throws {
        let record = try Record()
        try record.write(Record.ann, create(dog(1), ("name", .string("Rex"))))
        try record.backend.extendSchema(
            Schema([
                ClassSchema(
                    name: "Dog",
                    properties: [
                        Property(name: "_id", type: .int, isPrimaryKey: true),
                        Property(name: "colour", type: .string),
                    ]),
                ClassSchema(name: "Cat", properties: [Property(name: "_id", type: .uuid, isPrimaryKey: true)]),
            ]))
        try record.write(Record.bob, set(dog(1), "colour", .string("red")))
        #expect(try record.dog(1)?["name"] == .string("Rex"))
        #expect(try record.dog(1)?["colour"] == .string("red"))
    }

    @Test("a contradiction is refused with every difference")
    func contradiction() throws {
        let record = try Record()
        let schema = Schema([
            ClassSchema(
                name: "Dog",
                properties: [
                    Property(name: "_id", type: .string, isPrimaryKey: true),
                    Property(name: "name", type: .string, isOptional: true),
                    Property(name: "age", type: .int, isOptional: true),
                    Property(name: "toys", type: .string),
                ]),
            ClassSchema(
                name: "Home", kind: .object, properties: [Property(name: "city", type: .string, isPrimaryKey: true)]),
        ])
        let failure = #expect(throws: StoreFailure.self) { try record.backend.extendSchema(schema) }
        #expect(failure?.code == .schemaMismatch)
        for word in ["Dog._id", "Dog.name", "Dog.toys", "Home", "use a new name"] {
            #expect(failure?.message.contains(word) == true, "\(word) in: \(failure?.message ?? "")")
        }
        #expect(failure?.message.contains("Dog.age") == false)
    }

    @Test("a mixed property declared as required shuts out nobody who declares it optional, nor the other way round")
    func requiredMixed() throws {
        let id = Property(name: "_id", type: .int, isPrimaryKey: true)
        func schema(isOptional: Bool) -> Schema {
            Schema([
                ClassSchema(
                    name: "Note",
                    properties: [
                        id, Property(name: "any", type: .mixed, isOptional: isOptional),
                        Property(name: "many", type: .mixed, collection: .list, isOptional: isOptional),
                    ])
            ])
        }
        for first in [true, false] {
            let record = try Record()
            try record.backend.extendSchema(schema(isOptional: first))
            for next in [true, false] {
                try record.backend.extendSchema(schema(isOptional: next))
                try record.backend.requireSchema(schema(isOptional: next))
            }
        }
    }

    @Test("a schema that must be there already may be a part of it; every class and property it lacks is named")
    func required() throws {
        let record = try Record()
        let before = try record.store.snapshot().schema
        let id = Property(name: "_id", type: .int, isPrimaryKey: true)
        func require(_ properties: Property..., with others: ClassSchema...) throws {
            try record.backend.requireSchema(Schema([ClassSchema(name: "Dog", properties: [id] + properties)] + others))
        }
        try record.backend.requireSchema(Schema())
        try record.backend.requireSchema(Record.schema)
        try require()
        // What is only faster with an index is answered without.
        try require(Property(name: "name", type: .string, isIndexed: true))
        let failure = #expect(throws: StoreFailure.self) {
            try require(
                Property(name: "name", type: .string), Property(name: "colour", type: .string),
                Property(name: "extra", type: .mixed, isOptional: true),
                with: ClassSchema(name: "Cat", properties: [id]))
        }
        #expect(failure?.code == .schemaMismatch)
        let message = failure?.message ?? ""
        #expect(message.contains("the class “Cat”; “Dog.colour”; “Dog.extra”. Ask the operator"), "\(message)")
        let contradiction = #expect(throws: StoreFailure.self) { try require(Property(name: "name", type: .int)) }
        #expect(contradiction?.message.contains("contradicts") == true, "\(contradiction?.message ?? "")")
        #expect(try record.store.snapshot().schema == before)
    }

    @Test("a class that cannot be synced is refused with the reason")
    func impossible() throws {
        let record = try Record()
        let schemas: [(Schema, String)] = [
            (Schema([ClassSchema(name: "A", properties: [Property(name: "x", type: .int)])]), "primary keys"),
            (
                Schema([
                    ClassSchema(name: "A", properties: [Property(name: "_id", type: .double, isPrimaryKey: true)])
                ]), "primary key of"
            ),
            (
                Schema([
                    ClassSchema(
                        name: "A",
                        properties: [
                            Property(name: "_id", type: .int, isPrimaryKey: true),
                            Property(name: "b", type: .object, isOptional: true, target: "B"),
                        ])
                ]), "links to a class"
            ),
            (Schema([ClassSchema(name: String(repeating: "A", count: 58), properties: [])]), "57"),
            (
                Schema([
                    ClassSchema(
                        name: "A",
                        properties: [
                            Property(name: "_id", type: .int, isPrimaryKey: true),
                            Property(name: "$user:0", type: .string),
                        ])
                ]), "dollar sign"
            ),
        ]
        for (schema, word) in schemas {
            let failure = #expect(throws: StoreFailure.self) { try record.backend.extendSchema(schema) }
            #expect(failure?.message.contains(word) == true, "\(failure?.message ?? "")")
        }
    }
}
