import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import CausewaySubscriptions
import Testing

@Suite("What a device is told")
struct ViewDifferenceTests {
    private let open = [tasks("done == false")]

    @Test("a device that holds nothing is told what its queries match")
    func bootstrap() throws {
        let view = try View()
        for id in 1...4 { try view.write(View.bob, make(task(Int64(id)), ("done", .bool(id > 2)))) }
        #expect(try view.difference(from: 0, [], open) == ["enter Task 1", "enter Task 2"])
        #expect(try view.difference(from: 0, [], []) == [])
    }

    @Test("an object enters, is updated by what changed, leaves and ends")
    func live() throws {
        let view = try View()
        try view.write(View.bob, make(task(1), ("done", .bool(true))))
        #expect(try view.difference(from: 0, open, open) == [])
        try view.write(View.bob, change(task(1), "done", .bool(false)))
        #expect(try view.difference(from: 1, open, open) == ["enter Task 1"])
        try view.write(View.bob, change(task(1), "title", .string("a")))
        #expect(try view.difference(from: 2, open, open) == ["update Task 1 title"])
        try view.write(View.bob, change(task(1), "done", .bool(true)))
        #expect(try view.difference(from: 3, open, open) == ["leave Task 1"])
        try view.write(View.bob, .delete(task(1), life: 2))
        #expect(try view.difference(from: 4, open, open) == [])
        // Over the whole way, a device that held it before and one that never did:
        #expect(try view.difference(from: 2, open, open) == ["delete Task 1"])
        #expect(try view.difference(from: 1, open, open) == [])
    }

    @Test("an object enters with what its list remembers, also when that shows nothing")
    func emptiedList() throws {
        let view = try View()
        try view.write(View.bob, (1...100).map { make(task(Int64($0)), ("done", .bool(false))) })
        let id = ElementID(client: View.bob, counter: 1)
        for operation in [ListOperation.insert(id, left: nil, right: nil, value: .string("a")), .delete(id)] {
            try view.write(View.bob, .list(task(3), property: "labels", operation))
        }
        let difference = try ViewDifference(
            view.record.snapshot(), from: .zero, held: [], wanted: open, for: View.ann)
        let part = try difference.next(bytesMax: 1 << 20)
        #expect(part.allEntered.count == 100 && part.isLast)
        #expect(part.entered.count < 10)
        let emptied = try #require(part.entered.first { $0.object == task(3) })
        let list = try #require(emptied.state.list("labels"))
        #expect(list.isEmpty && list != ListState())
    }

