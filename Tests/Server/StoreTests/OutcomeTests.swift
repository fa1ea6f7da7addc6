import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Testing

@Suite("What concurrent uploads come to", .everyBackend)
struct OutcomeTests {
    @Test("the later of two values wins, whichever arrives first")
    func laterWins() throws {
        let record = try Record()
        try record.write(Record.ann, at: 10, create(dog(1), ("name", .string("a")), ("age", .int(1))))
        try record.write(Record.bob, at: 30, set(dog(1), "name", .string("b")))
        try record.write(Record.ann, at: 20, set(dog(1), "name", .string("c")), set(dog(1), "age", .int(2)))
        #expect(try record.dog(1)?["name"] == .string("b"))
        #expect(try record.dog(1)?["age"] == .int(2))
    }

    @Test("a clock that runs ahead wins only over what was received before")
    func clamped() throws {
        let record = try Record()
        try record.write(Record.ann, at: 9_000_000, create(dog(1), ("name", .string("from the future"))))
        try record.write(Record.ann, at: 9_000_001, set(dog(1), "name", .string("and later")))
        #expect(try record.dog(1)?["name"] == .string("and later"))
        record.time += 1000
        try record.write(Record.bob, set(dog(1), "name", .string("now")))
        #expect(try record.dog(1)?["name"] == .string("now"))
    }

    @Test("a clock of the server that goes back costs nobody a write about what is there already")
    func clockGoesBack() throws {
        let record = try Record()
        try record.write(Record.ann, create(dog(1), ("name", .string("a"))))
        record.time -= 500
        try record.write(Record.bob, at: record.time + 501, set(dog(1), "name", .string("b")))
        #expect(try record.dog(1)?["name"] == .string("b"))
    }

    @Test("of two clocks that run ahead neither costs its owner a write about what the other wrote before")
    func clocksAhead() throws {
        let record = try Record()
        let ahead = record.time + 60_000
        let time = record.time
        try record.write(Record.ann, at: ahead, create(dog(1), ("name", .string("a"))))
        for name in ["b", "c", "d"] {
            record.time = time
            try record.write(Record.ann, at: ahead, set(dog(1), "name", .string(name)))
        }
        record.time = time
        try record.write(Record.bob, at: ahead + 1, set(dog(1), "name", .string("e")))
        #expect(try record.dog(1)?["name"] == .string("e"))
    }

    @Test("a deletion beats changes made without having seen it, however late they come")
    func deletionBeats() throws {
        let record = try Record()
        try record.write(Record.ann, create(dog(1), ("name", .string("a"))))
        try record.write(Record.ann, .delete(dog(1), life: 2))
        try record.write(Record.bob, base: 1, at: 2_000_000, set(dog(1), "name", .string("b")))
        #expect(try record.dog(1) == nil)
        try record.write(Record.bob, base: 1, create(dog(1), ("name", .string("c"))))
        #expect(try record.dog(1) == nil)
    }

    @Test("a create whose writer had seen the deletion brings the key back, empty but for its own values")
    func comesBack() throws {
        let record = try Record()
        try record.write(Record.ann, create(dog(1), ("name", .string("a")), ("age", .int(4))))
        try record.write(Record.ann, .delete(dog(1), life: 2))
        try record.write(Record.bob, base: 2, create(dog(1), ("name", .string("b"))))
        #expect(try record.dog(1)?["name"] == .string("b"))
        #expect(try record.dog(1)?["age"] == .null)
        // A deletion of the first life does not reach the second.
        try record.write(Record.ann, base: 1, .delete(dog(1), life: 2))
        #expect(try record.dog(1) != nil)
        try record.write(Record.ann, .delete(dog(1), life: 4))
        #expect(try record.dog(1) == nil)
    }

