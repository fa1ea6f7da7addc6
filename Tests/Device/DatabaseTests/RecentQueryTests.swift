import Causeway
import Foundation
import Testing

class AskedPet: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var weight: Double
    @Persisted var friend: AskedPet?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class AskedToy: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class AskedView: Projection<AskedPet> {
    @Projected(\AskedPet.name) var name
}

/// A Realm remembers what it was asked last; nobody may notice.
@Suite("The same question again")
struct RecentQueryTests {
    private let realm: Realm
    private var pets: Results<AskedPet> { realm.objects(AskedPet.self) }

    init() throws {
        realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [AskedPet.self, AskedToy.self]))
        try realm.write {
            for id in 0..<20 {
                realm.create(AskedPet.self, value: ["id": id, "name": "pet \(id % 4)", "weight": Double(id) / 2])
            }
            realm.create(AskedToy.self, value: ["id": 1, "name": "pet 1"])
        }
    }

    @Test("sees what changed since, also inside of a write and after it was undone")
    func changes() throws {
        func count() -> Int { pets.filter("name == %@", "pet 1").count }
        #expect(count() == 5)
        #expect(count() == 5)
        realm.beginWrite()
        pets.filter("id == 1").first?.name = "other"
        #expect(count() == 4)
        realm.cancelWrite()
        #expect(count() == 5)
        try realm.write { realm.delete(pets.filter("name == %@", "pet 1")) }
        #expect(count() == 0)
        try realm.write { realm.create(AskedPet.self, value: ["id": 100, "name": "pet 1"]) }
        #expect(count() == 1)
        #expect(pets.filter("name == %@", "pet 1").first?.id == 100)
    }

    @Test("asks anew where the text, an argument, its type or the class differs")
    func differences() throws {
        #expect(pets.filter("name == %@", "pet 1").count == 5)
        #expect(pets.filter("name == %@", "pet 2").count == 5)
        #expect(pets.filter("name != %@", "pet 1").count == 15)
        #expect(pets.filter("name == %@ AND id < %@", "pet 1", 9).count == 2)
        #expect(pets.filter("name == %@ AND id < %@", "pet 1", 10).count == 3)
        #expect(realm.objects(AskedToy.self).filter("name == %@", "pet 1").count == 1)
        // 1 and 1.5 as an Int and a Double, as an NSNumber, and a number for which there is no Int.
        #expect(pets.filter("weight > %@", 1).count == 17)
        #expect(pets.filter("weight > %@", 1.25).count == 17)
        #expect(pets.filter("weight > %@", 1.5).count == 16)
        #expect(pets.filter("weight > %@", NSNumber(value: 1.5)).count == 16)
        #expect(pets.filter("weight > %@", UInt64.max).count == 0)
        // Equal as strings, but of other bytes.
        try realm.write {
            realm.create(AskedPet.self, value: ["id": 50, "name": "caf\u{e9}"])
            for id in 51..<53 { realm.create(AskedPet.self, value: ["id": id, "name": "cafe\u{301}"]) }
        }
        #expect(pets.filter("name == %@", "caf\u{e9}").count == 1)
        #expect(pets.filter("name == %@", "cafe\u{301}").count == 2)
        #expect(pets.filter("name == 'caf\u{e9}'").count == 1)
        #expect(pets.filter("name == 'cafe\u{301}'").count == 2)
        #expect(pets.filter("friend == %@", NSNull()).count == 23)
    }

    @Test("keeps the order, the limit and the conditions that follow")
    func steps() throws {
        for _ in 0..<2 {
            let top = pets.filter("name == %@ SORT(id DESC) LIMIT(2)", "pet 3")
            #expect(top.map(\.id) == [19, 15])
            #expect(pets.filter("name == %@", "pet 3").filter("id < %@", 8).map(\.id) == [3, 7])
            #expect(pets.filter("name == %@", "pet 3").sorted(byKeyPath: "id", ascending: false).first?.id == 19)
        }
        // A question to a result is another one than the same question to the class.
        let light = pets.filter("id < 4")
        #expect(light.filter("name == %@", "pet 3").count == 1)
        #expect(pets.filter("name == %@", "pet 3").count == 5)
        #expect(light.filter("name == %@", "pet 3").count == 1)
    }

    @Test("an object that is compared with is looked at each time")
    func objects() throws {
        let first = try #require(pets.first)
        try realm.write { pets.filter("id > 10").forEach { $0.friend = first } }
        for _ in 0..<2 { #expect(pets.filter("friend == %@", first).count == 9) }
        try realm.write { pets.filter("id > 15").forEach { $0.friend = nil } }
        #expect(pets.filter("friend == %@", first).count == 5)
    }

    @Test("asks anew after the Realm was invalidated, and for each of many questions")
    func forgetting() throws {
        let before = pets.filter("name == %@", "pet 1")
        #expect(before.count == 5)
        realm.invalidate()
        #expect(before.isInvalidated)
        #expect(pets.filter("name == %@", "pet 1").count == 5)
        for _ in 0..<2 {
            for id in 0..<40 { #expect(pets.filter("id == %@", id).count == (id < 20 ? 1 : 0)) }
        }
        let long = String(repeating: "x", count: 5_000)
        try realm.write { realm.create(AskedPet.self, value: ["id": 60, "name": long]) }
        for _ in 0..<2 { #expect(pets.filter("name == %@", long).count == 1) }
        #expect(pets.filter("id IN %@", [1, 2, 3]).count == 3)
        #expect(pets.filter("id IN %@", [1, 2]).count == 2)
    }

    @Test("a projection may ask for what it shows, whatever its class was asked")
    func projections() throws {
        #expect(pets.filter("name == %@", "pet 1").count == 5)
        #expect(realm.objects(AskedView.self).filter("name == %@", "pet 1").first?.name == "pet 1")
        let frozen = pets.freeze()
        for _ in 0..<2 { #expect(frozen.filter("name == %@", "pet 1").count == 5) }
    }
}
