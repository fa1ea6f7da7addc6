import CausewayFeed
import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayQuery
import CausewaySeeds
import CausewaySession
import CausewayStore
import CausewayStoreEmbedded
import Testing

@Suite("The change feed of a record")
struct FeedReaderTests {
    @Test("each version is told in order: what was created, updated and deleted, by whom, and when")
    func kinds() throws {
        let bench = try FeedBench()
        try bench.write(make(task(1), ("title", .string("a"))), make(task(2)))
        try bench.write(change(task(1), "title", .string("b")), by: FeedBench.bob)
        try bench.write(.delete(task(2), life: 2))
        try bench.write(make(task(2), life: 3, ("title", .string("again"))))
        let events = try bench.events()
        #expect(
            events.map(\.words) == [
                "1 created Task 1", "1 created Task 2", "2 updated Task 1 title", "3 deleted Task 2",
                "4 created Task 2",
            ])
        #expect(events[2].author == ChangeEvent.Author(client: FeedBench.bob, user: "bob"))
        #expect(events[2].time == 1_700_000_000_020)
    }

    @Test("values are those before and after the version, whatever later versions did")
    func values() throws {
        let bench = try FeedBench()
        try bench.write(make(task(1), ("title", .string("a"))))
        for title in ["b", "c"] { try bench.write(change(task(1), "title", .string(title))) }
        try bench.write(.delete(task(1), life: 2))
        let events = try bench.events(FeedSelection(tellsBefore: true, tellsAfter: true))
        func title(_ values: ObjectValues?) -> ObjectValues.Content? {
            values?.properties.first { $0.name == "title" }?.content
        }
        func text(_ text: String) -> ObjectValues.Content { .single(.value(.string(text))) }
        #expect(events.map { title($0.before) } == [nil, text("a"), text("b"), text("c")])
        #expect(events.map { title($0.after) } == [text("a"), text("b"), text("c"), nil])
    }

    @Test("collections and embedded objects have the values of their time")
    func parts() throws {
        let bench = try FeedBench()
        try bench.write(
            make(task(1)), make(place(1), ("city", .string("Bonn"))), change(task(1), "place", .link(place(1).key)))
        try bench.write(.keyed(task(1), property: "tags", .put(key: .string("red"), value: .null)))
        try bench.write(.keyed(task(1), property: "scores", .put(key: .string("x"), value: .int(4))))
        try bench.write(change(place(1), "city", .string("Rome")))
        let events = try bench.events(FeedSelection(tellsAfter: true))
        #expect(
            events.map(\.words) == [
                "1 created Task 1", "2 updated Task 1 tags", "3 updated Task 1 scores", "4 updated Task 1 place",
            ])
        let head = #"{"_id":1,"title":"","owner":"","place":{"city":"#
        #expect(
            events.map { $0.after?.json } == [
                head + #""Bonn"},"labels":[],"tags":[],"scores":{}}"#,
                head + #""Bonn"},"labels":[],"tags":["red"],"scores":{}}"#,
                head + #""Bonn"},"labels":[],"tags":["red"],"scores":{"x":4}}"#,
                head + #""Rome"},"labels":[],"tags":["red"],"scores":{"x":4}}"#,
            ])
    }

    @Test("a class that is not followed is not told, and costs no event")
    func classes() throws {
        let bench = try FeedBench()
        try bench.write(make(task(1)), make(ObjectReference("Person", .string("p")), ("name", .string("Eve"))))
        let events = try bench.events(FeedSelection(classes: ["Person"]))
        #expect(events.map(\.className) == ["Person"])
    }

    @Test(
        "a reader goes on from every position, also in the middle of a version, and nothing is told twice or left out")
    func positions() throws {
        let bench = try FeedBench()
        try bench.write((1...5).map { make(task($0)) })
        try bench.write([change(task(2), "title", .string("x")), .delete(task(3), life: 2), make(task(9))])
        let all = try bench.events()
        #expect(all.count == 8)
        #expect(all.map(\.position.text).first?.hasPrefix("0.1@") == true)
        for (index, event) in all.enumerated() {
            let position = try #require(FeedPosition(event.position.text))
            #expect(position == event.position)
            #expect(try bench.events(after: position) == Array(all[(index + 1)...]), "\(position.text)")
        }
        for atOnce in 1...4 { #expect(try bench.events(atOnce: atOnce) == all) }
    }

    @Test("a position that the history does not reach, and one that was never made, end with their codes")
    func gone() throws {
        let bench = try FeedBench(historyVersionsMax: 3)
        for id in 1...10 { try bench.write(make(task(Int64(id)))) }
        let gone = #expect(throws: FeedFailure.self) { try bench.events(after: FeedPosition(ServerVersion(2))) }
        #expect(gone?.code == .historyGone)
        #expect(gone?.oldest == ServerVersion(7))
        #expect(try bench.events(after: FeedPosition(ServerVersion(7))).count == 3)
        let future = #expect(throws: FeedFailure.self) { try bench.events(after: FeedPosition(ServerVersion(11))) }
        #expect(future?.code == .versionUnknown)
        let other = #expect(throws: FeedFailure.self) {
            try bench.events(after: FeedPosition(ServerVersion(9), run: 77))
        }
        #expect(other?.code == .databaseRestored)
    }

    @Test("a reader sees what the rules permit: what enters is created, what leaves is deleted, the rest is not there")
    func permissions() throws {
        let bench = try FeedBench()
        let rules = AccessRules(
            byClass: [
                "Task": AccessRules.OfClass(
                    read: .when(try Predicate.parse("owner == 'eve'")),
                    properties: ["title": AccessRules.OfProperty(read: .when(try Predicate.parse("_id < 10")))])
            ], otherwise: AccessRules.OfClass(read: .never))
        try bench.write(
            make(task(1), ("owner", .string("eve"))), make(task(2), ("owner", .string("bob"))),
            make(task(11), ("owner", .string("eve")), ("title", .string("hidden"))),
            make(ObjectReference("Person", .string("p"))))
        try bench.write(change(task(2), "owner", .string("eve")), by: FeedBench.bob)
        try bench.write(change(task(1), "owner", .string("bob")), change(task(11), "title", .string("still hidden")))
        try bench.write(change(task(1), "title", .string("secret")), change(task(11), "owner", .string("eve")))
        try bench.write(.delete(task(1), life: 2), .delete(task(2), life: 2))
        let events = try bench.events(
            FeedSelection(tellsBefore: true, tellsAfter: true), under: Permissions(rules))
        #expect(
            events.map(\.words) == [
                "1 created Task 1", "1 created Task 11", "2 created Task 2", "3 deleted Task 1",
                "4 updated Task 11 owner", "5 deleted Task 2",
            ])
        #expect(events.allSatisfy { $0.author == nil })
        #expect(events.allSatisfy { $0.kind != .deleted || $0.after == nil })
        #expect(events[2].before == nil, "nothing is told of the time before it was visible")
        #expect(events[1].after?.properties.contains { $0.name == "title" } == false)
        #expect(events[4].before?.properties.contains { $0.name == "title" } == false)
    }

    @Test(
        "an object that is touched very often has the values of each time, also when later versions touch it as often")
    func often() throws {
        let bench = try FeedBench()
        try bench.write(make(task(1), ("title", .string("0")), ("owner", .string("o"))))
        for title in 1...200 { try bench.write(change(task(1), "title", .string("\(title)"))) }
        try bench.write(change(task(1), "owner", .string("p")))
        try bench.write(.delete(task(1), life: 2), make(task(1), life: 3, ("title", .string("new"))))
        for title in 1...50 { try bench.write(change(task(1), "title", .string("new \(title)"))) }
        let selection = FeedSelection(tellsBefore: true, tellsAfter: true)
        let all = try bench.events(selection)
        #expect(all.count == 253)
        #expect(Self.title(all[100].before) == "99" && Self.title(all[100].after) == "100")
        #expect(all[100].after?.json.contains(#""owner":"o""#) == true)
        #expect(all[201].before?.json.contains(#""owner":"o""#) == true)
        #expect(all[201].after?.json.contains(#""owner":"p""#) == true)
        #expect(all[202].before?.json.contains(#""owner":"p""#) == true)
        #expect(all[202].after?.json.contains(#""owner":"""#) == true)
        for windowMax in [1, 7, 100] {
            var bounds = FeedBounds()
            bounds.windowMax = windowMax
            #expect(try bench.events(selection, bounds: bounds) == all, "\(windowMax)")
        }
    }

    @Test("a step whose time is over gives way, and the next ones go on")
    func time() throws {
        let bench = try FeedBench()
        for id in 1...20 { try bench.write(make(task(Int64(id)))) }
        var reader = FeedReader(from: FeedPosition(.zero), FeedSelection())
        var counts: [Int] = []
        var isLeft = true
        while isLeft {
            var count = 0
            isLeft = try reader.step(bench.record.snapshot(), under: nil, until: StepEnd { true }) { _ in
                count += 1
                return true
            }
            counts.append(count)
        }
        #expect(counts.reduce(0, +) == 20)
        #expect(counts.allSatisfy { $0 <= 1 })
        // Gathering gives way behind each version, and goes on with the same window.
        #expect(counts.prefix(19).allSatisfy { $0 == 0 })
        #expect(counts.count <= 40)
    }

    @Test(
        "objects that are created and deleted again before the reader comes are told by name",
        arguments: SeedList.drawn(for: "feed", count: 10))
    func random(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let bench = try FeedBench()
        var titles: [Int64: String] = [:]
        var lives: [Int64: UInt32] = [:]
        var expected: [String] = []
        for version in 1...60 {
            var operations: [Operation] = []
            var words: [String] = []
            for id in Set((0..<4).map { _ in Int64(random.next() % 8) }).sorted() {
                let title = "\(version)"
                if let old = titles[id] {
                    if random.next() % 3 == 0 {
                        lives[id, default: 0] += 1
                        operations.append(.delete(task(id), life: lives[id] ?? 0))
                        words.append("\(version) deleted Task \(id) \(old)→")
                        titles[id] = nil
                    } else {
                        operations.append(change(task(id), "title", .string(title)))
                        words.append("\(version) updated Task \(id) title \(old)→\(title)")
                        titles[id] = title
                    }
                } else {
                    lives[id, default: 0] += 1
                    operations.append(make(task(id), life: lives[id] ?? 0, ("title", .string(title))))
                    words.append("\(version) created Task \(id) →\(title)")
                    titles[id] = title
                }
            }
            try bench.write(operations, by: random.next() % 2 == 0 ? FeedBench.ann : FeedBench.bob)
            expected += words.sorted()
        }
        var bounds = FeedBounds()
        bounds.entriesAtOnce = 1 + Int(random.next() % 20)
        bounds.windowMax = 1 + Int(random.next() % 60)
        let events = try bench.events(
            FeedSelection(tellsBefore: true, tellsAfter: true), bounds: bounds, atOnce: 1 + Int(random.next() % 5))
        let told = events.map { "\($0.words) \(Self.title($0.before))→\(Self.title($0.after))" }
        // Within a version births come first: the order of objects there is no promise.
        let sorted = Dictionary(grouping: told) { Int($0.prefix { $0 != " " }) ?? 0 }
            .sorted { $0.key < $1.key }.flatMap { $0.value.sorted() }
        #expect(sorted == expected, "seed \(seed)")
        #expect(events.map(\.version) == events.map(\.version).sorted(), "seed \(seed)")
    }

    private static func title(_ values: ObjectValues?) -> String {
        guard
            case .single(.value(.string(let text)))? = values?.properties.first(where: { $0.name == "title" })?.content
        else { return "" }
        return text
    }
}
