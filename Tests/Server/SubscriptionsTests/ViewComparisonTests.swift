import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayQuery
import CausewayStore
import CausewayStoreEmbedded
import CausewaySubscriptions
import Testing

@Suite("Comparing a view with what a device holds")
struct ViewComparisonTests {
    private let open = [tasks("done == false")]

    /// What the device is found to lack or to have too much, and how many questions that took.
    private func compare(
        _ view: View, _ wanted: [QueryText], under permissions: Permissions? = nil,
        holding objects: [ObjectReference: ObjectState]
    ) throws -> (words: [String], questions: Int) {
        let comparison = try ViewComparison(
            view.record.snapshot(), schema: View.schema, wanted: wanted, under: permissions, for: View.ann, seed: 77)
        var questions = 0
        while let question = comparison.question() {
            questions += 1
            #expect(question.number == UInt64(questions))
            var digester = ObjectDigester(seed: question.seed, schema: View.schema)
            var entries: [String: [DigestIndex<PrimaryKey>.Entry]] = [:]
            for (object, state) in objects where object.key.value != nil {
                let digest = digester.digest(object, state) { objects[$0] }
                entries[object.className, default: []].append(
                    .init(place: digester.place(of: object.key), object.key, digest))
            }
            let reports = question.asks.map { ask in
                DigestIndex(entries[ask.range.className] ?? []).report(on: ask)
            }
            // One piece at a time.
            var goesOn = false
            while !(try comparison.prepare(while: {
                defer { goesOn.toggle() }
                return goesOn
            })) {}
            #expect(comparison.begin(reports))
            while !(try comparison.goOn { false }) {}
        }
        let difference = try comparison.difference()
        var words: [String] = []
        while true {
            let part = try difference.next(bytesMax: 200)
            words += part.allEntered.map { "enter \($0.object.shown)" }
            words += part.left.map { "leave \($0.object.shown)" }
            words += part.deleted.map { "delete \($0.object.shown) \($0.life)" }
            #expect(part.updated.isEmpty)
            if part.isLast { return (words.sorted(), questions) }
        }
    }

    @Test("what a device lacks of a class is gone through in pieces, and another question's answer is none")
    func pieces() throws {
        let view = try View()
        for first in stride(from: Int64(0), to: 1_000, by: 200) {
            try view.write(View.bob, (first..<first + 200).map { make(task($0)) })
        }
        let comparison = try ViewComparison(
            view.record.snapshot(), schema: View.schema, wanted: open, for: View.ann, seed: 77)
        let question = try #require(comparison.question())
        let reports = question.asks.map { DigestIndex<PrimaryKey>().report(on: $0) }
        #expect(!comparison.begin(Array(reports.dropLast())))
        #expect(!comparison.begin(reports.map { _ in .objects([]) }))
        #expect(try comparison.prepare { true })
        #expect(!comparison.isTaking && comparison.begin(reports) && comparison.isTaking)
        var pieces = 1
        while !(try comparison.goOn { false }) { pieces += 1 }
        #expect(pieces > 1_000 / 256 && !comparison.isTaking)
        #expect(comparison.question() == nil)
        let part = try comparison.difference().next(bytesMax: .max)
        #expect(part.allEntered.count == 1_000)
    }

    /// All that the view holds, as a device has it after a bootstrap.
    private func holding(_ view: View, _ wanted: [QueryText]) throws -> [ObjectReference: ObjectState] {
        let difference = try ViewDifference(
            view.record.snapshot(), from: .zero, held: [], wanted: wanted, for: ClientID(99))
        let part = try difference.next(bytesMax: .max)
        return Dictionary(uniqueKeysWithValues: part.allEntered.map { ($0.object, $0.state) })
    }

    @Test("what is equal is not told, and takes one question")
    func equal() throws {
        let view = try View()
        try view.write(View.bob, (1...100).map { make(task(Int64($0)), ("title", .string("task \($0)"))) })
        try view.write(
            View.bob, make(place(1), ("city", .string("Ulm"))), change(task(1), "place", .link(place(1).key)))
        let result = try compare(view, open, holding: holding(view, open))
        #expect(result.words == [])
        #expect(result.questions == 1)
        #expect(try compare(view, [], holding: [:]).words == [])
    }

