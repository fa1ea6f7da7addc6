import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayQuery
import CausewayStore
import CausewayStoreEmbedded
import Testing

/// Names and values that Unicode or arithmetic call equal, and that are not the same.
@Suite("Identity is bytes", .everyBackend)
struct IdentityTests {
    private static let spellings = [("\u{E9}", "e\u{301}"), ("01HK", "01H\u{212A}"), (";", "\u{37E}")]

    private static let schema = Schema([
        ClassSchema(
            name: "Task",
            properties: [
                Property(name: "_id", type: .string, isPrimaryKey: true),
                Property(name: "owner", type: .string),
                Property(name: "next", type: .object, isOptional: true, target: "Task"),
                Property(name: "note", type: .string, isOptional: true),
                Property(name: "d", type: .double),
                Property(name: "f", type: .float),
                Property(name: "dec", type: .decimal128),
                Property(name: "any", type: .mixed, isOptional: true),
                Property(name: "words", type: .string, collection: .list),
                Property(name: "numbers", type: .double, collection: .list),
                Property(name: "decimals", type: .decimal128, collection: .list),
                Property(name: "anys", type: .mixed, collection: .list, isOptional: true),
                Property(name: "texts", type: .string, collection: .map),
                Property(name: "doubles", type: .double, collection: .map),
                Property(name: "labels", type: .double, collection: .set),
            ])
    ])

    private func record(_ name: String = #function) throws -> Record {
        let record = try Record(name)
        try record.backend.extendSchema(Self.schema)
        return record
    }

    private func task(_ key: String) -> ObjectReference { ObjectReference("Task", .string(key)) }

    /// As it travels.
    private func whole(_ record: Record, _ object: ObjectReference) throws -> ObjectState {
        let snapshot = try record.store.snapshot()
        let number = try #require(snapshot.classNumber(object.className))
        let row = try #require(snapshot.row(ObjectName(number, object.key)))
        var content: [ObjectContent] = []
        try snapshot.appendWhole(number, [row.key], to: &content)
        return try #require(content.last).state
    }