    @Test("deleted and created again in one changeset, the object begins anew")
    func anewInOne() throws {
        let record = try Record()
        try record.write(Record.ann, create(dog(1), ("name", .string("a")), ("age", .int(4))))
        try record.write(Record.ann, create(dog(1), life: 3, ("name", .string("b"))), .delete(dog(1), life: 2))
        #expect(try record.dog(1)?["name"] == .string("b"))
        #expect(try record.dog(1)?["age"] == .null)
    }

    @Test("two creates of one primary key are one object, value by value")
    func sameObject() throws {
        let record = try Record()
        try record.write(Record.ann, at: 20, create(dog(1), ("name", .string("a"))))
        try record.write(Record.bob, at: 10, create(dog(1), ("name", .string("b")), ("age", .int(3))))
        #expect(try record.dog(1)?["name"] == .string("a"))
        #expect(try record.dog(1)?["age"] == .int(3))
    }

    @Test("a link may point to an object that comes later, and survives that object's deletion")
    func unresolvedLinks() throws {
        let record = try Record()
        try record.write(Record.ann, create(dog(1), ("friend", .link(.int(2)))))
        #expect(try record.dog(1)?["friend"] == .link(.int(2)))
        #expect(try record.dog(2) == nil)
        try record.write(Record.bob, create(dog(2), ("name", .string("b"))))
        try record.write(Record.bob, .delete(dog(2), life: 2))
        #expect(try record.dog(1)?["friend"] == .link(.int(2)))
    }

    @Test("elements that two devices add to a list are both there")
    func lists() throws {
        let record = try Record()
        func insert(_ client: ClientID, _ counter: UInt64, _ text: String) -> Operation {
            .list(
                dog(1), property: "toys",
                .insert(ElementID(client: client, counter: counter), left: nil, right: nil, value: .string(text)))
        }
        try record.write(Record.ann, create(dog(1)), insert(Record.ann, 1, "ball"))
        try record.write(Record.bob, insert(Record.bob, 1, "bone"))
        #expect(try Set(record.toys(1)) == [.string("ball"), .string("bone")])
        try record.write(
            Record.bob, .list(dog(1), property: "toys", .clear([ElementID(client: Record.ann, counter: 1)])))
        #expect(try record.toys(1) == [.string("bone")])
    }
}

@Suite("Embedded objects on the server", .everyBackend)
struct EmbeddedTests {
    @Test("they end with what holds them, at every depth")
    func cascade() throws {
        let record = try Record()
        try record.write(
            Record.ann, create(room(2), ("size", .int(3))),
            create(home(1), ("city", .string("Ulm")), ("room", .link(room(2).key))),
            create(dog(1), ("home", .link(home(1).key))))
        #expect(try record.object("Room", room(2).key) != nil)
        try record.write(Record.bob, .delete(dog(1), life: 2))
        #expect(try record.object("Home", home(1).key) == nil)
        #expect(try record.object("Room", room(2).key) == nil)
        // What still arrives for one of them has no effect.
        #expect(try record.write(Record.ann, set(room(2), "size", .int(9))).failure == nil)
        #expect(try record.object("Room", room(2).key) == nil)
    }

    @Test("of two that take the same place the later stays, and the other ends")
    func samePlace() throws {
        let record = try Record()
        try record.write(Record.ann, create(dog(1)))
        try record.write(
            Record.ann, at: 40, create(home(1), ("city", .string("Ulm"))), set(dog(1), "home", .link(home(1).key)))
        try record.write(
            Record.bob, at: 30, create(home(2), ("city", .string("Bonn"))), set(dog(1), "home", .link(home(2).key)))
        #expect(try record.dog(1)?["home"] == .link(home(1).key))
        #expect(try record.object("Home", home(2).key) == nil)
    }

    @Test("one that nobody ever holds is not kept")
    func neverHeld() throws {
        let record = try Record()
        try record.write(Record.ann, create(home(1), ("city", .string("Ulm"))))
        #expect(try record.object("Home", home(1).key) == nil)
    }
}