    @Test("several commits become one difference")
    func collapsed() throws {
        let view = try View()
        try view.write(View.bob, make(task(1)), make(task(2)), make(task(3)))
        try view.write(View.bob, change(task(1), "title", .string("a")))
        try view.write(View.bob, change(task(1), "done", .bool(true)))
        try view.write(View.bob, change(task(1), "done", .bool(false)), change(task(2), "title", .string("b")))
        #expect(
            try view.difference(from: 1, open, open) == ["update Task 1 done,title", "update Task 2 title"])
        #expect(
            try view.difference(from: 0, open, open) == ["enter Task 1", "enter Task 2", "enter Task 3"])
    }

    @Test("what a device wrote itself is not told it again")
    func noEcho() throws {
        let view = try View()
        try view.write(View.ann, make(task(1)))
        #expect(try view.difference(from: 0, open, open, for: View.ann) == [])
        #expect(try view.difference(from: 0, open, open, for: View.bob) == ["enter Task 1"])
        try view.write(View.ann, change(task(1), "title", .string("a")))
        #expect(try view.difference(from: 1, open, open, for: View.ann) == [])
        try view.write(View.ann, .delete(task(1), life: 2))
        #expect(try view.difference(from: 2, open, open, for: View.ann) == [])
        #expect(try view.difference(from: 2, open, open, for: View.bob) == ["delete Task 1"])
    }

    @Test("where a device's write lost, it is told what won")
    func lost() throws {
        let view = try View()
        try view.write(View.bob, make(task(1)))
        try view.write(View.bob, at: 900, change(task(1), "title", .string("late")))
        let before = view.record.version.rawValue
        try view.write(View.ann, at: 100, change(task(1), "title", .string("early")))
        #expect(try view.difference(from: before, open, open, for: View.ann) == ["update Task 1 title"])
    }

    @Test("who creates a counted object again is told its count, also where what was added to it comes to nothing")
    func createdAgain() throws {
        let view = try View()
        let counter = Property(name: "n", type: .int, isCounter: true)
        let key = Property(name: "_id", type: .int, isPrimaryKey: true)
        try view.record.extendSchema(
            Schema(View.schema.classes + [ClassSchema(name: "Tally", properties: [key, counter])]))
        let tally = ObjectReference("Tally", .int(1))
        let create = Operation.create(tally, life: 1, fields: [FieldValue("n", .int(0), isDefault: true)])
        let all = [QueryText(className: "Tally", predicate: "TRUEPREDICATE")]
        try view.write(View.bob, create, .add(tally, property: "n", Addition(1)))
        // From here the device holds a count of 1. It has sent the rest before, to a server that was restored since.
        let held = view.record.version.rawValue
        try view.write(View.ann, .add(tally, property: "n", Addition(-1)))
        #expect(try view.difference(from: held, all, all, for: View.ann) == [])
        try view.write(View.ann, create)
        #expect(try view.difference(from: held, all, all, for: View.ann) == ["update Tally 1 n"])
    }

    @Test("what a device wrote outside its queries leaves it")
    func outside() throws {
        let view = try View()
        try view.write(View.ann, make(task(1), ("done", .bool(true))))
        #expect(try view.difference(from: 0, open, open, for: View.ann) == ["leave Task 1"])
        try view.write(View.bob, make(task(2), ("done", .bool(true))))
        try view.write(View.ann, change(task(2), "title", .string("a")))
        #expect(try view.difference(from: 1, open, open, for: View.ann) == ["leave Task 2"])
    }

    @Test("other queries move what nobody touched")
    func otherQueries() throws {
        let view = try View()
        for id in 1...4 { try view.write(View.bob, make(task(Int64(id)), ("title", .string("\(id)")))) }
        let low = [tasks("title == '1'"), tasks("title == '2'")]
        let middle = [tasks("title IN {'2', '3'}")]
        #expect(try view.difference(from: 4, low, middle) == ["enter Task 3", "leave Task 1 unsubscribed"])
        #expect(
            try view.difference(from: 4, middle, []) == ["leave Task 2 unsubscribed", "leave Task 3 unsubscribed"])
        // Together with changes: 2 leaves by its change, 4 enters by the query.
        try view.write(View.bob, change(task(2), "title", .string("9")))
        #expect(
            try view.difference(from: 4, low, [tasks("title IN {'1', '4'}")]).sorted() == [
                "enter Task 4", "leave Task 2",
            ])
    }

    @Test("embedded objects come, change and go with what holds them")
    func embedded() throws {
        let view = try View()
        let inUlm = [tasks("place.city == 'Ulm'")]
        try view.write(
            View.bob, make(place(1), ("city", .string("Ulm"))), make(task(1), ("place", .link(place(1).key))))
        #expect(try view.difference(from: 0, inUlm, inUlm) == ["enter Place 1", "enter Task 1"])
        try view.write(View.bob, change(place(1), "city", .string("Bonn")))
        #expect(try view.difference(from: 1, inUlm, inUlm) == ["leave Task 1"])
        #expect(try view.difference(from: 1, open, open) == ["update Place 1 city"])
        try view.write(
            View.bob, make(place(2), ("city", .string("Ulm"))), change(task(1), "place", .link(place(2).key)))
        #expect(try view.difference(from: 2, inUlm, inUlm) == ["enter Place 2", "enter Task 1", "delete Place 1"])
        #expect(
            try view.difference(from: 1, open, open) == ["enter Place 2", "update Task 1 place", "delete Place 1"])
    }

    @Test("an object that was deleted and created again enters anew")
    func anew() throws {
        let view = try View()
        try view.write(View.bob, make(task(1), ("title", .string("a"))))
        try view.write(View.bob, .delete(task(1), life: 2))
        try view.write(View.bob, make(task(1), life: 3))
        #expect(try view.difference(from: 1, open, open) == ["enter Task 1"])
    }

    @Test("a device whose delete was meant for a life that is forgotten gets the object back whole")
    func undoneDelete() throws {
        let view = try View(historyVersionsMax: 3)
        try view.write(View.bob, make(task(1)))
        try view.write(View.bob, .delete(task(1), life: 2))
        for number in 2...9 as ClosedRange<Int64> { try view.write(View.bob, make(task(number))) }
        try view.write(View.bob, make(task(1), ("title", .string("anew"))))
        let start = view.record.version.rawValue
        try view.write(View.ann, base: 1, .delete(task(1), life: 2))
        #expect(try view.difference(from: start, open, open) == ["enter Task 1"])
    }

    @Test("parts of any size tell the same")
    func parts() throws {
        let view = try View()
        try view.write(View.bob, (1...300).map { make(task(Int64($0)), ("title", .string("task \($0)"))) })
        try view.write(View.bob, (1...20).map { change(task(Int64($0)), "done", .bool(true)) })
        let whole = try view.difference(from: 0, [], open)
        #expect(whole.count == 280)
        #expect(try view.difference(from: 0, [], open, bytes: 1) == whole)
        // Where a part ends decides only what stands beside what.
        let sevens = [tasks("title ENDSWITH '7'")]
        let changed = try view.difference(from: 1, open, sevens).sorted()
        #expect(try view.difference(from: 1, open, sevens, bytes: 1).sorted() == changed)
    }
}

