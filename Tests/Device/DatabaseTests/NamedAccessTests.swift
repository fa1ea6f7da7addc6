import Causeway
import Foundation
import Testing

class NamedDog: Object, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) var number = 0
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var weight: Decimal128
    @Persisted var friend: NamedDog?
    @Persisted var friends: List<NamedDog>
    @Persisted var rivals: MutableSet<NamedDog>
    @Persisted var byName: Map<String, NamedDog?>
    @Persisted var scores: List<Int>
    @Persisted var parks: Map<String, String>
    @Persisted var anything: AnyRealmValue
    override class func propertiesMapping() -> [String: String] { ["friends": "known_dogs"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class NamedDogView: Projection<NamedDog>, ObjectKeyIdentifiable {
    @Projected(\NamedDog.name) var name
}

/// Nothing but the test of superclasses asks for its model.
class NamedDogCard: Projection<NamedDog> {
    @Projected(\NamedDog.name) var name
}

@Suite("Properties and collections by name")
struct NamedAccessTests {
    private func pack() throws -> (Realm, NamedDog) {
        let realm = try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [NamedDog.self]))
        let first = try realm.write {
            let dogs = ["Rex", "Bo", "Max"].enumerated().map { index, name in
                realm.create(
                    NamedDog.self,
                    value: ["number": index, "name": name, "age": index * 2, "weight": index] as [String: Any])
            }
            dogs[0].friend = dogs[1]
            dogs[0].friends.append(objectsIn: [dogs[1], dogs[2], dogs[1]])
            dogs[0].rivals.insert(dogs[2])
            dogs[0].byName["Bo"] = dogs[1]
            dogs[0].byName["nobody"] = .some(nil)
            dogs[0].scores.append(objectsIn: [3, 1, 3])
            dogs[1].scores.append(5)
            dogs[0].parks["Boston"] = "Common"
            return dogs[0]
        }
        return (realm, first)
    }

    @Test("collections show objects whose class nobody needs")
    func dynamicCollections() throws {
        let (realm, first) = try pack()
        let list = first.dynamicList("friends")
        #expect(list.map { $0["name"] as? String } == ["Bo", "Max", "Bo"])
        #expect(first.dynamicMutableSet("rivals")[0].name as? String == "Max")
        let map: Map<String, DynamicObject?> = first.dynamicMap("byName")
        #expect(map.keys == ["Bo", "nobody"] && (map["Bo"] ?? nil)?.age as? Int == 2)
        let dynamic = try #require(realm.dynamicObject(ofType: "NamedDog", forPrimaryKey: 0))
        #expect(dynamic.dynamicList("known_dogs").count == 3)
        try realm.write {
            list[0]["age"] = 9
            list.append(dynamic)
            list.remove(at: 1)
        }
        #expect(first.friends.map(\.number) == [1, 1, 0] && first.friends[0].age == 9)
        #expect(list.filter("age > 8").count == 2)
        #expect(NamedDog.className() == "NamedDog" && dynamic.isSameObject(as: first))
    }

    @Test("paths lead through links and collections, and end with operators")
    func paths() throws {
        let (realm, first) = try pack()
        #expect(first.value(forKeyPath: "friend.name") as? String == "Bo")
        #expect(first.value(forKeyPath: "friend.friend.name") == nil)
        #expect(first.value(forKeyPath: "friends.name") as? [String] == ["Bo", "Max", "Bo"])
        #expect(first.value(forKeyPath: "friends.@count") as? Int == 3)
        #expect(first.value(forKeyPath: "friends.@max.age") as? Int == 4)
        #expect(first.value(forKeyPath: "friends.@sum.weight") as? Decimal128 == 4)
        #expect(first.value(forKeyPath: "friends.@avg.age") as? Double == 8.0 / 3)
        #expect(first.value(forKeyPath: "friends.@distinctUnionOfObjects.name") as? [String] == ["Bo", "Max"])
        #expect(first.value(forKeyPath: "friends.@unionOfObjects.name") as? [String] == ["Bo", "Max", "Bo"])
        #expect(first.value(forKeyPath: "scores.@max.self") as? Int == 3)
        #expect(first.value(forKeyPath: "scores.@distinctUnionOfObjects.self") as? [Int] == [3, 1])
        let dogs = realm.objects(NamedDog.self).sorted(byKeyPath: "number")
        #expect(dogs.value(forKeyPath: "@unionOfArrays.scores") as? [Int] == [3, 1, 3, 5])
        #expect(dogs.value(forKeyPath: "@distinctUnionOfArrays.scores") as? [Int] == [3, 1, 5])
        #expect(first.value(forKeyPath: "byName.Bo.age") as? Int == 2)
        #expect(first.value(forKeyPath: "byName.@max.age") as? Int == 2 && first.byName.value(forKey: "nobody") == nil)
        #expect(first.byName.value(forKeyPath: "@count") as? Int == 2 && first.parks.value(forKey: "x") == nil)
        try realm.write {
            first.setValue("Bobo", forKeyPath: "friend.name")
            first.setValue("x", forKeyPath: "friend.friend.name")
            first.parks.setValue("Green", forKey: "Berlin")
            first.parks.setValue(nil, forKey: "Boston")
            first.scores.removeAll()
            first.setValue([7, 8], forKey: "scores")
            first.setValue(["a": "b"], forKey: "parks")
            first["friend"] = nil
        }
        #expect(first.friends[0].name == "Bobo" && first.parks.keys == ["a"] && Array(first.scores) == [7, 8])
        #expect(first.friend == nil)
    }

    @Test("an identity stays with the row, whatever shows it")
    func identity() throws {
        let (realm, first) = try pack()
        let again = try #require(realm.object(ofType: NamedDog.self, forPrimaryKey: 0))
        #expect(again.id == first.id && again !== first)
        #expect(Set(realm.objects(NamedDog.self).map(\.id)).count == 3)
        #expect(NamedDogView(projecting: first).id == first.id && first.freeze().id == first.id)
        #expect(NamedDog().id != first.id)
    }

    @Test("a mixed link shows its object by names, and a projection says what it shows")
    func shown() throws {
        let (realm, first) = try pack()
        try realm.write { first.anything = .object(first.friends[0]) }
        #expect(first.anything.dynamicObject?.name as? String == "Bo")
        #expect(AnyRealmValue.int(3).dynamicObject == nil && AnyRealmValue.object(NamedDog()).dynamicObject == nil)
        #expect(NamedDogView(projecting: first).description == "NamedDogView<NamedDog> {\n\tname(name) = Rex;\n}")
    }

    @Test("a projection that is known by its superclass is observed as what it is")
    func superclass() throws {
        let (realm, first) = try pack()
        let card: Projection<NamedDog> = NamedDogCard(projecting: first)
        let token = card.observe(keyPaths: ["name"]) { _ in }
        #expect(card.description == "NamedDogCard<NamedDog> {\n\tname(name) = Rex;\n}")
        #expect(realm.objects(NamedDogCard.self).where { $0.name == "Rex" }.count == 1)
        token.invalidate()
    }

    @Test("what cannot be is refused with a sentence")
    func refused() async {
        let wrongType = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try NamedAccessTests().pack().1.dynamicList("scores")
        }
        #expect(words(wrongType).contains("Property 'NamedDog.scores' is not of type 'array' of objects, but 'int'."))
        let unmanaged = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NamedDog().dynamicList("friends")
        }
        #expect(words(unmanaged).contains("Object of type 'NamedDog' is not managed by a Realm."))
        let path = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NamedDog().value(forKeyPath: "name.length")
        }
        #expect(words(path).contains("Invalid property name 'length': 'name' is not an object or a collection."))
        let value = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            NamedDog().parks.setValue(3, forKey: "Boston")
        }
        #expect(words(value).contains("Invalid value '3' of type 'Int' for a map of 'String'."))
    }

    private func words(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }
}
