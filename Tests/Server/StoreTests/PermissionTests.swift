import CausewayModel
import CausewayOperations
import CausewayQuery
import CausewayStore
import CausewayStoreEmbedded
import Testing

@Suite("What a writer may do", .everyBackend)
struct PermissionTests {
    private let ann = Record.ann

    private func rules(
        _ read: String? = nil, write: String = "TRUEPREDICATE", create: String? = nil, delete: String? = nil,
        properties: [String: String] = [:]
    ) throws -> Permissions {
        func rule(_ text: String) throws -> AccessRules.Rule { .when(try Predicate.parse(text)) }
        return Permissions(
            AccessRules(byClass: [
                "Dog": AccessRules.OfClass(
                    read: try read.map(rule) ?? .always, create: try rule(create ?? write), write: try rule(write),
                    delete: try rule(delete ?? write),
                    properties: try properties.mapValues { AccessRules.OfProperty(write: try rule($0)) })
            ]))
    }

    /// What came of one changeset: the places of refused operations.
    private func refused(
        _ record: Record, _ permissions: Permissions, _ operations: Operation...,
        codes: Set<StoreFailure.Code> = [.permissionDenied]
    ) throws -> [Int] {
        try refused(record, permissions, operations, codes: codes)
    }

    private func refused(
        _ record: Record, _ permissions: Permissions, _ operations: [Operation], at stamp: UInt64? = nil,
        codes: Set<StoreFailure.Code> = [.permissionDenied]
    ) throws -> [Int] {
        let changeset = record.changeset(ann, at: stamp, operations)
        let outcome = try record.backend.commit(
            [UploadBatch(client: ann, user: "user", permissions: permissions, changesets: [changeset])],
            receivedAt: record.time)[0]
        #expect(outcome.committed == changeset.sequence && outcome.failure == nil)
        let refusals = try record.refusals(ann).filter { $0.sequence == changeset.sequence }
        #expect(refusals.allSatisfy { codes.contains($0.failure.code) })
        return refusals.map(\.operation)
    }

    private func name(_ text: String) -> (String, Value) { ("name", .string(text)) }

    @Test("a refused operation costs only itself")
    func onlyItself() throws {
        let record = try Record()
        try record.write(Record.bob, create(dog(1), name("ann")), create(dog(2), name("bob")))
        let own = try rules(write: "name == 'ann'")
        let places = try refused(
            record, own, set(dog(1), "age", .int(1)), set(dog(2), "age", .int(2)), create(dog(3), name("ann")),
            create(dog(4), name("bob")), .delete(dog(2), life: 2), .delete(dog(1), life: 2))
        #expect(places == [1, 3, 4])
        #expect(try record.dog(1) == nil && record.dog(4) == nil)
        #expect(try record.dog(2)?["age"] == .null && record.dog(3) != nil)
    }