@Suite("Standing queries that cannot be served")
struct RefusedQueryTests {
    @Test("each is refused with its cause and the remedy")
    func refused() throws {
        let view = try View()
        let refused: [(QueryText, [String])] = [
            (tasks("title === 'a'"), ["Task", "title === 'a'"]),
            (tasks("colour == 'red'"), ["colour"]),
            (tasks("title == 5"), ["title"]),
            (tasks("owner.name == 'Ann'"), ["link", "owner.name", "Copy what decides"]),
            (tasks(String(repeating: "(", count: 5_000)), ["Task"]),
            (tasks("title == '" + String(repeating: "x", count: 70_000) + "'"), ["65536"]),
            (QueryText(className: "Tusk", predicate: "TRUEPREDICATE"), ["Tusk"]),
            (QueryText(className: "Place", predicate: "TRUEPREDICATE"), ["Subscribe to the class that holds them"]),
            (QueryText(className: "Event", predicate: "TRUEPREDICATE"), ["one way"]),
        ]
        for (query, words) in refused {
            let failure = #expect(throws: StoreFailure.self) { try view.difference(from: 0, [], [query]) }
            #expect(failure?.code == .queryInvalid)
            for word in words {
                #expect(failure?.message.contains(word) == true, "\(word) in: \(failure?.message ?? "")")
            }
        }
        let many = (0...1000).map { tasks("title == '\($0)'") }
        #expect(throws: StoreFailure.self) { try view.difference(from: 0, [], many) }
    }

    @Test("links and embedded objects of the object itself may be compared")
    func allowed() throws {
        let view = try View()
        for query in ["owner == nil", "place.city == 'Ulm'", "ANY labels == 'x'", "labels.@count > 1"] {
            #expect(try view.difference(from: 0, [], [tasks(query)]) == [])
        }
    }
}
