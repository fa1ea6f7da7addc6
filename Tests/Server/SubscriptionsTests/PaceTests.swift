import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import CausewaySubscriptions
import Testing

@Suite("What a difference costs")
struct PaceTests {
    private let open = [tasks("done == false")]

    private func words(_ difference: ViewDifference, while goesOn: () -> Bool = { true }) throws -> [String] {
        var words: [String] = []
        while true {
            let part = try difference.next(bytesMax: 1 << 20, while: goesOn)
            words += part.allEntered.map { "enter \($0.object.shown)" }
            words += part.updated.map { "update \($0.object.shown)" }
            words += part.left.map { "leave \($0.object.shown)" }
            words += part.deleted.map { "delete \($0.object.shown)" }
            #expect(part.isEmpty || !words.isEmpty)
            if part.isLast { return words }
        }
    }

    /// Uploads of two clients in turn, so that each is a run of rows for itself.
    private func uploads(_ count: Int, of objects: Int64, to view: View, from first: Int64 = 0) throws {
        for upload in 0..<Int64(count) {
            let client = upload % 2 == 0 ? View.bob : View.ann
            try view.write(
                client,
                (0..<objects).map { make(task(first + upload * objects + $0), ("done", .bool($0 % 2 == 0))) })
        }
    }

    @Test("what was created in many uploads is gone over a few times, whatever was there before")
    func births() throws {
        let view = try View()
        try uploads(1, of: 20_000, to: view, from: 1_000_000)
        let start = view.record.version.rawValue
        try uploads(20, of: 300, to: view)
        let other = [tasks("title == 'a'")]
        for (held, wanted) in [(open, open), ([], []), (other, other)] {
            let snapshot = CountingSnapshot(try view.record.snapshot())
            let difference = try ViewDifference(
                snapshot, from: ServerVersion(start), held: held, wanted: wanted, for: View.ann)
            let told = try words(difference)
            #expect(snapshot.rows <= 3 * 6_000, "\(wanted): \(snapshot.rows) rows")
            let counts = [open: (1_500, 1_500), [open[0], other[0]]: (0, 0)][wanted] ?? (0, 3_000)
            #expect(told.count { $0.hasPrefix("enter") } == counts.0, "\(wanted)")
            #expect(told.count { $0.hasPrefix("leave") } == counts.1, "\(wanted)")
        }
    }

    @Test("parts that end early tell the same as whole ones")
    func parted() throws {
        let view = try View()
        try uploads(4, of: 400, to: view)
        let start = view.record.version.rawValue
        for id in 0..<200 as Range<Int64> { try view.write(View.bob, change(task(id), "done", .bool(id % 3 == 0))) }
        try view.write(View.bob, (0..<40).map { .delete(task($0 * 5), life: 2) })
        try uploads(3, of: 300, to: view, from: 10_000)
        let other = [tasks("done == true")]
        for (from, held, wanted) in [(start, open, open), (start, open, other), (0, [], open), (0, open, other)] {
            func difference() throws -> ViewDifference {
                try ViewDifference(
                    view.record.snapshot(), from: ServerVersion(from), held: held, wanted: wanted, for: View.ann)
            }
            // A part has what is told in an order of its own.
            #expect(try words(difference(), while: { false }).sorted() == words(difference()).sorted())
        }
    }

    @Test("planning that takes more than it may stops, and says so")
    func interrupted() throws {
        let view = try View()
        try uploads(2, of: 400, to: view)
        let start = view.record.version.rawValue
        for id in 0..<100 as Range<Int64> { try view.write(View.bob, change(task(id), "done", .bool(true))) }
        func plan(_ pace: Pace) throws(StoreFailure) -> ViewDifference {
            try ViewDifference(
                view.record.snapshot(), from: ServerVersion(start), held: open, wanted: open, for: View.ann, pace: pace)
        }
        #expect(throws: StoreFailure.self) { try plan(Pace { false }) }
        let failure = #expect(throws: StoreFailure.self) { try plan(Pace(objectsMax: 50) { true }) }
        #expect(failure?.code == .interrupted)
        var asked = 0
        let goesOn = {
            asked += 1
            return asked < 3
        }
        #expect(throws: StoreFailure.self) { try plan(Pace(goesOn: goesOn)) }
        // It is not asked at every version: a look at the clock takes as long as one.
        #expect(asked == 3)
        #expect(try words(plan(Pace(objectsMax: 1_000) { true })).count == 50)
    }

    @Test("queries are bound once for as long as they, the classes and the rules stay")
    func kept() throws {
        let view = try View()
        try view.write(View.bob, make(task(1)))
        let queries = KeptQueries()
        func bound(_ wanted: [QueryText], under permissions: Permissions? = nil) throws -> Int {
            let snapshot = CountingSnapshot(try view.record.snapshot())
            _ = try ViewDifference(
                snapshot, from: ServerVersion(1), held: wanted, wanted: wanted, heldUnder: permissions,
                under: permissions, for: View.ann, queries: queries)
            return snapshot.boundQueries
        }
        let many = (0..<50).map { tasks("title == '\($0)'") }
        #expect(try bound(many) >= 50)
        #expect(try bound(many) < 50)
        try view.write(View.bob, make(task(2)))
        #expect(try bound(many) < 50)
        let rules = Permissions(AccessRules(byClass: ["Task": AccessRules.OfClass(read: .never)]))
        #expect(try bound(many, under: rules) >= 50)
        #expect(try bound(many) < 50)
        try view.record.extendSchema(
            Schema([ClassSchema(name: "New", properties: [Property(name: "_id", type: .int, isPrimaryKey: true)])]))
        #expect(try bound(many) >= 50)
    }

    @Test("before queries are kept it is said how many terms they have, with those that stay; or they are not")
    func keptTerms() throws {
        let view = try View()
        try view.write(View.bob, make(task(1)))
        var told: [Int] = []
        let queries = KeptQueries { terms throws(StoreFailure) in
            told.append(terms)
            if terms > 200 { throw StoreFailure(.busy, "too many") }
        }
        func keep(_ terms: Int) throws {
            // An AND and what stands in it.
            let texts = [tasks((0..<terms - 1).map { "_id != \($0)" }.joined(separator: " AND "))]
            _ = try ViewDifference(
                view.record.snapshot(), from: ServerVersion(1), held: texts, wanted: texts, for: View.ann,
                queries: queries)
        }
        try keep(100)
        try keep(50)
        try keep(100)
        #expect(told == [100, 150])
        #expect(throws: StoreFailure.self) { try keep(180) }
        #expect(told == [100, 150, 230])
        // The two of before are still there, and the older one makes room.
        try keep(50)
        try keep(120)
        #expect(told == [100, 150, 230, 170])
    }

    @Test("queries of more terms than may be are refused, all together and each alone")
    func terms() throws {
        let view = try View()
        let snapshot = try view.record.snapshot()
        let long = (0..<100).map { "_id != \($0)" }.joined(separator: " AND ")
        _ = try StandingQueries([tasks(long)], in: snapshot, termsMax: 101)
        for (texts, most) in [([tasks(long)], 100), ([tasks(long), tasks("done == true")], 101)] {
            let failure = #expect(throws: StoreFailure.self) {
                try StandingQueries(texts, in: snapshot, termsMax: most)
            }
            #expect(failure?.code == .queryInvalid && failure?.message.contains("\(most) comparisons") == true)
        }
    }
}