    @Test("an object is judged before and after: nobody takes what is another's, or gives away what may not be given")
    func beforeAndAfter() throws {
        let record = try Record()
        try record.write(Record.bob, create(dog(1), name("ann")), create(dog(2), name("bob")))
        let own = try rules(write: "name == 'ann'")
        #expect(try refused(record, own, set(dog(1), "name", .string("bob"))) == [0])
        #expect(try refused(record, own, set(dog(2), "name", .string("ann")), set(dog(2), "age", .int(5))) == [0, 1])
        // The second is judged after the first, which stands.
        let young = try rules(write: "age < 10 OR name == 'ann'")
        #expect(
            try refused(record, young, set(dog(1), "age", .int(50)), set(dog(1), "name", .string("bob"))) == [1])
        #expect(try record.dog(1)?["name"] == .string("ann"))
    }

    @Test("a value that loses to what is there decides nothing about the object afterwards")
    func losingValues() throws {
        let record = try Record()
        try record.write(Record.bob, create(dog(1), name("bob"), ("age", .int(5))))
        let young = try rules(write: "age < 10 OR name == 'ann'")
        let weak = Operation.set(dog(1), FieldValue("name", .string("ann"), isDefault: true))
        #expect(try refused(record, young, weak, set(dog(1), "age", .int(50))) == [1])
        // Of two values of one changeset an explicit one is stronger, whichever comes last.
        let strong = set(dog(1), "name", .string("cat"))
        #expect(try refused(record, young, strong, weak, set(dog(1), "age", .int(50))) == [2])
        #expect(try record.dog(1)?["name"] == .string("cat") && record.dog(1)?["age"] == .int(5))
        #expect(
            try refused(record, young, set(dog(1), "name", .string("ann")), weak, set(dog(1), "age", .int(50))) == [])
        #expect(try record.dog(1)?["age"] == .int(50))
    }

    @Test("what is older than the value that is there, or than the object, decides nothing about it afterwards")
    func olderValues() throws {
        let record = try Record()
        try record.write(Record.bob, create(dog(1), name("bob"), ("age", .int(5))))
        let young = try rules(write: "age < 10 OR name == 'ann'")
        var changeset = record.changeset(ann, [set(dog(1), "name", .string("ann")), set(dog(1), "age", .int(50))])
        changeset.stamp = Stamp(time: 1, client: ann)
        _ = try record.backend.commit(
            [UploadBatch(client: ann, user: "user", permissions: young, changesets: [changeset])],
            receivedAt: record.time)
        #expect(try record.dog(1)?["name"] == .string("bob") && record.dog(1)?["age"] == .int(5))
        #expect(try record.refusals(ann) == [])
    }

    @Test("what a rule reads of collections is bounded: beyond that an object's operations stand or fall together")
    func elementsRead() throws {
        for (elementsMax, expected) in [(1 << 20, Array(39..<50)), (100, Array(14..<50))] {
            let record = try Record(options: StoreEmbedded.Options(ruleElementsMax: elementsMax))
            try record.write(Record.bob, create(dog(1)), create(dog(2)))
            let inserts = (0..<50).map { place in
                Operation.list(
                    dog(1), property: "toys",
                    .insert(
                        ElementID(client: ann, counter: UInt64(1 + place)), left: nil, right: nil, value: .string("x")))
            }
            let few = try rules(write: "toys.@count < 40")
            // After 14 of them 1 + 2 + … + 14 elements were read.
            #expect(try refused(record, few, inserts) == expected)
            #expect(try record.toys(1).count == expected[0])
            #expect(try refused(record, few, [set(dog(2), "name", .string("Rex"))]) == [])
        }
    }

    @Test("one rule for an object and its properties reads a collection once before the changeset")
    func equalRules() throws {
        let record = try Record(options: StoreEmbedded.Options(ruleElementsMax: 80))
        try record.write(Record.bob, create(dog(1)))
        for toy in toys(30, "y", of: Record.bob) { try record.write(Record.bob, toy) }
        let rule = "NONE toys == 'x' AND name != 'bad'"
        let permissions = try rules(write: rule, properties: ["name": rule, "age": rule])
        // 30 elements before, and 30 after each of the first two: the third is the first beyond the bound, and falls alone.
        #expect(
            try refused(
                record, permissions, set(dog(1), "name", .string("Rex")), set(dog(1), "age", .int(5)),
                set(dog(1), "name", .string("bad"))) == [2])
    }

    @Test("a rule over a collection is asked so often as it costs little, however many operations change it")
    func manyElements() throws {
        let record = try Record(options: StoreEmbedded.Options(ruleElementsMax: 100_000))
        try record.write(Record.bob, create(dog(1)))
        #expect(try refused(record, try rules(write: "NONE toys == 'y'"), toys(20_000, "x", of: ann)) == [])
        #expect(try record.toys(1).count == 20_000)
    }

    /// So many toys of one name put into the list of the first dog, one behind the other.
    private func toys(_ count: Int, _ name: String, of client: ClientID) -> [Operation] {
        let ids = (1...count).map { ElementID(client: client, counter: UInt64($0)) }
        return ids.enumerated().map { place, id in
            .list(
                dog(1), property: "toys",
                .insert(id, left: place == 0 ? nil : ids[place - 1], right: nil, value: .string(name)))
        }
    }

    @Test("what is added to a counter counts in the object afterwards")
    func additions() throws {
        let record = try Record()
        try record.addCounter("likes", to: "Dog")
        try record.write(Record.bob, create(dog(1), name("bob")))
        let few = try rules(write: "likes < 10")
        func add(_ amount: Int64) -> Operation { .add(dog(1), property: "likes", Addition(amount)) }
        #expect(try refused(record, few, add(6), add(3), add(1), add(-5), add(5)) == [2])
        #expect(try record.dog(1)?["likes"] == .int(9))
    }

    @Test("a one-way object that replaces one of the same primary key is a write")
    func oneWayAgain() throws {
        let record = try Record()
        try record.backend.extendSchema(
            Schema([
                ClassSchema(
                    name: "Reading", kind: .asymmetric,
                    properties: [
                        Property(name: "_id", type: .int, isPrimaryKey: true), Property(name: "n", type: .int),
                    ])
            ]))
        let low = AccessRules.OfClass(create: .always, write: .when(try Predicate.parse("n < 3")))
        let permissions = Permissions(AccessRules(byClass: ["Reading": low]))
        let reading = ObjectReference("Reading", .int(1))
        func send(_ n: Int64, as number: UInt64) throws(StoreFailure) -> UInt64 {
            let batch = OneWayBatch(
                client: ann, user: "user", permissions: permissions, first: number,
                entries: [[create(reading, ("n", .int(n)))]])
            return try record.backend.ingest(batch, receivedAt: 5)
        }
        #expect(try send(1, as: 1) == 1)
        #expect(try send(2, as: 2) == 2)
        let failure = #expect(throws: StoreFailure.self) { try send(5, as: 3) }
        #expect(failure?.code == .permissionDenied)
        #expect(failure?.refusals.map(\.sequence) == [3])
        #expect(try record.store.count("Reading", matching: "n == 2") == 1)
    }

    @Test("create, write and delete have rules of their own; a create of what is alive is a write")
    func kinds() throws {
        let record = try Record()
        try record.write(Record.bob, create(dog(1), name("old")))
        let append = try rules(write: "FALSEPREDICATE", create: "TRUEPREDICATE", delete: "name == 'old'")
        #expect(
            try refused(
                record, append, create(dog(2), name("new")), set(dog(2), "age", .int(1)), create(dog(1), name("taken")),
                .list(
                    dog(2), property: "toys",
                    .insert(ElementID(client: ann, counter: 1), left: nil, right: nil, value: .string("ball"))))
                == [2])
        #expect(try record.toys(2) == [.string("ball")])
        #expect(try record.dog(2)?["age"] == .int(1))
        // It is made now.
        #expect(try refused(record, append, set(dog(2), "age", .int(2)), .delete(dog(2), life: 2)) == [0, 1])
        #expect(try refused(record, append, create(dog(1), life: 3, name("again"))) == [0])
        // Taking an object's place is one intention, and refused as one.
        let replace = try refused(record, append, .delete(dog(1), life: 2), create(dog(1), life: 3, name("again")))
        #expect(replace == [0, 1])
        #expect(try refused(record, append, .delete(dog(1), life: 2)) == [])
        #expect(try record.dog(1) == nil)
    }

    @Test("a delete and a create behind it make a further life, also of a class of which an end was forgotten")
    func furtherLifeWhereForgotten() throws {
        let record = try Record(options: StoreEmbedded.Options(historyVersionsMax: 3))
        try record.write(Record.bob, create(dog(1), name("old"), ("age", .int(7))), create(dog(2)))
        try record.write(Record.bob, .delete(dog(2), life: 2))
        for _ in 0..<8 { try record.write(Record.bob, create(dog(99), name("tick"))) }
        #expect(try record.count("server.ends") == 0)
        let closed = try rules(create: "FALSEPREDICATE")
        // Alone it counts on from an end that is forgotten: a change of what is alive.
        #expect(try refused(record, closed, create(dog(1), life: 3, name("changed"))) == [])
        #expect(
            try refused(record, closed, .delete(dog(1), life: 2), create(dog(1), life: 3, name("anew"))) == [0, 1])
        #expect(try record.dog(1)?["name"] == .string("changed") && record.dog(1)?["age"] == .int(7))
        // What the earlier life held is none of the later one's.
        let aged = try rules(create: "age == 7")
        #expect(
            try refused(record, aged, .delete(dog(1), life: 2), create(dog(1), life: 3, name("anew"))) == [0, 1])
        #expect(
            try refused(
                record, aged, .delete(dog(1), life: 2), create(dog(1), life: 3, name("anew"), ("age", .int(7))),
                set(dog(1), "name", .string("named")))
                == [])
        #expect(try record.dog(1)?["name"] == .string("named"))
    }

    @Test("what follows a further life in its changeset must leave an object that may be created")
    func behindFurtherLife() throws {
        let record = try Record()
        try record.write(Record.bob, create(dog(1), name("old")))
        let young = try rules(create: "age == 0")
        #expect(
            try refused(
                record, young, .delete(dog(1), life: 2), create(dog(1), life: 3, ("age", .int(0))),
                set(dog(1), "age", .int(9)), set(dog(1), "name", .string("new")))
                == [2])
        #expect(try record.dog(1)?["age"] == .int(0) && record.dog(1)?["name"] == .string("new"))
    }

    @Test("what follows a create is judged also where somebody else made the object later")
    func behindEarlierCreate() throws {
        let record = try Record()
        try record.write(Record.bob, at: 50, create(dog(1), name("bob's")))
        let clean = try rules(write: "NONE toys == 'banned'")
        let toy = Operation.list(
            dog(1), property: "toys",
            .insert(ElementID(client: ann, counter: 1), left: nil, right: nil, value: .string("banned")))
        #expect(try refused(record, clean, [create(dog(1), name("ann's")), toy], at: 10) == [1])
        #expect(try record.toys(1) == [])
    }

    @Test("of a key that one changeset makes, deletes and makes again the last life is judged")
    func lastLife() throws {
        let record = try Record()
        let own = try rules(write: "name == 'ann'")
        #expect(
            try refused(
                record, own, create(dog(1), name("ann")), .delete(dog(1), life: 2), create(dog(1), life: 3))
                == [0, 1, 2])
        #expect(try record.dog(1) == nil)
        #expect(
            try refused(
                record, own, create(dog(1), name("bob")), .delete(dog(1), life: 2),
                create(dog(1), life: 3, name("ann"))) == [])
        #expect(try record.dog(1)?["name"] == .string("ann"))
        // What comes too late for the life that there is makes nothing of it.
        try record.write(Record.bob, .delete(dog(1), life: 4))
        #expect(
            try refused(
                record, own, create(dog(1), life: 5, name("bob")), create(dog(1), life: 3, name("ann"))) == [0, 1])
        #expect(try record.dog(1) == nil)
    }

    @Test("a new object is judged with what its collections hold, and what depends on a refused create goes with it")
    func creates() throws {
        let record = try Record()
        let toys = try rules(write: "ANY toys == 'ball'")
        func insert(_ id: Int64, _ toy: String, _ counter: UInt64) -> CausewayOperations.Operation {
            .list(
                dog(id), property: "toys",
                .insert(ElementID(client: ann, counter: counter), left: nil, right: nil, value: .string(toy)))
        }
        let places = try refused(
            record, toys, create(dog(1)), insert(1, "ball", 1), create(dog(2), ("home", .link(mine(9).key))),
            insert(2, "bone", 2), create(mine(9), ("city", .string("Rome"))), set(dog(2), "age", .int(1)))
        #expect(places == [2, 3, 4, 5])
        #expect(try record.dog(1) != nil && record.dog(2) == nil && record.object("Home", mine(9).key) == nil)
        #expect(Set(try record.refusals(ann).map(\.failure.message)).count == 1)
    }

    @Test("a property's rule judges single sets; in a create its value counts when it says something")
    func properties() throws {
        let record = try Record()
        try record.write(Record.bob, create(dog(1), name("a")))
        let permissions = try rules(properties: ["age": "name == 'vet'", "toys": "FALSEPREDICATE"])
        let places = try refused(
            record, permissions, set(dog(1), "age", .int(3)), set(dog(1), "name", .string("b")),
            .list(
                dog(1), property: "toys",
                .insert(ElementID(client: ann, counter: 1), left: nil, right: nil, value: .string("x"))),
            create(dog(2), ("age", .int(4))), create(dog(3), ("age", .null)),
            create(dog(4), name("vet"), ("age", .int(5))),
            set(dog(3), "age", .int(6)))
        #expect(places == [0, 2, 3, 6])
        #expect(try record.dog(1)?["age"] == .null && record.dog(1)?["name"] == .string("b"))
        #expect(try record.dog(2) == nil && record.dog(3)?["age"] == .null && record.dog(4)?["age"] == .int(5))
    }

    /// What Bob makes: a client gives what it makes ids of its own.
    private func home(_ id: UInt64) -> ObjectReference {
        ObjectReference("Home", .container(ElementID(client: Record.bob, counter: id)))
    }

    private func room(_ id: UInt64) -> ObjectReference {
        ObjectReference("Room", .container(ElementID(client: Record.bob, counter: id)))
    }

    private func mine(_ id: UInt64) -> ObjectReference {
        ObjectReference("Home", .container(ElementID(client: ann, counter: id)))
    }

    @Test("embedded objects are judged as the object and the property that hold them")
    func embedded() throws {
        let record = try Record()
        try record.write(
            Record.bob, create(home(1), ("city", .string("Rome")), ("room", .link(room(1).key))),
            create(room(1), ("size", .int(10))), create(dog(1), name("bob"), ("home", .link(home(1).key))),
            create(home(2)), create(dog(2), name("ann"), ("home", .link(home(2).key))))
        let own = try rules(write: "name == 'ann'")
        #expect(
            try refused(
                record, own, set(home(1), "city", .string("x")), set(room(1), "size", .int(1)),
                .delete(home(1), life: 2),
                set(home(2), "city", .string("Oslo"))) == [0, 1, 2])
        #expect(try record.object("Home", home(1).key)?["city"] == .string("Rome"))
        #expect(try record.object("Room", room(1).key)?["size"] == .int(10))
        #expect(try record.object("Home", home(2).key)?["city"] == .string("Oslo"))
        let closed = try rules(properties: ["home": "FALSEPREDICATE"])
        #expect(try refused(record, closed, set(home(2), "city", .string("z")), set(dog(2), "age", .int(1))) == [0])
    }

    @Test("nobody takes over an embedded object by holding it, also where only reading has rules")
    func taking() throws {
        let record = try Record()
        try record.write(
            Record.bob, create(home(1), ("city", .string("Rome"))),
            create(dog(1), name("bob"), ("home", .link(home(1).key))), create(dog(2), name("ann")),
            // A link whose object did not come yet.
            create(dog(3), name("bob"), ("home", .link(home(7).key))))
        for permissions in [try rules(write: "name == 'ann'"), try rules("name == 'ann'")] {
            #expect(
                try refused(
                    record, permissions, set(dog(2), "home", .link(home(1).key)),
                    create(dog(10), name("ann"), ("home", .link(home(1).key))), create(dog(11), name("ann")),
                    create(mine(8)), set(dog(11), "home", .link(mine(8).key)), codes: [.operationInvalid])
                    == [0, 1])
            #expect(try refused(record, permissions, .delete(dog(11), life: 2)) == [])
        }
        let own = try rules(write: "name == 'ann'")
        #expect(try refused(record, own, create(home(7), ("city", .string("mine"))), codes: [.operationInvalid]) == [0])
        #expect(try record.dog(1)?["home"] == .link(home(1).key) && record.dog(2)?["home"] == .null)
    }

    @Test("a rule may ask other objects, as they are")
    func links() throws {
        let record = try Record()
        try record.write(
            Record.bob, create(dog(1), name("boss")), create(dog(2), ("friend", .link(.int(1)))), create(dog(3)))
        let friends = try rules(write: "friend.name == 'boss'")
        #expect(
            try refused(
                record, friends, set(dog(2), "age", .int(1)), set(dog(3), "age", .int(1)),
                set(dog(3), "friend", .link(.int(1))))
                == [1, 2])
    }

    private func friend(_ id: Int64) -> (String, Value) { ("friend", .link(.int(id))) }

    @Test("through a link a rule sees what is not refused: nothing comes in by an object that does not")
    func refusedOthers() throws {
        let record = try Record()
        let led = try rules(write: "TRUEPREDICATE", create: "age == 1 OR friend.name == 'boss'")
        // A leader who may not come in lets nobody in, whichever is named first.
        #expect(
            try refused(
                record, led, create(dog(2), friend(9)), create(dog(9), name("boss")), create(dog(10), friend(9)),
                create(dog(11), ("age", .int(1)))) == [0, 1, 2])
        try record.write(Record.bob, create(dog(9), name("boss")))
        #expect(try record.dog(2) == nil && record.dog(10) == nil && record.dog(11) != nil)
        // One that is there, or comes in by itself, does.
        #expect(
            try refused(
                record, led, create(dog(20), friend(9)), create(dog(3), friend(21)),
                create(dog(21), name("boss"), ("age", .int(1)))) == [])
        // So it is with what a change would make of it, and with one that the changeset ends.
        let named = try rules(write: "friend.name == 'boss' OR age == 1", delete: "TRUEPREDICATE")
        try record.write(Record.bob, create(dog(30), name("cat"), ("age", .int(5))), create(dog(31), ("age", .int(1))))
        #expect(
            try refused(
                record, named, set(dog(30), "name", .string("boss")), set(dog(31), "friend", .link(.int(30))),
                set(dog(31), "age", .int(2))) == [0, 2])
        #expect(try refused(record, named, .delete(dog(9), life: 2), create(dog(32), friend(9))) == [1])
    }

    @Test("however long a chain of refusals is, all that hangs on the first one goes, and nothing else")
    func chains() throws {
        let record = try Record()
        try record.write(Record.bob, create(dog(1_000), name("boss")))
        let led = try rules(write: "TRUEPREDICATE", create: "friend.name == 'boss'")
        func chain(_ ids: ClosedRange<Int64>, from first: Int64) -> [CausewayOperations.Operation] {
            ids.map { create(dog($0), name("boss"), friend($0 == ids.lowerBound ? first : $0 - 1)) }
        }
        for length in [2, 5, 9, 40] as [Int64] {
            let base = length * 100
            let operations = chain(base...base + length - 1, from: 999_999) + [create(dog(base + 99), friend(1_000))]
            let changeset = record.changeset(ann, operations)
            _ = try record.backend.commit(
                [UploadBatch(client: ann, user: "user", permissions: led, changesets: [changeset])],
                receivedAt: record.time)
            let places = try record.refusals(ann).filter { $0.sequence == changeset.sequence }.map(\.operation)
            #expect(places == Array(0..<Int(length)), "\(length)")
        }
        let changeset = record.changeset(ann, chain(9_000...9_039, from: 1_000))
        _ = try record.backend.commit(
            [UploadBatch(client: ann, user: "user", permissions: led, changesets: [changeset])],
            receivedAt: record.time)
        #expect(try record.refusals(ann).filter { $0.sequence == changeset.sequence } == [])
    }

    @Test("edits of a text count in the object afterwards, those of a new object too, and stand or fall together")
    func texts() throws {
        let record = try Record()
        let box = ObjectReference("Box", .int(1))
        func type(_ target: ObjectReference, _ text: String, by client: ClientID, _ counter: UInt64)
            -> CausewayOperations
            .Operation
        {
            .text(
                target, property: "body",
                .insert(ElementID(client: client, counter: counter), left: nil, right: nil, text: text))
        }
        try record.write(Record.bob, create(box), type(box, "plain", by: Record.bob, 1))
        let write = AccessRules.Rule.when(try Predicate.parse("NOT body CONTAINS 'secret'"))
        let open = Permissions(
            AccessRules(byClass: ["Box": AccessRules.OfClass(create: write, write: write, delete: write)]))
        #expect(try refused(record, open, type(box, "se", by: ann, 1)) == [])
        let other = ObjectReference("Box", .int(2))
        #expect(
            try refused(
                record, open, type(box, "secret", by: ann, 10), type(box, "ok", by: ann, 20),
                .keyed(box, property: "labels", .put(key: .string("x"), value: .null)), create(other),
                type(other, "top secret", by: ann, 30)) == [0, 1, 3, 4])
        #expect(try record.object("Box", .int(1))?["body"] == .string("seplain"))
        // Typed in two pieces it says the same.
        #expect(
            try refused(record, open, type(box, "secr", by: ann, 40), type(box, "x", by: ann, 50)) == [])
        #expect(try refused(record, open, create(other), type(other, "ok", by: ann, 60)) == [])
    }

    @Test("whether a key is taken, was taken or never was, who may not see it is refused a create in the same words")
    func hiddenKeys() throws {
        let record = try Record()
        try record.write(Record.bob, create(dog(1), name("bob")), create(dog(2), name("bob")))
        try record.write(Record.bob, .delete(dog(2), life: 2))
        for permissions in [
            try rules("name == 'ann'", write: "name == 'ann'", create: "FALSEPREDICATE"),
            try rules(
                "name == 'ann'", write: "name == 'ann'", create: "TRUEPREDICATE", properties: ["age": "name == 'ann'"]),
        ] {
            #expect(
                try refused(
                    record, permissions, create(dog(1), name("cat"), ("age", .int(1))),
                    create(dog(2), name("cat"), ("age", .int(1))), create(dog(3), name("cat"), ("age", .int(1))))
                    == [0, 1, 2])
            #expect(Set(try record.refusals(ann).map(\.failure.message)).count == 1)
        }
    }

    @Test("rules that permit everything refuse nothing, and a class without rules follows the default")
    func everything() throws {
        let record = try Record()
        #expect(try refused(record, Permissions(AccessRules()), create(dog(1)), set(dog(1), "age", .int(1))) == [])
        let closed = Permissions(
            AccessRules(otherwise: AccessRules.OfClass(create: .never, write: .never, delete: .never)))
        #expect(
            try refused(record, closed, create(dog(2)), set(dog(1), "age", .int(2)), .delete(dog(1), life: 2)) == [
                0, 1, 2,
            ])
    }
}