    @Test("what differs is told, and nothing else")
    func different() throws {
        let view = try View()
        try view.write(View.bob, (1...1_000).map { make(task(Int64($0)), ("title", .string("task \($0)"))) })
        try view.write(
            View.bob, make(place(1), ("city", .string("Ulm"))), change(task(1), "place", .link(place(1).key)))
        var objects = try holding(view, open)
        try view.write(View.bob, change(task(2), "title", .string("other")))
        try view.write(View.bob, change(place(1), "city", .string("Bonn")))
        try view.write(View.bob, .delete(task(3), life: 2))
        try view.write(View.bob, change(task(4), "done", .bool(true)))
        try view.write(View.bob, make(task(2_000)))
        // One that this database has never had, and one that it has and the device has not.
        objects[task(3_000)] = ObjectState(life: 1)
        objects[task(5)] = nil
        let result = try compare(view, open, holding: objects)
        #expect(
            result.words
                == [
                    "delete Task 3 2", "enter \(place(1).shown)", "enter Task 1", "enter Task 2", "enter Task 2000",
                    "enter Task 5", "leave Task 3000", "leave Task 4",
                ].sorted())
        #expect(result.questions == 3)
    }

    @Test("what has ended is told as deleted, and as leaving once its end is forgotten: it may as well have been lost")
    func forgottenEnd() throws {
        let view = try View(historyVersionsMax: 2)
        try view.write(View.bob, make(task(1)), make(task(2)))
        let objects = try holding(view, open)
        try view.write(View.bob, .delete(task(1), life: 2))
        #expect(try compare(view, open, holding: objects).words == ["delete Task 1 2"])
        for id in 10...20 as ClosedRange<Int64> { try view.write(View.bob, make(task(id))) }
        let words = try compare(view, open, holding: objects).words
        #expect(words.filter { !$0.hasPrefix("enter") } == ["leave Task 1"])
    }

    @Test("who may not read every object claims keys in vain: what is hidden, has ended or never was leaves in one way")
    func hiddenKeys() throws {
        let view = try View()
        try view.write(
            View.bob, make(task(1), ("title", .string("secret"))), make(task(2), ("title", .string("secret"))))
        try view.write(View.bob, .delete(task(2), life: 2))
        let claimed = Dictionary(uniqueKeysWithValues: (1...3).map { (task($0), ObjectState(life: 1)) })
        func reasons(_ permissions: Permissions?) throws -> [String] {
            let comparison = try ViewComparison(
                view.record.snapshot(), schema: View.schema, wanted: open, under: permissions, for: View.ann, seed: 7)
            while let question = comparison.question() {
                var digester = ObjectDigester(seed: question.seed, schema: View.schema)
                let index = DigestIndex(
                    claimed.map { object, state in
                        .init(
                            place: digester.place(of: object.key), object.key,
                            digester.digest(object, state) { _ in nil })
                    })
                let nothing = DigestIndex<PrimaryKey>()
                #expect(
                    try comparison.take(
                        question.asks.map { ($0.range.className == "Task" ? index : nothing).report(on: $0) }))
            }
            let part = try comparison.difference().next(bytesMax: 1 << 20)
            return part.left.map { "\($0.object.shown) \($0.reason)" }.sorted()
                + part.deleted.map { "\($0.object.shown) deleted" }
        }
        let some = Permissions(
            AccessRules(byClass: [
                "Task": AccessRules.OfClass(read: .when(try Predicate.parse("title != 'secret'")))
            ]))
        let never = Permissions(AccessRules(byClass: ["Task": AccessRules.OfClass(read: .never)]))
        for permissions in [some, never] {
            #expect(try reasons(permissions) == (1...3).map { "Task \($0) permission" })
        }
        #expect(try reasons(nil) == ["Task 3 query", "Task 2 deleted"])
    }

    @Test("of an object that may be read in part, only that part is compared")
    func partlyHidden() throws {
        let view = try View()
        let label = ElementID(client: View.bob, counter: 9)
        try view.write(
            View.bob, make(place(1), ("city", .string("Ulm"))),
            make(task(1), ("title", .string("secret")), ("place", .link(place(1).key))),
            .list(task(1), property: "labels", .insert(label, left: nil, right: nil, value: .string("secret"))),
            make(task(2), ("title", .string("secret"))))
        let hidden = try ["title", "place", "labels"].map { name in
            (name, AccessRules.OfProperty(read: .when(try Predicate.parse("_id != 1"))))
        }
        let blind = Permissions(
            AccessRules(byClass: [
                "Task": AccessRules.OfClass(properties: Dictionary(uniqueKeysWithValues: hidden))
            ]))
        let all = try holding(view, open)
        // What may not be read stands as in a new object.
        var objects = all
        for index in all[task(1)]?.fields.indices ?? 0..<0 {
            switch objects[task(1)]?.fields[index].property {
            case "title": objects[task(1)]?.fields[index].value = .string("")
            case "place": objects[task(1)]?.fields[index].value = .null
            default: break
            }
        }
        objects[task(1)]?.parts.removeAll { $0.content.kind == .list }
        objects[place(1)] = nil
        #expect(objects[task(1)] != all[task(1)])
        #expect(try compare(view, open, under: blind, holding: objects).words == [])
        // One that holds it all the same loses it, and what may be read is put right.
        #expect(try compare(view, open, under: blind, holding: all).words == ["enter Task 1"])
        try view.write(View.bob, change(task(1), "title", .string("secret 2")), change(task(2), "title", .string("b")))
        #expect(try compare(view, open, under: blind, holding: objects).words == ["enter Task 2"])
    }

    @Test("a device that holds nothing gets all, one whose queries are gone keeps nothing")
    func extremes() throws {
        let view = try View()
        try view.write(View.bob, (1...300).map { make(task(Int64($0))) })
        #expect(try compare(view, open, holding: [:]).words == (1...300).map { "enter Task \($0)" }.sorted())
        let objects = try holding(view, open)
        #expect(try compare(view, [], holding: objects).words == (1...300).map { "leave Task \($0)" }.sorted())
    }

    @Test("an answer to another question than the last is refused")
    func lies() throws {
        let view = try View()
        try view.write(View.bob, (1...300).map { make(task(Int64($0))) })
        func comparison() throws -> ViewComparison {
            let comparison = try ViewComparison(
                view.record.snapshot(), schema: View.schema, wanted: open, for: View.ann, seed: 1)
            _ = comparison.question()
            return comparison
        }
        let some = RangeDigest(count: 1_000, sum: Digest(low: 1, high: 1))
        #expect(try !comparison().take([]))
        #expect(try !comparison().take([.whole(some), .objects([])]))
        #expect(try !comparison().take([.whole(some), .whole(.empty), .whole(.empty)]))
        let deeper = try comparison()
        #expect(try deeper.take([.whole(some), .whole(.empty)]))
        _ = deeper.question()
        #expect(try !deeper.take([.parts([some])]))
        // Whatever counts it invents, it is never asked without end: ranges end.
        let endless = try comparison()
        #expect(try endless.take([.whole(some), .whole(.empty)]))
        var questions = 0
        while let question = endless.question(), questions < 100 {
            questions += 1
            let reports = question.asks.map { ask -> DigestReport in
                switch ask.detail {
                case .whole: .whole(some)
                case .parts: .parts([some] + [RangeDigest](repeating: .empty, count: 63))
                case .objects: .objects([])
                }
            }
            #expect(try endless.take(reports))
        }
        #expect(questions < 20)
    }

    @Test("a device that says that everything differs is asked a bounded amount at a time, and little waits")
    func inventedCounts() throws {
        let view = try View()
        let comparison = try ViewComparison(
            view.record.snapshot(), schema: View.schema, wanted: open, for: View.ann, seed: 1)
        let most = RangeDigest(count: .max, sum: Digest(low: 1, high: 1))
        for _ in 0..<40 {
            let question = try #require(comparison.question())
            #expect(question.asks.count <= ViewComparison.asksAtOnce)
            let reports = question.asks.map { ask -> DigestReport in
                switch ask.detail {
                case .whole: .whole(most)
                case .parts: .parts([RangeDigest](repeating: most, count: DigestRange.partsCount))
                case .objects: .objects([])
                }
            }
            #expect(try comparison.take(reports))
            // Eleven levels of ranges, of each the ones that were parted last.
            #expect(comparison.waiting <= 11 * ViewComparison.digestsAtOnce)
        }
    }

    @Test("the history tells as long as it reaches back, then a comparison is needed; never for a new device")
    func needed() throws {
        let view = try View(historyVersionsMax: 2)
        for id in 1...5 { try view.write(View.bob, make(task(Int64(id)))) }
        try view.write(View.ann, make(task(9)))
        let snapshot = try view.record.snapshot()
        for (version, client, isNeeded) in [
            (3, View.bob, true), (4, View.bob, false), (6, View.bob, false), (0, View.bob, true),
            (0, ClientID(77), false),
        ] as [(UInt64, ClientID, Bool)] {
            #expect(
                try ViewDifference.needsComparison(snapshot, from: ServerVersion(version), for: client) == isNeeded)
        }
    }
}
