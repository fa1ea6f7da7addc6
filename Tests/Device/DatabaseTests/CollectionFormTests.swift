import Causeway
import CausewaySeeds
import Foundation
import Testing

class FormDog: Object {
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var friend: FormDog?
    @Persisted var friends: List<FormDog>
    @Persisted var numbers: List<Int>
    @Persisted var byName: Map<String, FormDog?>
    @Persisted(originProperty: "friend") var admirers: LinkingObjects<FormDog>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Forms of collections")
struct CollectionFormTests {
    private static let seeds = SeedList.drawn(for: "collection-forms", count: 1)

    private func realm() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [FormDog.self]))
    }

    @Test("many positions move and go at once, as in an array", arguments: seeds)
    func offsets(seed: UInt64) throws {
        let realm = try realm()
        let dog = try realm.write { realm.create(FormDog.self) }
        var random = SeededNumbers(seed: seed)
        for round in 0..<300 {
            let count = Int.random(in: 0...9, using: &random)
            let offsets = IndexSet((0..<count).filter { _ in Bool.random(using: &random) })
            let destination = Int.random(in: 0...count, using: &random)
            let unmanaged = List<Int>()
            unmanaged.append(objectsIn: 0..<count)
            // What is moved goes, in its order, before what stood at the destination and stays.
            var expected = (0..<count).filter { !offsets.contains($0) }
            let target = expected.firstIndex { $0 >= destination } ?? expected.count
            expected.insert(contentsOf: offsets, at: target)
            unmanaged.move(fromOffsets: offsets, toOffset: destination)
            #expect(Array(unmanaged) == expected, "seed \(seed), round \(round)")
            try realm.write {
                dog.numbers.removeAll()
                dog.numbers.append(objectsIn: 0..<count)
                dog.numbers.move(fromOffsets: offsets, toOffset: destination)
            }
            #expect(Array(dog.numbers) == expected, "seed \(seed), round \(round)")
            try realm.write { dog.numbers.remove(atOffsets: offsets) }
            #expect(Array(dog.numbers) == expected.enumerated().filter { !offsets.contains($0.offset) }.map(\.element))
        }
    }

    @Test("a list is changed as every collection of Swift's is")
    func rangeReplaceable() throws {
        let realm = try realm()
        let dog = try realm.write { realm.create(FormDog.self) }
        for list in [dog.numbers, List<Int>()] {
            realm.beginWrite()
            list.append(objectsIn: [1, 2, 3, 4, 5])
            list.replaceSubrange(1..<3, with: [20, 30, 40])
            #expect(Array(list) == [1, 20, 30, 40, 4, 5])
            list.replaceSubrange(4..., with: [])
            list.removeSubrange(0...0)
            list.insert(contentsOf: [7, 8], at: 1)
            #expect(Array(list) == [20, 7, 8, 30, 40])
            list.removeAll { $0 > 25 }
            list.swapAt(0, 2)
            list.removeFirst(1)
            list.removeLast()
            list[0] += 1
            #expect(Array(list) == [8])
            try realm.commitWrite()
        }
        #expect(Array(dog.numbers) == [8])
    }

    @Test("any collection is one type, as live as it was")
    func erased() throws {
        let realm = try realm()
        let dog = try realm.write {
            let dog = realm.create(
                FormDog.self,
                value: ["name": "Rex", "friends": [["name": "Bo", "age": 3] as [String: Any]]] as [String: Any])
            dog.friends[0].friend = dog
            return dog
        }
        let all = [
            AnyRealmCollection(realm.objects(FormDog.self).where { $0.age > 2 }), AnyRealmCollection(dog.friends),
            AnyRealmCollection(dog.admirers),
        ]
        for erased in all {
            #expect(erased.map(\.name) == ["Bo"] && erased[0].age == 3 && erased.realm == realm)
            #expect(erased.filter("age == 3").count == 1 && erased.max(of: \.age) == 3)
            #expect(erased.index(matching: "name == 'Bo'") == 0 && erased == AnyRealmCollection(erased))
            #expect(erased.freeze().isFrozen && erased.freeze().thaw()?.count == 1)
        }
        #expect(all[0] != all[1] && all[1] == AnyRealmCollection(dog.friends))
        var heard = 0
        let token = all[1].observe { _ in heard += 1 }
        realm.refresh()
        try realm.write { dog.friends.removeAll() }
        realm.refresh()
        #expect(heard == 2 && all[1].isEmpty && all[2].count == 1)
        token.invalidate()
        let unmanaged = List<Int>()
        unmanaged.append(objectsIn: [3, 4])
        #expect(Array(AnyRealmCollection(unmanaged)) == [3, 4] && AnyRealmCollection(unmanaged).realm == nil)
    }

    private func oldest<C: RealmCollection>(in dogs: C) -> FormDog? where C.ElementType == FormDog {
        AnyRealmCollection(dogs).sorted(by: \.age, ascending: false).first
    }

    @Test("a function over any collection may say ElementType")
    func elementType() throws {
        let realm = try realm()
        let dog = try realm.write {
            let dog = realm.create(FormDog.self, value: ["name": "Rex", "age": 2] as [String: Any])
            dog.friends.append(objectsIn: [FormDog(value: ["Bo", 7]), FormDog(value: ["Al", 5])])
            return dog
        }
        #expect(oldest(in: dog.friends)?.name == "Bo")
        #expect(oldest(in: realm.objects(FormDog.self).where { $0.age < 7 })?.name == "Al")
    }

    @Test("a map of objects is summed up and put in order by key paths")
    func maps() throws {
        let realm = try realm()
        let dog = try realm.write {
            let dog = realm.create(FormDog.self)
            for (name, age) in [("a", 5), ("b", 3)] {
                dog.byName[name] = realm.create(FormDog.self, value: ["name": name, "age": age] as [String: Any])
            }
            dog.byName["n"] = .some(nil)
            return dog
        }
        #expect(dog.byName.min(of: \.age) == 3 && dog.byName.max(of: \.age) == 5 && dog.byName.sum(of: \.age) == 8)
        #expect(dog.byName.average(of: \.age) == 4)
        #expect(dog.byName.sorted(by: \.age).compactMap { $0?.name } == ["b", "a"])
        #expect(dog.byName.contains { $0 == "n" && $1 == nil })
        #expect(dog.byName.asKeyValueSequence().map(\.0) == ["a", "b", "n"])
        try realm.write { dog.byName.merge(["a": nil, "z": nil]) { current, _ in current } }
        #expect(dog.byName.count == 4 && (dog.byName["a"] ?? nil)?.age == 5)
    }

    @Test("orders are said in every form")
    func orders() throws {
        let realm = try realm()
        try realm.write {
            for (name, age) in [("a", 2), ("b", 1), ("c", 2)] {
                realm.create(FormDog.self, value: ["name": name, "age": age] as [String: Any])
            }
        }
        let dogs = realm.objects(FormDog.self)
        let oldest: Causeway.SortDescriptor = "age"
        #expect(dogs.sorted(by: [oldest.reversed(), "name"]).map(\.name) == ["a", "c", "b"])
        #expect(
            dogs.sorted(by: [SortDescriptor(keyPath: \FormDog.age), SortDescriptor(keyPath: "name", ascending: false)])
                .map(\.name) == ["b", "c", "a"])
        #expect(dogs.sorted(by: \.name).distinct(by: [\FormDog.age]).map(\.name) == ["a", "b"])
        #expect(dogs.sorted(by: \.name).distinct(by: ["age", "name"]).count == 3)
    }

    @Test("collections and objects describe themselves to a depth, and at most a hundred elements")
    func descriptions() throws {
        let realm = try realm()
        let dog = try realm.write {
            let dog = realm.create(FormDog.self, value: ["name": "Rex", "numbers": [1, 2]] as [String: Any])
            dog.friend = dog
            return dog
        }
        #expect(dog.numbers.description == "List<int> (\n\t[0] 1,\n\t[1] 2\n)")
        #expect(dog.friends.description == "List<FormDog> (\n\n)")
        #expect(
            realm.objects(FormDog.self).description.hasPrefix("Results<FormDog> (\n\t[0] FormDog {\n\t\tname = Rex;\n"))
        // The object leads to itself, five levels deep.
        #expect(dog.description.components(separatedBy: "friend = FormDog {").count == 5)
        #expect(dog.description.contains("friend = <Maximum depth exceeded>;"))
        try realm.write { dog.numbers.append(objectsIn: 2..<120) }
        #expect(dog.numbers.description.hasSuffix("\t[99] 99\n\t... 20 objects skipped.\n)"))
        #expect(dog.description.contains("... 20 objects skipped."))
        let set = MutableSet<String>()
        set.insert("a")
        #expect(set.description == "MutableSet<string> (\n\t[0] a\n)")
    }
}