    @Test("who owns an object has no right to another one whose key only looks like its own", arguments: 0..<3)
    func takeover(number: Int) throws {
        let record = try record("takeover \(number)")
        let rule = AccessRules.Rule.when(try Predicate.parse("owner == 'ann'"))
        let own = Permissions(
            AccessRules(byClass: [
                "Task": AccessRules.OfClass(read: .always, create: rule, write: rule, delete: rule)
            ]))
        let (left, right) = Self.spellings[number]
        for (prefix, bobs, anns) in [("x", left, right), ("y", right, left)] {
            let (victim, mine) = (task(prefix + bobs), task(prefix + anns))
            try record.write(Record.bob, create(victim, ("owner", .string("bob")), ("note", .string("bob's"))))
            func attack(_ operations: Operation...) throws -> [Int] {
                let changeset = record.changeset(Record.ann, operations)
                _ = try record.backend.commit(
                    [UploadBatch(client: Record.ann, user: "user", permissions: own, changesets: [changeset])],
                    receivedAt: record.time)
                return try record.refusals(Record.ann).filter { $0.sequence == changeset.sequence }.map(\.operation)
            }
            #expect(try attack(create(mine, ("owner", .string("ann")))) == [])
            #expect(
                try attack(
                    set(mine, "owner", .string("ann")), set(victim, "owner", .string("ann")),
                    set(victim, "note", .string("stolen")), .delete(victim, life: 2)) == [1, 2, 3])
            #expect(try record.object("Task", victim.key)?["owner"] == .string("bob"))
            #expect(try record.object("Task", victim.key)?["note"] == .string("bob's"))
        }
    }

    @Test("two objects whose keys look alike are made, changed and deleted apart, in one changeset too")
    func apart() throws {
        for (left, right) in Self.spellings {
            let record = try record("apart \(left)")
            let (first, second) = (task(left), task(right))
            try record.write(
                Record.bob, create(first, ("owner", .string("A"))), create(second, ("owner", .string("B"))))
            try record.write(
                Record.ann, set(first, "owner", .string("A2")), set(second, "owner", .string("B2")),
                .list(
                    first, property: "words",
                    .insert(ElementID(client: Record.ann, counter: 1), left: nil, right: nil, value: .string("A"))),
                .list(
                    second, property: "words",
                    .insert(ElementID(client: Record.ann, counter: 2), left: nil, right: nil, value: .string("B"))))
            #expect(try record.object("Task", first.key)?["owner"] == .string("A2"))
            #expect(try record.object("Task", second.key)?["owner"] == .string("B2"))
            #expect(try whole(record, first).list("words")?.values == [.string("A")])
            #expect(try whole(record, second).list("words")?.values == [.string("B")])
            let objection = try record.objection(
                Record.ann, .delete(first, life: 2), set(second, "owner", .string("B3")))
            #expect(objection == nil)
            #expect(try record.object("Task", first.key) == nil)
            #expect(try record.object("Task", second.key)?["owner"] == .string("B3"))
        }
    }

    @Test("a link leads to the object that it names, not to one that looks like it")
    func links() throws {
        for (left, right) in Self.spellings {
            let record = try record("links \(left)")
            try record.write(Record.bob, create(task(left)), create(task(right)))
            try record.write(
                Record.bob, create(task("a"), ("next", .link(.string(left)))),
                create(task("b"), ("next", .link(.string(right)))))
            #expect(try record.object("Task", .string("a"))?["next"] == .link(.string(left)))
            #expect(try record.object("Task", .string("b"))?["next"] == .link(.string(right)))
        }
    }

    @Test("the history names each of two objects that look alike")
    func history() throws {
        let record = try record()
        let (first, second) = (task("\u{E9}"), task("e\u{301}"))
        try record.write(Record.bob, create(first, ("owner", .string("A"))))
        try record.write(Record.bob, create(second, ("owner", .string("B"))))
        let start = record.store.version
        try record.write(Record.bob, set(first, "owner", .string("A2")))
        try record.write(Record.bob, set(second, "owner", .string("B2")))
        let history = try record.store.snapshot().history(after: start, for: Record.ann)
        #expect(Set(history.touched.map(\.name.key)) == [first.key, second.key])
    }

    @Test("a value that only compares as equal is a change: it is stored, and it travels")
    func changes() throws {
        let record = try record()
        let object = task("x")
        let (one, same) = (try #require(DecimalNumber("1.0")), try #require(DecimalNumber("1.00")))
        let (nfc, nfd) = (Value.string("\u{E9}"), Value.string("e\u{301}"))
        let fields: [(String, Value, Value)] = [
            ("owner", nfc, nfd), ("note", nfc, nfd), ("d", .double(0), .double(-0.0)), ("f", .float(0), .float(-0.0)),
            ("dec", .decimal(one), .decimal(same)), ("any", nfc, nfd),
        ]
        let lists: [(String, Value, Value)] = [
            ("words", nfc, nfd), ("numbers", .double(0), .double(-0.0)), ("decimals", .decimal(one), .decimal(same)),
            ("anys", .double(-0.0), .double(0)),
        ]
        let maps: [(String, Value, Value)] = [("texts", nfc, nfd), ("doubles", .double(0), .double(-0.0))]
        func element(_ number: Int) -> ElementID { ElementID(client: Record.bob, counter: UInt64(number + 1)) }
        var beginning: [Operation] = [
            .create(object, life: 1, fields: fields.map { FieldValue($0.0, $0.1) })
        ]
        var change: [Operation] = fields.map { set(object, $0.0, $0.2) }
        for (number, list) in lists.enumerated() {
            beginning.append(
                .list(
                    object, property: list.0, .insert(element(number), left: nil, right: nil, value: list.1)))
            change.append(.list(object, property: list.0, .set(element(number), value: list.2)))
        }
        for map in maps {
            beginning.append(.keyed(object, property: map.0, .put(key: .string("k"), value: map.1)))
            change.append(.keyed(object, property: map.0, .put(key: .string("k"), value: map.2)))
        }
        beginning.append(.keyed(object, property: "labels", .put(key: .double(0), value: .null)))
        change.append(.keyed(object, property: "labels", .remove(key: .double(0))))
        change.append(.keyed(object, property: "labels", .put(key: .double(-0.0), value: .null)))
        try record.commit(Record.bob, record.changeset(Record.bob, beginning))
        try record.commit(Record.bob, record.changeset(Record.bob, change))
        let stored = try #require(try record.object("Task", object.key))
        let state = try whole(record, object)
        for (name, _, now) in fields { #expect(stored[name] == now && state[name]?.value == now, "\(name)") }
        for (name, _, now) in lists { #expect(state.list(name)?.values == [now], "\(name)") }
        for (name, _, now) in maps { #expect(state.keyed(name)?[.string("k")] == now, "\(name)") }
        #expect(state.keyed("labels")?.visible.map(\.key) == [.double(-0.0)])
    }

    @Test("of two forms of an element that writers put concurrently the later one stands, in whatever order they come")
    func elements() throws {
        for isReversed in [false, true] {
            let record = try record("elements \(isReversed)")
            let object = task("x")
            try record.write(Record.bob, at: 500_000, create(object))
            let base = record.store.version.rawValue
            func put(_ client: ClientID, _ number: Double, at time: UInt64) throws {
                try record.write(
                    client, base: base, at: time,
                    .keyed(object, property: "labels", .put(key: .double(number), value: .null)))
            }
            if !isReversed { try put(Record.ann, 0, at: 600_000) }
            try put(Record.bob, -0.0, at: 700_000)
            if isReversed { try put(Record.ann, 0, at: 600_000) }
            #expect(try whole(record, object).keyed("labels")?.visible.map(\.key) == [.double(-0.0)])
        }
    }

    @Test("all NaNs are stored as one")
    func notNumbers() throws {
        let record = try record()
        let object = task("x")
        try record.write(
            Record.bob, create(object, ("d", .double(Double(nan: 99, signaling: false))), ("f", .float(-.nan))))
        guard case .double(let double)? = try record.object("Task", object.key)?["d"],
            case .float(let float)? = try record.object("Task", object.key)?["f"]
        else {
            Issue.record("the numbers are not there")
            return
        }
        #expect(double.bitPattern == Double.nan.bitPattern && float.bitPattern == Float.nan.bitPattern)
    }

    @Test("a class or property that has the name of another one in other characters is refused")
    func names() throws {
        let record = try record()
        let key = Property(name: "_id", type: .string, isPrimaryKey: true)
        try record.backend.extendSchema(
            Schema([ClassSchema(name: "Caf\u{E9}", properties: [key, Property(name: "K", type: .int)])]))
        #expect(throws: StoreFailure.self) {
            try record.backend.extendSchema(Schema([ClassSchema(name: "Cafe\u{301}", properties: [key])]))
        }
        #expect(throws: StoreFailure.self) {
            try record.backend.extendSchema(
                Schema([ClassSchema(name: "Caf\u{E9}", properties: [key, Property(name: "\u{212A}", type: .int)])]))
        }
        // Nobody reaches a class, or a property, by another spelling of its name.
        let unknown = ObjectReference("Cafe\u{301}", .string("x"))
        #expect(try record.objection(Record.ann, create(unknown)) != nil)
        let known = ObjectReference("Caf\u{E9}", .string("x"))
        #expect(try record.objection(Record.ann, create(known, ("K", .int(1)))) == nil)
        #expect(try record.objection(Record.ann, set(known, "\u{212A}", .int(2))) != nil)
        #expect(try record.object("Caf\u{E9}", .string("x"))?["K"] == .int(1))
    }

    @Test("a client belongs to the user whose name has its bytes")
    func users() throws {
        let record = try record()
        let client = ClientID(77)
        _ = try record.backend.register(client, user: "\u{E9}")
        #expect(throws: StoreFailure.self) { _ = try record.backend.register(client, user: "e\u{301}") }
        _ = try record.backend.register(client, user: "\u{E9}")
    }
}
