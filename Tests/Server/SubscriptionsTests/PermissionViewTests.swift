import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayQuery
import CausewayStore
import CausewayStoreEmbedded
import CausewaySubscriptions
import Testing

@Suite("What a device is told under permissions")
struct PermissionViewTests {
    private let all = [tasks("TRUEPREDICATE")]

    private func rules(_ read: String = "TRUEPREDICATE", _ properties: [String: String] = [:]) throws -> Permissions {
        Permissions(
            AccessRules(byClass: [
                "Task": AccessRules.OfClass(
                    read: .when(try Predicate.parse(read)),
                    properties: try properties.mapValues {
                        AccessRules.OfProperty(read: .when(try Predicate.parse($0)))
                    })
            ]))
    }

    private struct Told: Equatable {
        var words: [String] = []
        /// Every value that went out, in any part.
        var values: String = ""
    }

    private func told(
        _ view: View, from version: UInt64, _ held: [QueryText]? = nil, _ wanted: [QueryText]? = nil,
        heldUnder: Permissions?, under: Permissions?
    ) throws -> Told {
        let difference = try ViewDifference(
            view.record.snapshot(), from: ServerVersion(version), held: held ?? all, wanted: wanted ?? all,
            heldUnder: heldUnder, under: under, for: View.ann)
        var told = Told()
        while true {
            let part = try difference.next(bytesMax: 1 << 20)
            told.words += part.allEntered.map { "enter \($0.object.shown)" }
            told.words += part.updated.map { "update \($0.object.shown) \($0.state.names)" }
            told.words += part.left.map { "leave \($0.object.shown) \($0.reason)" }
            told.words += part.deleted.map { "delete \($0.object.shown)" }
            told.values += "\(part)"
            if part.isLast { return told }
        }
    }

    @Test("a view is what the queries match of what may be read")
    func reading() throws {
        let view = try View()
        try view.write(View.bob, make(task(1), ("title", .string("a"))), make(task(2), ("title", .string("secret"))))
        let open = try rules("title != 'secret'")
        let first = try told(view, from: 0, [], heldUnder: open, under: open)
        #expect(first.words == ["enter Task 1"] && !first.values.contains("secret"))
        // A live change moves objects in and out of what may be read.
        let before = view.record.version.rawValue
        try view.write(View.bob, change(task(1), "title", .string("secret")), change(task(2), "title", .string("b")))
        let second = try told(view, from: before, heldUnder: open, under: open)
        #expect(second.words == ["enter Task 2", "leave Task 1 permission"] && !second.values.contains("secret"))
        // What cannot be read stays silent in all that happens to it.
        let later = view.record.version.rawValue
        try view.write(View.bob, change(task(1), "done", .bool(true)))
        try view.write(View.bob, .delete(task(1), life: 2))
        #expect(try told(view, from: later, heldUnder: open, under: open).words == [])
    }

