import Causeway
import Foundation
import Testing

/// What a collection of dogs answers to each call, as text. Sets have no order, so no answer depends on one.
private func answers<C: RealmCollection>(of dogs: C) -> [String: String] where C.Element == PortedDog {
    func names(_ found: some Sequence<PortedDog>) -> String { found.map(\.name).sorted().joined() }
    var answers: [String: String] = [:]
    answers["count"] = "\(dogs.count)"
    answers["isEmpty"] = "\(dogs.isEmpty)"
    answers["a loop"] = names(dogs)
    answers["first, last"] = "\(dogs.first != nil) \(dogs.last != nil)"
    answers["[0], [n - 1]"] = "\(dogs[0].isSame(as: dogs.first)) \(dogs[dogs.count - 1].isSame(as: dogs.last))"
    answers["slice"] = "\(dogs[1..<3].count)"
    answers["index(of:)"] = "\(dogs.indices.allSatisfy { dogs.index(of: dogs[$0]) == $0 })"
    answers["index(of: another)"] = "\(dogs.index(of: PortedDog()) == nil)"
    answers["index(matching: format)"] = dogs.index(matching: "age == %@", 3).map { dogs[$0].name } ?? "nil"
    answers["index(matching: predicate)"] =
        dogs.index(matching: NSPredicate(format: "name == 'c'")).map { dogs[$0].name } ?? "nil"
    answers["index(matching: typed)"] = dogs.index(matching: { $0.age == 9 }).map { dogs[$0].name } ?? "nil"
    answers["objects(at:)"] = "\(dogs.objects(at: IndexSet([0, 2])).count)"
    answers["min(ofProperty:)"] = "\(dogs.min(ofProperty: "age") as Int? ?? -1)"
    answers["max(ofProperty:)"] = "\(dogs.max(ofProperty: "weight") as Double? ?? -1)"
    answers["sum(ofProperty:)"] = "\(dogs.sum(ofProperty: "age") as Int)"
    answers["average(ofProperty:)"] = "\(dogs.average(ofProperty: "age") as Double? ?? -1)"
    answers["min(of:)"] = "\(dogs.min(of: \.weight) ?? -1)"
    answers["max(of:)"] = "\(dogs.max(of: \.age) ?? -1)"
    answers["sum(of:)"] = "\(dogs.sum(of: \.weight))"
    answers["average(of:)"] = "\(dogs.average(of: \.weight) ?? -1 as Double)"
    answers["value(forKey:)"] = (dogs.value(forKey: "name") as [Any?]).map { $0 as? String ?? "" }.sorted().joined()
    answers["value(forKeyPath:)"] = "\(dogs.value(forKeyPath: "@max.age") as? Int ?? -1)"
    answers["isInvalidated"] = "\(dogs.isInvalidated)"
    answers["description"] = "\(dogs.description.contains("age = 3"))"
    answers["any collection"] = names(AnyRealmCollection(dogs))
    return answers
}

extension PortedDog {
    /// Whether it is the same row, or without a Realm the same instance.
    fileprivate func isSame(as other: PortedDog?) -> Bool {
        self === other || other.map { isSameObject(as: $0) } == true
    }
}

/// The same for calls that a Realm has to answer: an unmanaged collection has none.
private func managedAnswers<C: RealmCollection>(of dogs: C) -> [String: String] where C.Element == PortedDog {
    func names(_ found: some Sequence<PortedDog>) -> String { found.map(\.name).joined() }
    var answers = answers(of: dogs)
    let oldFirst = SortDescriptor(keyPath: "age", ascending: false)
    answers["filter(format)"] = names(dogs.filter("age > %@", 1).sorted(by: \.name))
    answers["filter(predicate)"] = names(dogs.filter(NSPredicate(format: "age > 1")).sorted(by: \.name))
    answers["where"] = names(dogs.where { $0.toy == nil && $0.age > 1 }.sorted(by: \.name))
    answers["sorted(byKeyPath:)"] = names(dogs.sorted(byKeyPath: "age"))
    answers["sorted(by: key path)"] = names(dogs.sorted(by: \.name, ascending: false))
    answers["sorted(by: descriptors)"] = names(dogs.sorted(by: [oldFirst]))
    answers["distinct(by: names)"] = "\(dogs.distinct(by: ["weight"]).count)"
    answers["distinct(by: key paths)"] = "\(dogs.distinct(by: [\.weight]).count)"
    answers["sectioned"] = "\(dogs.sectioned(by: \.age, ascending: true).allKeys)"
    answers["realm"] = "\(dogs.realm != nil)"
    let frozen = dogs.freeze()
    answers["freeze"] = "\(frozen.isFrozen) \(frozen.count) \(frozen.freeze().count)"
    answers["thaw"] = "\(frozen.thaw()?.isFrozen == false) \(frozen.thaw()?.count ?? -1)"
    answers["through its inverse"] = "\(dogs.allSatisfy { $0.owners.count == 2 })"
    return answers
}

