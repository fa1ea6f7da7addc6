import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Testing

/// Ann is honest. Bob, another client, names what is not his.
@Suite("What one client may say of another's things", .everyBackend)
struct ClaimTests {
    private func id(_ client: ClientID, _ counter: UInt64) -> ElementID {
        ElementID(client: client, counter: counter)
    }

    /// Ann's dog 1 lives in home 1 in Ulm, with a room of size 4.
    private func record() throws -> Record {
        let record = try Record("claims")
        try record.write(
            Record.ann, create(room(1), ("size", .int(4))),
            create(home(1), ("city", .string("Ulm")), ("room", .link(room(1).key))),
            create(dog(1), ("home", .link(home(1).key))))
        return record
    }

    private func expectUnharmed(_ record: Record, _ note: Comment) throws {
        #expect(try record.dog(1)?["home"] == .link(home(1).key), note)
        #expect(try record.object("Home", home(1).key)?["city"] == .string("Ulm"), note)
        #expect(try record.object("Room", room(1).key)?["size"] == .int(4), note)
        // Ann goes on.
        #expect(try record.objection(Record.ann, set(dog(1), "name", .string("Rex"))) == nil, note)
    }

    @Test("ids with another client's number in them are refused: the other's next insert would be lost")
    func foreignIDs() throws {
        let lies: [(Operation, String)] = [
            (create(home(7)), "an object of “Home”"),
            (
                .list(
                    dog(1), property: "toys", .insert(id(Record.ann, 50), left: nil, right: nil, value: .string("x"))),
                "an element"
            ),
            (
                .list(
                    dog(1), property: "toys",
                    .move(id(Record.bob, 1), position: id(Record.ann, 51), left: nil, right: nil)), "a position"
            ),
        ]
        for (lie, word) in lies {
            let record = try record()
            let objection = try record.objection(Record.bob, lie)
            #expect(objection?.code == .operationInvalid, "\(lie)")
            #expect(objection?.message.contains(word) == true, "\(objection?.message ?? "")")
            try expectUnharmed(record, "\(lie)")
            try record.write(
                Record.ann,
                .list(
                    dog(1), property: "toys", .insert(id(Record.ann, 50), left: nil, right: nil, value: .string("ball"))
                ))
            #expect(try record.toys(1) == [.string("ball")], "\(lie)")
        }
    }

    @Test("a run of a text with another client's ids is refused")
    func foreignText() throws {
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
        try record.write(Record.ann, create(note))
        func typing(_ client: ClientID) -> Operation {
            .text(note, property: "body", .insert(id(client, 1), left: nil, right: nil, text: "abc"))
        }
        #expect(try record.objection(Record.bob, typing(Record.ann))?.code == .operationInvalid)
        #expect(try record.objection(Record.ann, typing(Record.ann)) == nil)
        #expect(try record.objection(Record.bob, typing(Record.bob)) == nil)
    }

    @Test(
        "an embedded object that another object holds is not to be had, neither by link nor by a list or a repetition")
    func stolenParts() throws {
        let mine = ElementID(client: Record.bob, counter: 9)
        let bobsHome = ObjectReference("Home", .container(mine))
        let thefts: [[Operation]] = [
            [create(dog(2), ("home", .link(home(1).key)))],
            [create(dog(2)), set(dog(2), "home", .link(home(1).key))],
            [create(bobsHome, ("room", .link(room(1).key))), create(dog(2), ("home", .link(bobsHome.key)))],
            // One that Ann has not made yet: her own upload must find it free.
            [create(dog(2), ("home", .link(home(77).key)))],
            // His own, in two places at once.
            [
                create(bobsHome), create(dog(2), ("home", .link(bobsHome.key))),
                create(dog(3), ("home", .link(bobsHome.key))),
            ],
        ]
        for theft in thefts {
            let record = try record()
            let outcome = try record.commit(Record.bob, record.changeset(Record.bob, theft))
            #expect(outcome.failure == nil, "\(theft)")
            #expect(try record.refusals(Record.bob).map(\.failure.code).contains(.operationInvalid), "\(theft)")
            #expect(try record.dog(2)?["home"] != .link(home(1).key), "\(theft)")
            #expect(try record.dog(2)?["home"] != .link(home(77).key), "\(theft)")
            #expect(try record.dog(3) == nil, "\(theft)")
            try expectUnharmed(record, "\(theft)")
            let next = try record.objection(
                Record.ann, create(home(77), ("city", .string("Bonn"))), create(dog(5), ("home", .link(home(77).key))))
            #expect(next == nil, "\(theft)")
            #expect(try record.object("Home", home(77).key)?["city"] == .string("Bonn"), "\(theft)")
        }
    }

