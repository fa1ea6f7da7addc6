import Causeway
import Foundation
import Testing

final class CountedPage: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(indexed: true) var likes: Counter
    @Persisted var views = Counter(10)
    @Persisted var parts: List<CountedPart>
}

final class CountedPart: EmbeddedObject {
    @Persisted var reads: Counter
}

/// The same class as an older version of an app has it, under the same name.
final class PlainPage: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var likes = 0

    override class func _realmObjectName() -> String? { "MovingPage" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class MovedPage: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var likes: Counter

    override class func _realmObjectName() -> String? { "MovingPage" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class OptionalCount: Object {
    @Persisted var count: Counter?
    @Persisted var counts: List<Counter>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct CounterTests {
    private func realm() throws -> Realm {
        try Realm(
            configuration: .init(
                inMemoryIdentifier: "counters-\(UUID())", objectTypes: [CountedPage.self, CountedPart.self]))
    }

    @Test("a counter is a number that is counted up and down, before its object is added and after")
    func counting() throws {
        let realm = try realm()
        let page = CountedPage()
        #expect(page.likes == 0)
        #expect(page.views == 10)
        page.views.increment()
        page.likes += 2
        try realm.write {
            realm.add(page)
            page.likes.increment(by: 5)
            page.likes.decrement()
            page.likes -= 2
            page.views.decrement(by: 20)
        }
        #expect(page.likes == 4)
        #expect(page.views == -9)
        #expect("\(page.likes)" == "4")
        #expect(Int(page.likes) + 1 == 5)
        #expect(page.likes > 3 && page.likes <= 4 && page.likes < 5 && page.likes != 3)
        try realm.write { page.likes = 100 }
        #expect(page.likes == 100)
        try realm.write { page.likes.increment(by: .max) }
        #expect(page.likes.value == .min + 99)
    }

    @Test("a counter is created and set from numbers, by every door")
    func fromNumbers() throws {
        let realm = try realm()
        try realm.write {
            realm.create(CountedPage.self, value: ["id": 1, "likes": 5, "parts": [["reads": 3]]])
            realm.create(CountedPage.self, value: ["id": 2, "likes": Counter(7)])
            realm.create(CountedPage.self, value: [3, 8])
            try realm.create(CountedPage.self, from: 4..<104) { page in
                page.set(\.id) { $0 }
                page.set(\.likes) { Counter($0) }
            }
        }
        let pages = realm.objects(CountedPage.self)
        #expect(pages[0].likes == 5 && pages[0].views == 10 && pages[0].parts[0].reads == 3)
        #expect(pages[1].likes == 7)
        #expect(pages[2].likes == 8)
        #expect(pages[99].likes == 100 && pages[99].views == 10)
        try realm.write {
            realm.create(CountedPage.self, value: ["id": 1, "likes": 50], update: .modified)
            pages[1].setValue(9, forKey: "likes")
            pages[2]["likes"] = Counter(3)
            pages[0].parts[0].reads.increment()
        }
        #expect(pages[0].likes == 50 && pages[1].likes == 9 && pages[2].likes == 3)
        #expect(pages[0].parts[0].reads == 4)
        #expect((pages[0].value(forKey: "likes") as? Counter)?.value == 50)
    }

    @Test("queries, sorting and aggregates take a counter for an integer, indexed or not")
    func queries() throws {
        let realm = try realm()
        try realm.write {
            try realm.create(CountedPage.self, from: 0..<3000) { page in
                page.set(\.id) { $0 }
                page.set(\.likes) { Counter($0 % 100) }
                page.set(\.views) { Counter(-$0) }
            }
            for page in realm.objects(CountedPage.self) where page.id < 100 { page.likes += 1000 }
        }
        let pages = realm.objects(CountedPage.self)
        let limit = 1050
        #expect(pages.where { $0.likes >= limit }.count == 50)
        #expect(pages.where { $0.likes == 7 }.count == 29)
        #expect(pages.where { $0.likes.in([1, 2]) || $0.views < -2998 }.count == 59)
        #expect(pages.where { $0.likes.contains(5...6) }.count == 58)
        #expect(pages.filter("likes > 1000 AND views < %@", -50).count == 49)
        #expect(pages.sorted(byKeyPath: "likes", ascending: false).first?.id == 99)
        #expect(pages.max(of: \.likes) == 1099)
        #expect(pages.min(of: \.views) == -2999)
        #expect(pages.sum(of: \.views) == Counter(-2999 * 3000 / 2))
        #expect(pages.average(of: \.views) as Double? == -1499.5)
    }

    @Test("observers hear of a count, and an aborted write takes it back")
    func observation() throws {
        let realm = try realm()
        try realm.write { _ = realm.create(CountedPage.self, value: ["id": 1]) }
        let page = try #require(realm.object(ofType: CountedPage.self, forPrimaryKey: 1))
        try realm.write {
            page.likes.increment()
            realm.cancelWrite()
        }
        #expect(page.likes == 0)
        try realm.write { page.likes.increment(by: 0) }
        let frozen = page.freeze()
        try realm.write { page.likes.increment() }
        #expect(frozen.likes == 0 && page.likes == 1)
    }

    @Test("the dynamic API sees an integer, sets it, and increments it by name")
    func dynamic() throws {
        let realm = try realm()
        try realm.write {
            let page = realm.dynamicCreate("CountedPage", value: ["id": 1, "likes": 3])
            page.increment("likes", by: 4)
            #expect(page.likes as? Int == 7)
            page.likes = 20
            page.increment("likes")
        }
        #expect(realm.objects(CountedPage.self)[0].likes == 21)
    }

    @Test("an Int becomes a Counter and a Counter an Int with their numbers, and only in a migration")
    func migration() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("counters-\(UUID()).realm")
        defer { try? FileManager.default.removeItem(at: url) }
        func open(_ type: Object.Type, _ version: UInt64) throws -> Realm {
            try Realm(
                configuration: .init(
                    fileURL: url, schemaVersion: version, migrationBlock: { _, _ in }, objectTypes: [type]))
        }
        do {
            let realm = try open(PlainPage.self, 1)
            try realm.write { for id in 0..<10 { realm.create(PlainPage.self, value: [id, id * 3]) } }
        }
        #expect(throws: (any Error).self) { try open(MovedPage.self, 1) }
        do {
            let realm = try open(MovedPage.self, 2)
            #expect(realm.objects(MovedPage.self).map(\.likes.value) == (0..<10).map { $0 * 3 })
            try realm.write { for page in realm.objects(MovedPage.self) { page.likes.increment() } }
        }
        do {
            let realm = try open(PlainPage.self, 3)
            #expect(realm.objects(PlainPage.self).map(\.likes) == (0..<10).map { $0 * 3 + 1 })
        }
    }

    @Test("a counter that may be absent or stands in a collection is refused when the Realm opens")
    func refused() {
        #expect {
            try Realm(
                configuration: .init(inMemoryIdentifier: "counters-\(UUID())", objectTypes: [OptionalCount.self]))
        } throws: {
            "\($0)".contains("'OptionalCount.count' cannot be optional")
                && "\($0)".contains("'OptionalCount.counts' cannot be optional, in a collection")
        }
    }

    @Test("a counter is coded as its number")
    func coding() throws {
        #expect(try JSONEncoder().encode([Counter(3), -4]) == Data("[3,-4]".utf8))
        #expect(try JSONDecoder().decode([Counter].self, from: Data("[3,-4]".utf8)) == [3, -4])
    }
}