    @Test("the reason says permission wherever the object may not be read, and nothing of its queries")
    func reasons() throws {
        let view = try View()
        try view.write(View.bob, make(task(1)), make(task(2), ("title", .string("secret"))), make(task(3)))
        let start = view.record.version.rawValue
        let open = try rules("title != 'secret'")
        #expect(
            try told(view, from: start, [tasks("_id < 3")], [tasks("_id == 3")], heldUnder: nil, under: open).words
                == ["enter Task 3", "leave Task 2 permission", "leave Task 1 unsubscribed"])
    }

    @Test("other rules are a view difference: what becomes readable enters, what no longer is leaves")
    func otherRules() throws {
        let view = try View()
        for id in 1...4 { try view.write(View.bob, make(task(Int64(id)), ("title", .string("t\(id)")))) }
        let version = view.record.version.rawValue
        let low = try rules("_id <= 2")
        let high = try rules("_id >= 2")
        #expect(
            try told(view, from: version, heldUnder: low, under: high).words
                == ["enter Task 3", "enter Task 4", "leave Task 1 permission"])
        #expect(try told(view, from: version, heldUnder: high, under: nil).words == ["enter Task 1"])
        #expect(try told(view, from: version, heldUnder: low, under: low).words == [])
        // Together with commits of the same range.
        try view.write(View.bob, change(task(1), "done", .bool(true)), make(task(5)))
        try view.write(View.bob, change(task(2), "done", .bool(true)))
        #expect(
            try told(view, from: version, heldUnder: low, under: high).words.sorted()
                == ["enter Task 3", "enter Task 4", "enter Task 5", "leave Task 1 permission", "update Task 2 done"])
    }

    @Test("what may not be seen is told in one way after a refused create: what is there, has ended or never was")
    func refusedCreates() throws {
        let view = try View()
        try view.write(
            View.bob, make(task(1), ("title", .string("secret"))), make(task(2), ("title", .string("secret"))))
        try view.write(View.bob, .delete(task(2), life: 2))
        let start = view.record.version.rawValue
        let open = Permissions(
            AccessRules(byClass: [
                "Task": AccessRules.OfClass(
                    read: .when(try Predicate.parse("title != 'secret'")), create: .never, write: .never)
            ]))
        try view.write(View.ann, [make(task(1)), make(task(2)), make(task(3))], under: open)
        let difference = try ViewDifference(
            view.record.snapshot(), from: ServerVersion(start), held: all, wanted: all, heldUnder: open, under: open,
            for: View.ann, acknowledged: 0)
        let part = try difference.next(bytesMax: 1 << 20)
        #expect(part.refused.count == 3 && Set(part.refused.map(\.failure.message)).count == 1)
        #expect(part.deleted == [] && part.allEntered.isEmpty)
        #expect(part.left.map { "\($0.object.shown) \($0.reason)" } == (1...3).map { "Task \($0) permission" })
    }

    @Test("what may not be seen is told in one way after any refused operation, what is embedded in it too")
    func refusedChanges() throws {
        let isOpen = AccessRules.Rule.when(try Predicate.parse("title != 'secret'"))
        let open = Permissions(
            AccessRules(byClass: ["Task": AccessRules.OfClass(read: isOpen, write: isOpen, delete: isOpen)]))
        var told: Set<[String]> = []
        for fate in ["here", "ended", "never"] {
            let view = try View()
            let id: Int64 = fate == "never" ? 7 : 5
            try view.write(
                View.bob, make(place(UInt64(id)), ("city", .string("Oslo"))),
                make(task(id), ("title", .string("secret")), ("place", .link(place(UInt64(id)).key))),
                make(task(8), ("title", .string("secret"))))
            try view.write(View.bob, .delete(task(fate == "ended" ? 5 : 8), life: 2))
            let start = view.record.version.rawValue
            let operations = [
                change(task(5), "done", .bool(true)), .delete(task(5), life: 2),
                change(place(5), "city", .string("Rome")), .delete(place(5), life: 2),
            ]
            try view.write(View.ann, operations, under: open)
            let difference = try ViewDifference(
                view.record.snapshot(), from: ServerVersion(start), held: all, wanted: all, heldUnder: open,
                under: open, for: View.ann, acknowledged: 0)
            let part = try difference.next(bytesMax: 1 << 20)
            #expect(part.refused.map(\.operation) == [0, 1, 2, 3], "\(fate)")
            told.insert(
                part.refused.map { "\($0)" } + part.left.map { "leave \($0.object.shown) \($0.reason)" }
                    + part.deleted.map { "delete \($0.object.shown)" }
                    + part.allEntered.map { "enter \($0.object.shown)" }
                    + part.updated.map { "update \($0.object.shown)" } + ["\(part.isLast)"])
        }
        #expect(told.count == 1, "\(told)")
    }

    @Test(
        "of what it wrote about and could not see, a device hears that it leaves, and of no end; of what it held it does"
    )
    func unseenEnds() throws {
        let view = try View()
        try view.write(View.bob, make(task(1), ("title", .string("secret"))), make(task(2)), make(task(3)))
        try view.write(View.bob, .delete(task(1), life: 2))
        let start = view.record.version.rawValue
        let open = try rules("title != 'secret'")
        try view.write(View.bob, .delete(task(2), life: 2))
        try view.write(View.ann, base: 1, make(task(1)), change(task(2), "done", .bool(true)))
        #expect(
            try told(view, from: start, heldUnder: open, under: open).words
                == ["leave Task 1 permission", "delete Task 2"])
        #expect(try told(view, from: start, heldUnder: nil, under: nil).words == ["delete Task 1", "delete Task 2"])
    }

    // MARK: - Properties

    @Test("a property that may not be read is not sent, whole or in part")
    func hidden() throws {
        let view = try View()
        try view.write(View.bob, make(task(1), ("title", .string("secret"))))
        let blind = try rules("TRUEPREDICATE", ["title": "FALSEPREDICATE"])
        let first = try told(view, from: 0, [], heldUnder: blind, under: blind)
        #expect(first.words == ["enter Task 1"] && !first.values.contains("secret"))
        try view.write(View.bob, change(task(1), "title", .string("secret 2")))
        let second = try told(view, from: 1, heldUnder: blind, under: blind)
        #expect(second.words == [] && !second.values.contains("secret"))
        try view.write(
            View.bob, change(task(1), "title", .string("secret 3")),
            change(task(1), "done", .bool(true)))
        let third = try told(view, from: 1, heldUnder: blind, under: blind)
        #expect(third.words == ["update Task 1 done"] && !third.values.contains("secret"))
    }

    @Test("a property that may be read of some objects comes and goes with what decides it")
    func conditional() throws {
        let view = try View()
        try view.write(View.bob, make(task(1), ("title", .string("secret"))))
        let done = try rules("TRUEPREDICATE", ["title": "done == true"])
        #expect(!(try told(view, from: 0, [], heldUnder: done, under: done)).values.contains("secret"))
        try view.write(View.bob, change(task(1), "done", .bool(true)))
        let shown = try told(view, from: 1, heldUnder: done, under: done)
        #expect(shown.words == ["enter Task 1"] && shown.values.contains("secret"))
        try view.write(View.bob, change(task(1), "done", .bool(false)))
        // Entering again resets what is not named.
        let gone = try told(view, from: 2, heldUnder: done, under: done)
        #expect(gone.words == ["enter Task 1"] && !gone.values.contains("secret"))
    }

    @Test("what a device wrote that its user may not read goes from it when it has arrived")
    func ownHidden() throws {
        let view = try View()
        let blind = try rules(
            "TRUEPREDICATE", ["title": "FALSEPREDICATE", "place": "FALSEPREDICATE", "labels": "FALSEPREDICATE"])
        func told(_ operations: Operation...) throws -> Told {
            let before = view.record.version.rawValue
            try view.write(View.ann, operations)
            return try self.told(view, from: before, heldUnder: blind, under: blind)
        }
        func isEntered(_ told: Told) -> Bool { told.words == ["enter Task 1"] && !told.values.contains("mine") }
        // Of its own making.
        #expect(isEntered(try told(make(task(1), ("title", .string("mine"))))))
        // A field, a collection, what is embedded.
        #expect(isEntered(try told(change(task(1), "title", .string("mine 2")))))
        let element = ElementID(client: View.ann, counter: 1)
        let own = ObjectReference("Place", .container(ElementID(client: View.ann, counter: 2)))
        #expect(
            isEntered(
                try told(
                    .list(
                        task(1), property: "labels",
                        .insert(element, left: nil, right: nil, value: .string("mine"))))))
        #expect(
            isEntered(
                try told(make(own, ("city", .string("mine"))), change(task(1), "place", .link(own.key)))))
        #expect(isEntered(try told(change(own, "city", .string("mine 2")))))
        // Of what may be read it is told nothing that it knows.
        #expect(try told(change(task(1), "done", .bool(true))).words == [])
        // Together with what somebody else wrote in the same range.
        let before = view.record.version.rawValue
        try view.write(View.ann, change(task(1), "title", .string("mine 3")))
        try view.write(View.bob, change(task(1), "done", .bool(false)))
        #expect(isEntered(try self.told(view, from: before, heldUnder: blind, under: blind)))
    }

    @Test("what a device wrote that decides what its user may read shows and hides the rest")
    func ownDeciding() throws {
        let view = try View()
        let done = try rules("TRUEPREDICATE", ["title": "done == true"])
        try view.write(View.bob, make(task(1), ("title", .string("secret"))))
        try view.write(View.ann, change(task(1), "done", .bool(true)))
        let shown = try told(view, from: 1, heldUnder: done, under: done)
        #expect(shown.words == ["enter Task 1"] && shown.values.contains("secret"))
        try view.write(View.ann, change(task(1), "done", .bool(false)))
        let gone = try told(view, from: 2, heldUnder: done, under: done)
        #expect(gone.words == ["enter Task 1"] && !gone.values.contains("secret"))
    }

    @Test("other rules for properties tell the objects anew, whoever wrote them")
    func otherProperties() throws {
        let view = try View()
        try view.write(View.bob, make(task(1), ("title", .string("secret"))))
        try view.write(View.bob, make(task(2), ("title", .string("secret"))))
        let blind = try rules("TRUEPREDICATE", ["title": "FALSEPREDICATE"])
        #expect(
            try told(view, from: 2, heldUnder: blind, under: nil).words == ["enter Task 1", "enter Task 2"])
        let closed = try told(view, from: 2, heldUnder: nil, under: blind)
        #expect(closed.words == ["enter Task 1", "enter Task 2"] && !closed.values.contains("secret"))
        try view.write(View.ann, change(task(1), "done", .bool(true)))
        #expect(
            try told(view, from: 2, heldUnder: nil, under: blind).words.sorted() == ["enter Task 1", "enter Task 2"])
    }

    @Test("embedded objects go where the property goes that holds them")
    func embedded() throws {
        let view = try View()
        try view.write(
            View.bob, make(place(1), ("city", .string("secret"))), make(task(1), ("place", .link(place(1).key))))
        let blind = try rules("TRUEPREDICATE", ["place": "FALSEPREDICATE"])
        let first = try told(view, from: 0, [], heldUnder: blind, under: blind)
        #expect(first.words == ["enter Task 1"] && !first.values.contains("secret"))
        try view.write(View.bob, change(place(1), "city", .string("secret 2")))
        let second = try told(view, from: 1, heldUnder: blind, under: blind)
        #expect(second.words == ["enter Task 1"] && !second.values.contains("secret"))
        try view.write(View.bob, change(task(1), "place", .null))
        let third = try told(view, from: 2, heldUnder: blind, under: blind)
        #expect(!third.values.contains("secret") && !third.words.contains { $0.hasPrefix("delete") })
    }

    @Test("rules for an embedded class close the properties that hold its objects")
    func embeddedRules() throws {
        let view = try View()
        try view.write(
            View.bob, make(place(1), ("city", .string("secret"))), make(task(1), ("place", .link(place(1).key))))
        let closed = Permissions(
            AccessRules(byClass: ["Place": AccessRules.OfClass(read: .when(try Predicate.parse("city != 'secret'")))]))
        let first = try told(view, from: 0, [], heldUnder: closed, under: closed)
        #expect(first.words == ["enter Task 1"] && !first.values.contains("secret"))
    }

    @Test("a refused change inside of an embedded object brings the object it is in, with what the device let go of")
    func refusedInside() throws {
        let view = try View()
        func node(_ client: ClientID, _ number: UInt64) -> ObjectReference {
            ObjectReference("Node", .container(ElementID(client: client, counter: number)))
        }
        let (outer, inner, mine) = (node(View.bob, 1), node(View.bob, 2), node(View.ann, 1))
        try view.write(
            View.bob, make(inner), make(outer, ("next", .link(inner.key))),
            make(task(1), ("node", .link(outer.key))))
        let version = view.record.version
        let closed = Permissions(AccessRules(byClass: ["Task": AccessRules.OfClass(write: .never)]))
        // The device has dropped the inner node with the link to it.
        try view.write(View.ann, [make(mine), change(outer, "next", .link(mine.key))], under: closed)
        let difference = try ViewDifference(
            view.record.snapshot(), from: version, held: all, wanted: all, heldUnder: closed, under: closed,
            for: View.ann, acknowledged: 0)
        let part = try difference.next(bytesMax: 1 << 20)
        #expect(part.isLast && part.left.isEmpty && part.deleted.isEmpty)
        #expect(part.refused.map(\.operation) == [0, 1])
        #expect(Set(part.allEntered.map(\.object)) == [task(1), outer, inner])
    }

    // MARK: - Queries as probes

    @Test(
        "a new query by a property that may never be read is refused; a held one matches nothing",
        arguments: [
            "title == 'secret'", "NOT title == 'x'", "title BEGINSWITH 's'", "done == true OR title == 'secret'",
            "title.@count > 2", "place.city == 'secret'", "labels.@count == 1", "ANY labels == 'secret'",
            "SUBQUERY(node.all, $n, TRUEPREDICATE).@count > 0", "owner == nil",
        ])
    func probes(_ probe: String) throws {
        let view = try View()
        try view.write(
            View.bob, make(place(1), ("city", .string("secret"))),
            make(task(1), ("title", .string("secret")), ("place", .link(place(1).key))))
        let blind = try rules(
            "TRUEPREDICATE",
            Dictionary(
                uniqueKeysWithValues: ["title", "place", "labels", "node", "owner"].map { ($0, "FALSEPREDICATE") }))
        do {
            let words = try told(view, from: 1, [], [tasks(probe)], heldUnder: blind, under: blind).words
            Issue.record("“\(probe)” was served: \(words)")
        } catch let failure as StoreFailure {
            #expect(failure.code == .queryInvalid, "\(failure.message)")
        }
        // Only those that the grammar and the schema take can be held.
        guard (try? StandingQueries([tasks(probe)], in: view.record.snapshot())) != nil else { return }
        #expect(
            try told(view, from: 1, [tasks(probe)], [tasks(probe)], heldUnder: blind, under: blind).words == [])
    }

    @Test("a query by a property finds objects only where the property may be read")
    func narrowed() throws {
        let view = try View()
        for id in 1...4 {
            try view.write(View.bob, make(task(Int64(id)), ("title", .string("secret")), ("done", .bool(id > 2))))
        }
        let done = try rules("TRUEPREDICATE", ["title": "done == true"])
        for probe in ["title == 'secret'", "NOT title == 'x'", "_id > 0 AND title != 'x'"] {
            #expect(
                try told(view, from: 0, [], [tasks(probe)], heldUnder: done, under: done).words
                    == ["enter Task 3", "enter Task 4"], "\(probe)")
        }
        #expect(
            try told(view, from: 0, [], [tasks("title == 'secret'"), tasks("_id == 1")], heldUnder: done, under: done)
                .words == ["enter Task 1", "enter Task 3", "enter Task 4"])
    }
}