    @Test("an embedded object that is still to be made has the place where it was named first")
    func namedFirst() throws {
        let part = ObjectReference("Home", .container(id(Record.bob, 9)))
        let record = try record()
        try record.write(Record.bob, create(dog(2), ("home", .link(part.key))))
        #expect(
            try record.objection(Record.bob, create(dog(3), ("home", .link(part.key))))?.code == .operationInvalid)
        #expect(
            try record.objection(Record.bob, create(dog(4)), set(dog(4), "home", .link(part.key)))?.code
                == .operationInvalid)
        // There it may be named again, and made.
        #expect(try record.objection(Record.bob, set(dog(2), "home", .link(part.key))) == nil)
        #expect(try record.objection(Record.bob, create(part, ("city", .string("Bonn")))) == nil)
        #expect(try record.dog(2)?["home"] == .link(part.key))
        #expect(try record.object("Home", part.key)?["city"] == .string("Bonn"))
    }

    @Test("what is honest stays possible: edits of another's part, its own place again, and one that has ended")
    func honest() throws {
        let record = try record()
        #expect(try record.objection(Record.bob, set(home(1), "city", .string("Bonn"))) == nil)
        #expect(try record.objection(Record.bob, set(dog(1), "home", .link(home(1).key))) == nil)
        #expect(try record.object("Home", home(1).key)?["city"] == .string("Bonn"))
        let base = record.store.version.rawValue
        #expect(try record.objection(Record.ann, set(dog(1), "home", .null)) == nil)
        // Bob had not heard of it.
        #expect(try record.objection(Record.bob, base: base, set(dog(1), "home", .link(home(1).key))) == nil)
        #expect(try record.object("Home", home(1).key) == nil)
    }

    @Test("a leap to the end of the lives is refused; a key is never locked dead or alive")
    func lives() throws {
        for lie in [
            create(dog(1), life: Operation.lifeMax - 1), create(dog(9), life: Operation.lifeMax - 1),
            .delete(dog(1), life: Operation.lifeMax), .delete(dog(9), life: Operation.lifeMax),
        ] {
            let record = try record()
            #expect(try record.objection(Record.bob, lie)?.code == .operationInvalid, "\(lie)")
            try expectUnharmed(record, "\(lie)")
            #expect(try record.objection(Record.ann, .delete(dog(1), life: 2)) == nil)
            #expect(try record.dog(1) == nil)
            #expect(try record.objection(Record.ann, create(dog(1), life: 3)) == nil)
            #expect(try record.dog(1) != nil)
        }
        let record = try record()
        for step in 1...4 as ClosedRange<UInt32> {
            #expect(try record.objection(Record.bob, create(dog(3), life: step * 1_000 + 1)) == nil)
        }
    }

    @Test("a stamp from the far future, or a base that the server never reached, wins nothing")
    func clocks() throws {
        let record = try record()
        #expect(
            try record.objection(Record.bob, at: UInt64.max >> 16, set(dog(1), "name", .string("future"))) == nil)
        record.time += 10
        #expect(try record.objection(Record.ann, set(dog(1), "name", .string("now"))) == nil)
        #expect(try record.dog(1)?["name"] == .string("now"))
        #expect(try record.objection(Record.bob, base: .max, set(dog(1), "age", .int(3))) == nil)
        try expectUnharmed(record, "a base of the far future")
    }

    @Test("changesets with gaps, in another's name, or again with other content change nothing")
    func sequences() throws {
        let record = try record()
        let first = record.changeset(Record.bob, [create(dog(20), ("name", .string("first")))])
        #expect(try record.commit(Record.bob, first).committed == 1)
        var other = first
        other.operations = [set(dog(20), "name", .string("another")), .delete(dog(1), life: 2)]
        let answer = try record.commit(Record.bob, other)
        #expect(answer.failure == nil && answer.committed == 1)
        #expect(try record.dog(20)?["name"] == .string("first"))
        for sequence in [0, 3, UInt64.max] {
            var gap = first
            gap.sequence = sequence
            gap.operations = [.delete(dog(1), life: 2)]
            let outcome = try record.commit(Record.bob, gap)
            #expect(sequence == 0 ? outcome.failure == nil : outcome.failure?.code == .sequenceGap, "\(sequence)")
            // An answer says nothing beyond what was sent.
            #expect(outcome.committed == min(sequence, 1), "\(sequence)")
        }
        let foreign = Changeset(
            client: Record.ann, sequence: 2, stamp: first.stamp, base: first.base,
            operations: [.delete(dog(1), life: 2)])
        #expect(try record.commit(Record.bob, foreign).failure?.code == .permissionDenied)
        try expectUnharmed(record, "sequences")
    }

    @Test("a one-way object that is there already is not made in a later life")
    func oneWayLives() throws {
        let record = try record()
        func ingest(_ life: UInt32, first: UInt64) throws -> UInt64 {
            let entry = create(ObjectReference("Reading", .int(1)), life: life, ("value", .double(1)))
            return try record.backend.ingest(
                OneWayBatch(client: Record.bob, user: "user", first: first, entries: [[entry]]), receivedAt: 5)
        }
        #expect(try ingest(1, first: 1) == 1)
        #expect(throws: StoreFailure.self) { try ingest(1_025, first: 2) }
        #expect(try ingest(1, first: 2) == 2)
    }

    @Test("one-way entries touch nothing that changesets made")
    func oneWay() throws {
        let schema = Schema([
            ClassSchema(
                name: "Report", kind: .asymmetric,
                properties: [
                    Property(name: "_id", type: .int, isPrimaryKey: true),
                    Property(name: "home", type: .object, isOptional: true, target: "Home"),
                ]),
            Record.schema["Home"]!, Record.schema["Room"]!,
        ])
        let report = ObjectReference("Report", .int(1))
        for entry in [
            [create(home(1), ("city", .string("stolen")))], [create(home(9), ("city", .string("in Ann's name")))],
            [create(report, ("home", .link(home(1).key)))], [create(dog(1), ("name", .string("stolen")))],
            [.delete(home(1), life: 2)], [set(home(1), "city", .string("stolen"))],
        ] {
            let record = try record()
            try record.backend.extendSchema(schema)
            #expect(throws: StoreFailure.self, "\(entry)") {
                try record.backend.ingest(
                    OneWayBatch(client: Record.bob, user: "user", first: 1, entries: [entry]), receivedAt: 5)
            }
            // In her own name she may not either: it would be a change without a history.
            if entry != [create(home(9), ("city", .string("in Ann's name")))] {
                #expect(throws: StoreFailure.self, "\(entry)") {
                    try record.backend.ingest(
                        OneWayBatch(client: Record.ann, user: "user", first: 1, entries: [entry]), receivedAt: 5)
                }
            }
            try expectUnharmed(record, "\(entry)")
        }
    }
}
