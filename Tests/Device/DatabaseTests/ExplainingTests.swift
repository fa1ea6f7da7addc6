import Causeway
import Foundation
import Testing

private class Explained: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var breed = ""
    @Persisted var age = 0
    @Persisted var friends: List<Explained>
    @Persisted var tags: List<String>
    @Persisted(originProperty: "friends") var friendOf: LinkingObjects<Explained>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("What a query says of itself")
struct ExplainingTests {
    @Test("the plan is told without reading an object")
    func plans() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [Explained.self]))
        try realm.write {
            for id in 0..<3_000 {
                realm.create(Explained.self, value: ["id": id, "breed": "b\(id % 50)", "age": id % 9])
            }
        }
        let all = realm.objects(Explained.self)
        #expect(all.explain() == "all of Explained")
        #expect(all.where { $0.breed == "b7" }.explain() == "index on Explained.breed")
        #expect(
            all.where { $0.breed == "b7" }.where { $0.age > 3 }.sorted(byKeyPath: "age", ascending: false).explain()
                == "index on Explained.breed, then scan Explained.age, sorted by age descending")
        #expect(all.where { $0.id == 5 }.explain() == "primary key of Explained")
        #expect(all.distinct(by: ["breed"]).explain() == "all of Explained, distinct by breed")
        #expect(
            all[0].friends.where { $0.age == 1 }.explain() == "the elements of Explained.friends, filtered one by one")
        #expect(all[0].tags.sorted(ascending: false).explain() == "the elements of Explained.tags, sorted descending")
        #expect(
            all[0].friendOf.sorted(byKeyPath: "id").explain() == "what links here by Explained.friends, sorted by id")
    }
}
