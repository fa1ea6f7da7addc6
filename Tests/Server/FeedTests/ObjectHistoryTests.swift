import CausewayFeed
import CausewayModel
import CausewayOperations
import CausewaySeeds
import CausewaySession
import CausewayStore
import CausewayStoreEmbedded
import Testing

@Suite("The history of one object")
struct ObjectHistoryTests {
    /// All pages, as somebody reads them who goes on with `next`.
    private func pages(
        of id: Int64, in bench: FeedBench, countMax: Int = 20, stepsMax: Int = ObjectHistory.stepsMax,
        eventsMax: Int = .max, until end: StepEnd = StepEnd { false }
    ) throws -> [[ChangeEvent]] {
        let snapshot = try bench.record.snapshot()
        let number = try #require(snapshot.classNumber("Task"))
        var pages: [[ChangeEvent]] = []
        var place: ObjectHistory.Place?
        repeat {
            let history = ObjectHistory(
                of: ObjectName(number, .int(id)), in: snapshot, from: place, countMax: countMax, stepsMax: stepsMax)
            var events: [ChangeEvent] = []
            while try !history.step(
                until: end,
                {
                    events.append($0)
                    return events.count < eventsMax
                })
            {}
            pages.append(events)
            place = history.next.flatMap { ObjectHistory.Place($0.text) }
            #expect(place == history.next)
        } while place != nil
        return pages
    }

    /// What the feed tells of the object, the newest first.
    private func told(of id: Int64, in bench: FeedBench) throws -> [ChangeEvent] {
        let position = FeedPosition(try bench.record.snapshot().historyStart)
        return try bench.events(after: position, FeedSelection(tellsBefore: true, tellsAfter: true))
            .filter { $0.className == "Task" && $0.key == .int(id) }.reversed()
    }

    /// Without the position, which belongs to readers of the feed.
    private func plain(_ events: [ChangeEvent]) -> [ChangeEvent] {
        events.map { event in
            var event = event
            event.position = FeedPosition(event.version)
            return event
        }
    }

    @Test("is what the feed tells of the object, page by page", arguments: SeedList.drawn(for: "history", count: 15))
    func random(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let bench = try FeedBench(historyVersionsMax: random.next() % 3 == 0 ? 40 : 100_000)
        try Self.write(80, &random, bench)
        for id in Int64(0)..<6 {
            let expected = plain(try told(of: id, in: bench))
            let countMax = 1 + Int(random.next() % 6)
            let pages = try pages(of: id, in: bench, countMax: countMax)
            #expect(plain(pages.flatMap { $0 }) == expected, "seed \(seed), object \(id)")
            #expect(pages.allSatisfy { $0.count <= countMax })
            // Giving way after each version, with time for all of them.
            let stepwise = try self.pages(
                of: id, in: bench, countMax: countMax, stepsMax: 1_000, until: StepEnd { true })
            #expect(stepwise == pages, "seed \(seed), object \(id)")
            // Whoever takes less than a page goes on behind it.
            let short = try self.pages(of: id, in: bench, countMax: countMax, eventsMax: 2)
            #expect(plain(short.flatMap { $0 }) == expected, "seed \(seed), object \(id)")
        }
    }

    /// Versions that create, change and delete tasks with a place in them, and people beside them.
    private static func write(_ versions: Int, _ random: inout SeededNumbers, _ bench: FeedBench) throws {
        var lives: [Int64: UInt32] = [:]
        var places: [Int64: UInt64] = [:]
        for version in 1...versions {
            var operations: [Operation] = []
            for id in Set((0..<3).map { _ in Int64(random.next() % 6) }).sorted() {
                let life = lives[id, default: 0]
                guard life % 2 == 1 else {
                    lives[id] = life + 1
                    operations.append(make(task(id), life: life + 1, ("title", .string("\(version)"))))
                    continue
                }
                switch random.next() % 5 {
                case 0:
                    (lives[id], places[id]) = (life + 1, nil)
                    operations.append(.delete(task(id), life: life + 1))
                case 1:
                    places[id] = UInt64(version * 10) + UInt64(id)
                    let part = place(places[id] ?? 0)
                    operations += [
                        make(part, ("city", .string("\(version)"))), change(task(id), "place", .link(part.key)),
                    ]
                case 2 where places[id] != nil:
                    operations.append(change(place(places[id] ?? 0), "city", .string("city \(version)")))
                case 3:
                    operations.append(
                        .keyed(
                            task(id), property: "tags", .put(key: .string("\(random.next() % 4)"), value: .null)))
                default: operations.append(change(task(id), "title", .string("\(version)")))
                }
            }
            if random.next() % 4 == 0 {
                operations.append(make(ObjectReference("Person", .string("\(version)"))))
            }
            try bench.write(operations, by: random.next() % 2 == 0 ? FeedBench.ann : FeedBench.bob)
        }
    }

    @Test("of an object that never was is empty, and says how far the history reaches")
    func nothing() throws {
        let bench = try FeedBench(historyVersionsMax: 3)
        for id in 1...10 { try bench.write(make(task(Int64(id)))) }
        let snapshot = try bench.record.snapshot()
        let number = try #require(snapshot.classNumber("Task"))
        let history = ObjectHistory(of: ObjectName(number, .int(77)), in: snapshot, from: nil, countMax: 5)
        var count = 0
        while try !history.step(
            until: StepEnd { false },
            { _ in
                count += 1
                return true
            })
        {}
        #expect(count == 0 && history.next == nil)
        #expect(history.oldest == ServerVersion(8))
    }

    @Test("a page ends where its time ends, and the next one goes on from there")
    func time() throws {
        let bench = try FeedBench()
        for id in 1...50 { try bench.write(make(task(Int64(id)))) }
        let pages = try pages(of: 40, in: bench, stepsMax: 30, until: StepEnd { true })
        #expect(pages.map { $0.map(\.words) } == [["40 created Task 40"], []])
    }

    @Test("what lies too far behind to be told in the time of a request is refused with a sentence")
    func far() throws {
        let bench = try FeedBench()
        try bench.write(make(task(1)))
        for id in 2...50 { try bench.write(make(task(Int64(id)))) }
        let snapshot = try bench.record.snapshot()
        let number = try #require(snapshot.classNumber("Task"))
        let history = ObjectHistory(
            of: ObjectName(number, .int(1)), in: snapshot, from: ObjectHistory.Place("2.0"), countMax: 5, stepsMax: 10)
        let failure = #expect(throws: StoreFailure.self) {
            while try !history.step(until: StepEnd { true }, { _ in true }) {}
        }
        #expect(failure?.code == .interrupted)
    }
}