private let expected = [
    "count": "4", "isEmpty": "false", "a loop": "abcd", "first, last": "true true", "[0], [n - 1]": "true true",
    "slice": "2", "index(of:)": "true", "index(of: another)": "true", "index(matching: format)": "c",
    "index(matching: predicate)": "c", "index(matching: typed)": "nil", "objects(at:)": "2", "min(ofProperty:)": "1",
    "max(ofProperty:)": "2.5", "sum(ofProperty:)": "10", "average(ofProperty:)": "2.5", "min(of:)": "0.5",
    "max(of:)": "4", "sum(of:)": "3.5", "average(of:)": "1.1666666666666667", "value(forKey:)": "abcd",
    "value(forKeyPath:)": "4", "isInvalidated": "false", "description": "true", "any collection": "abcd",
]

private let expectedManaged = expected.merging(
    [
        "filter(format)": "bcd", "filter(predicate)": "bcd", "where": "bcd", "sorted(byKeyPath:)": "abcd",
        "sorted(by: key path)": "dcba", "sorted(by: descriptors)": "dcba", "distinct(by: names)": "3",
        "distinct(by: key paths)": "3", "sectioned": "[1, 2, 3, 4]", "realm": "true", "freeze": "true 4 4",
        "thaw": "true 4", "through its inverse": "true",
    ], uniquingKeysWith: { $1 })

class PortedKennel: Object {
    @Persisted var list: List<PortedDog>
    @Persisted var set: MutableSet<PortedDog>
    @Persisted var map: Map<String, PortedDog?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Collections of objects in every state")
struct ObjectCollectionTests {
    fileprivate static var dogs: [[String: Any]] {
        [
            ["name": "a", "age": 1, "weight": 0.5], ["name": "b", "age": 2, "weight": 0.5],
            ["name": "c", "age": 3, "weight": 2.5], ["name": "d", "age": 4],
        ]
    }

    fileprivate static func differences(_ found: [String: String], _ expected: [String: String]) -> [String] {
        expected.filter { found[$0.key] != $0.value }
            .map { "\($0.key): \(found[$0.key] ?? "no answer") instead of \($0.value)" }.sorted()
            + found.keys.filter { expected[$0] == nil }
    }

    @Test("answer alike, managed, frozen, thawed and unmanaged")
    func states() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [
                    PortedOwner.self, PortedDog.self, PortedToy.self, PortedAddress.self, PortedKennel.self,
                ]))
        let (owner, kennel) = try realm.write {
            let owner = realm.create(PortedOwner.self, value: ["id": 1, "dogs": Self.dogs] as [String: Any])
            let kennel = realm.create(PortedKennel.self)
            kennel.list.append(objectsIn: owner.dogs)
            kennel.set.insert(objectsIn: owner.dogs)
            for dog in owner.dogs { kennel.map[dog.name] = dog }
            // Each dog has two owners, and the second one has no other dogs.
            realm.create(PortedOwner.self, value: ["id": 2, "dogs": Array(owner.dogs)] as [String: Any])
            return (owner, kennel)
        }
        let all = realm.objects(PortedDog.self)
        let everyState: [(String, [String: String])] = [
            ("list", managedAnswers(of: owner.dogs)),
            ("frozen list", managedAnswers(of: owner.dogs.freeze())),
            ("list of a frozen object", managedAnswers(of: owner.freeze().dogs)),
            ("thawed list", managedAnswers(of: try #require(owner.dogs.freeze().thaw()))),
            ("set", managedAnswers(of: kennel.set)),
            ("frozen set", managedAnswers(of: kennel.set.freeze())),
            ("set of a frozen object", managedAnswers(of: kennel.freeze().set)),
            ("results", managedAnswers(of: all)),
            ("frozen results", managedAnswers(of: all.freeze())),
            ("filtered results", managedAnswers(of: all.filter("age < 100"))),
            ("sorted results", managedAnswers(of: all.sorted(by: \.name))),
            ("distinct results", managedAnswers(of: all.distinct(by: ["name"]))),
            ("results of a list", managedAnswers(of: owner.dogs.where { $0.age < 100 })),
            ("results of a frozen list", managedAnswers(of: owner.dogs.freeze().sorted(by: \.age))),
            ("any collection of a list", managedAnswers(of: AnyRealmCollection(owner.dogs))),
            ("any collection of frozen results", managedAnswers(of: AnyRealmCollection(all.freeze()))),
        ]
        for (state, answers) in everyState {
            #expect(Self.differences(answers, expectedManaged) == [], "\(state)")
        }
    }

    @Test("answer alike where no Realm manages them, and stop where only a Realm can answer")
    func unmanaged() async {
        await #expect(processExitsWith: .success) {
            let owner = PortedOwner(value: ["dogs": ObjectCollectionTests.dogs])
            #expect(ObjectCollectionTests.differences(answers(of: owner.dogs), expected) == [])
            let kennel = PortedKennel()
            kennel.set.insert(objectsIn: owner.dogs)
            #expect(ObjectCollectionTests.differences(answers(of: kennel.set), expected) == [])
            for dog in owner.dogs { kennel.map[dog.name] = dog }
            #expect(kennel.map.count == 4 && kennel.map.keys.sorted() == ["a", "b", "c", "d"])
            #expect(kennel.map.sum(of: \.age) == 10 && kennel.map.max(ofProperty: "weight") as Double? == 2.5)
        }
        await #expect(processExitsWith: .failure) { _ = List<PortedDog>().filter("age == 1") }
        await #expect(processExitsWith: .failure) { _ = MutableSet<PortedDog>().where { $0.age == 1 } }
        await #expect(processExitsWith: .failure) { _ = List<PortedDog>().sorted(by: \.name) }
        await #expect(processExitsWith: .failure) { _ = List<PortedDog>().distinct(by: ["name"]) }
    }

    @Test("a map answers alike in every state")
    func maps() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [
                    PortedOwner.self, PortedDog.self, PortedToy.self, PortedAddress.self, PortedKennel.self,
                ]))
        let kennel = try realm.write {
            let kennel = realm.create(PortedKennel.self)
            for dog in Self.dogs {
                kennel.map[dog["name"] as? String ?? ""] = realm.create(PortedDog.self, value: dog)
            }
            return kennel
        }
        func answers(_ map: Map<String, PortedDog?>) -> [String] {
            [
                "\(map.count)", map.keys.sorted().joined(), map.values.compactMap { $0?.name }.sorted().joined(),
                map["c"].flatMap { $0 }?.name ?? "nil", "\(map["x"] == nil)", "\(map.sum(of: \.age))",
                "\(map.min(ofProperty: "age") as Int? ?? -1)", "\(map.average(ofProperty: "age") as Double? ?? -1)",
                map.where { $0.age > 2 }.compactMap { $0?.name }.sorted().joined(),
                map.filter("age > 2").compactMap { $0?.name }.sorted().joined(),
                map.sorted(byKeyPath: "age", ascending: false).compactMap { $0?.name }.joined(),
                "\(map.isInvalidated)", "\(map.realm != nil)",
            ]
        }
        let expected = ["4", "abcd", "abcd", "c", "true", "10", "1", "2.5", "cd", "cd", "dcba", "false", "true"]
        #expect(answers(kennel.map) == expected)
        #expect(answers(kennel.map.freeze()) == expected)
        #expect(answers(kennel.freeze().map) == expected)
        #expect(answers(try #require(kennel.map.freeze().thaw())) == expected)
    }
}
