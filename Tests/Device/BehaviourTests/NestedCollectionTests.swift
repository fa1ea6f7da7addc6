import Causeway
import Foundation
import Testing

@Suite("Lists and dictionaries inside of AnyRealmValue")
struct NestedCollectionTests {
    private let realm: Realm

    init() throws {
        realm = try memoryRealm(readPage)
    }

    private func rex(_ companion: AnyRealmValue) throws -> Dog {
        try realm.write { realm.create(Dog.self, value: ["name": "Rex", "companion": companion] as [String: Any]) }
    }

    /// A value of so many lists and dictionaries, one in the other, with a text in the innermost.
    private static func tower(_ levels: Int) -> AnyRealmValue {
        (1...levels).reduce(.string("ground")) { inner, level in
            level.isMultiple(of: 2) ? .fromDictionary(["in": inner]) : .fromArray([inner])
        }
    }

    private static func ground(of value: AnyRealmValue) -> (value: AnyRealmValue, levels: Int) {
        var (value, levels) = (value, 0)
        while let inner = value.listValue?.first ?? value.dictionaryValue?["in"] {
            value = inner
            levels += 1
        }
        return (value, levels)
    }

    @Test("S046 a mixed property is a list or a dictionary, and works as one that is not mixed")
    func unstructuredData() throws {
        let dog = try rex(.fromArray([.string("Spot"), .int(3), .none]))
        let list = try #require(dog.companion.listValue)
        #expect(list.count == 3)
        #expect(Array(list) == [.string("Spot"), .int(3), .none])
        #expect(list.realm == realm)
        try realm.write {
            list.append(.bool(true))
            list.insert(.double(1.5), at: 0)
            list.remove(at: 1)
            list.move(from: 0, to: 2)
            list.swapAt(0, 1)
        }
        #expect(Array(list) == [.none, .int(3), .double(1.5), .bool(true)])
        #expect(list.index(of: .double(1.5)) == 2)
        try realm.write { list.removeAll() }
        #expect(dog.companion.listValue?.isEmpty == true)

        try realm.write { dog.companion = .fromDictionary(["name": .string("Fluffy"), "age": .int(4)]) }
        #expect(list.isInvalidated)
        let map = try #require(dog.companion.dictionaryValue)
        #expect(map.keys == ["age", "name"])
        #expect(map["name"] == .string("Fluffy"))
        #expect(map["none"] == nil)
        try realm.write {
            map["age"] = nil
            map["weight"] = .float(3.5)
            map.merge(["name": .string("Tom")]) { $1 }
        }
        #expect(map.map { $0.key } == ["name", "weight"])
        #expect(map.contains { $0 == "name" && $1 == .string("Tom") })
        try realm.write { map.removeAll() }
        #expect(map.count == 0)
        #expect(dog.companion.listValue == nil)
        try realm.write { dog.companion = .int(1) }
        #expect(map.isInvalidated)
        #expect(dog.companion == .int(1))
    }

    @Test("S046 collections stand in lists and maps of mixed values too, and are made from arrays and dictionaries")
    func inCollections() throws {
        let realm = try memoryRealm([NestedThing.self])
        let thing = try realm.write {
            realm.create(
                NestedThing.self,
                value: [
                    "id": 1, "any": ["a": [1, "two", ["three": 3.0]] as [Any], "b": NSNull()] as [String: Any],
                    "list": [1, ["x", ["y": "z"]] as [Any]] as [Any],
                    "map": ["k": ["deep": [true]] as [String: Any]],
                ] as [String: Any])
        }
        let inner = try #require(thing.any.dictionaryValue?["a"]?.listValue)
        #expect(inner[0] == .int(1))
        #expect(inner[1] == .string("two"))
        #expect(inner[2].dictionaryValue?["three"] == .double(3))
        #expect(thing.any.dictionaryValue?["b"] == AnyRealmValue.none)
        #expect(thing.list[1].listValue?[1].dictionaryValue?["y"] == .string("z"))
        #expect(thing.map["k"]?.dictionaryValue?["deep"]?.listValue?.first == .bool(true))
        try realm.write {
            thing.list[1] = .fromDictionary(["now": .int(2)])
            thing.map["k"] = .fromArray([])
            thing.list.append(.fromArray([.int(9)]))
        }
        #expect(thing.list[1].dictionaryValue?["now"] == .int(2))
        #expect(thing.list[2].listValue.map(Array.init) == [.int(9)])
        #expect(thing.map["k"]?.listValue?.count == 0)
    }

    @Test("S047 one hundred levels are accepted")
    func hundredLevels() throws {
        let dog = try rex(Self.tower(100))
        let ground = Self.ground(of: dog.companion)
        #expect(ground.levels == 100)
        #expect(ground.value == .string("ground"))
        try realm.write { dog.companion = .none }
        #expect(dog.companion == .none)
    }

    @Test("S047 level 101 is refused, at once and in the innermost of a hundred")
    func levelTooMany() async {
        let atOnce = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let dog = Dog()
            dog.companion = NestedCollectionTests.tower(101)
            let realm = try memoryRealm(readPage)
            try realm.write { realm.add(dog) }
        }
        #expect(lastWords(atOnce).contains("Max nesting level reached"))
        let inPlace = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let dog = Dog()
            dog.companion = NestedCollectionTests.tower(100)
            let realm = try memoryRealm(readPage)
            try realm.write {
                realm.add(dog)
                var innermost = dog.companion
                while let inner = innermost.listValue?.first ?? innermost.dictionaryValue?["in"],
                    inner.listValue != nil || inner.dictionaryValue != nil
                {
                    innermost = inner
                }
                innermost.listValue?.append(.fromArray([]))
                innermost.dictionaryValue?["more"] = .fromArray([])
            }
        }
        #expect(lastWords(inPlace).contains("Max nesting level reached"))
    }

    @Test("S049 single elements are found and updated in place, at any level")
    func elementAccess() throws {
        let dog = try rex(
            .fromDictionary([
                "toys": .fromArray([.fromDictionary(["name": .string("Ball")]), .string("Stick")]), "age": .int(2),
            ]))
        let toys = try #require(dog.companion.dictionaryValue?["toys"]?.listValue)
        let ball = try #require(toys[0].dictionaryValue)
        try realm.write {
            dog.companion.dictionaryValue?["age"] = .int(3)
            dog.companion.dictionaryValue?["toys"]?.listValue?[0].dictionaryValue?["name"] = .string("Red ball")
            dog.companion.dictionaryValue?["toys"]?.listValue?[1] = .fromArray([.int(7)])
        }
        #expect(ball["name"] == .string("Red ball"))
        #expect(toys[1].listValue?.first == .int(7))
        #expect(dog.companion.dictionaryValue?["age"] == .int(3))
        #expect(toys == dog.companion.dictionaryValue?["toys"]?.listValue)
        try realm.write { toys.remove(at: 0) }
        #expect(ball.isInvalidated)
        #expect(!toys.isInvalidated)
        try realm.write { dog.companion = dog.companion }
        #expect(!toys.isInvalidated)
    }

    @Test("S050 a set holds no collections")
    func exclusions() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try memoryRealm([NestedThing.self])
            try realm.write {
                let thing = realm.create(NestedThing.self, value: ["id": 1])
                thing.set.insert(.fromArray([.int(1)]))
            }
        }
        #expect(lastWords(result).contains("MutableSet<AnyRealmValue> are not supported"))
    }

    @Test("S051 a map where each value has a unique id, a list where order matters")
    func guidance() throws {
        let dog = try rex(
            .fromDictionary([
                "byId": .fromDictionary(["id2": .string("second"), "id1": .string("first")]),
                "inOrder": .fromArray([.string("second"), .string("first")]),
            ]))
        let map = dog.companion.dictionaryValue
        #expect(map?["byId"]?.dictionaryValue?["id1"] == .string("first"))
        #expect(map?["inOrder"]?.listValue.map(Array.init) == [.string("second"), .string("first")])
    }
}

// MARK: - Queries and observers

extension NestedCollectionTests {
    private func dogs(_ companions: [String: AnyRealmValue]) throws -> Results<Dog> {
        try realm.write {
            for (name, companion) in companions {
                realm.create(Dog.self, value: ["name": name, "companion": companion] as [String: Any])
            }
        }
        return realm.objects(Dog.self).sorted(byKeyPath: "name")
    }

    @Test("S048 nested collections are queried by position, by key, and over all elements, at any depth")
    func queries() throws {
        let dogs = try dogs([
            "list": .fromArray([.int(1), .string("two"), .fromArray([.int(3)])]),
            "map": .fromDictionary(["a": .int(1), "b": .fromDictionary(["c": .string("deep")])]),
            "both": .fromDictionary(["a": .fromArray([.int(7), .fromDictionary(["x": .double(2.5)])])]),
            "scalar": .int(1), "none": .none,
        ])
        #expect(names(dogs.filter("companion[0] == 1")) == ["list"])
        #expect(names(dogs.filter("companion[1] BEGINSWITH 'tw'")) == ["list"])
        #expect(names(dogs.filter("companion[2][0] == 3")) == ["list"])
        #expect(names(dogs.filter("companion['a'] == 1")) == ["map"])
        #expect(names(dogs.filter("companion['b']['c'] == %@", "deep")) == ["map"])
        #expect(names(dogs.filter("companion[%@][%@]['x'] > 2", "a", 1)) == ["both"])
        #expect(names(dogs.filter("ANY companion[*] == 1")) == ["list", "map"])
        #expect(names(dogs.filter("companion[#any][#any] == 7")) == ["both"])
        #expect(names(dogs.filter("ANY companion['a'][*] > 5")) == ["both"])
        #expect(names(dogs.filter("NONE companion[*] == 1")) == ["both", "none", "scalar"])
        #expect(names(dogs.filter("companion[0] == nil")) == ["both", "map", "none", "scalar"])
        #expect(names(dogs.filter("companion.@count == 3")) == ["list"])
        #expect(names(dogs.filter("companion['a'].@size == 2")) == ["both"])
        #expect(names(dogs.filter("companion.@keys == 'b'")) == ["map"])
        #expect(names(dogs.filter(NSPredicate(format: "companion['a'] == %@", 1))) == ["map"])

        #expect(names(dogs.where { $0.companion[0] == .int(1) }) == ["list"])
        #expect(names(dogs.where { $0.companion["b"]["c"] == .string("deep") }) == ["map"])
        #expect(names(dogs.where { $0.companion.any == .int(1) }) == ["list", "map"])
        #expect(names(dogs.where { $0.companion.any.any == .int(7) }) == ["both"])
        #expect(names(dogs.where { $0.companion["a"][1]["x"] == .double(2.5) }) == ["both"])
        #expect(names(dogs.where { !($0.companion.any == .int(1)) }) == ["both", "none", "scalar"])
    }

    @Test("S048 results follow what changes in nested collections, in a write and after it")
    func liveResults() throws {
        let dogs = try dogs(["Rex": .fromDictionary(["tags": .fromArray([.string("old")])])])
        let late = dogs.where { $0.companion["tags"].any == .string("late") }
        let tags = try #require(dogs[0].companion.dictionaryValue?["tags"]?.listValue)
        #expect(late.isEmpty)
        try realm.write {
            tags.append(.string("late"))
            #expect(late.count == 1)
            tags.removeLast()
            #expect(late.isEmpty)
            tags[0] = .string("late")
        }
        #expect(names(late) == ["Rex"])
        try realm.write { dogs[0].companion = .none }
        #expect(late.isEmpty)
    }

    @Test("S048 a nested list is observed by position, a nested dictionary by key")
    func observed() throws {
        let dog = try rex(.fromDictionary(["list": .fromArray([.int(1), .fromArray([.int(2)])]), "n": .int(1)]))
        let list = try #require(dog.companion.dictionaryValue?["list"]?.listValue)
        let map = try #require(dog.companion.dictionaryValue)
        var listChanges: [[[Int]]] = []
        var mapChanges: [[[String]]] = []
        let listToken = list.observe { change in
            if case .update(_, let deletions, let insertions, let modifications) = change {
                listChanges.append([deletions, insertions, modifications])
            }
        }
        let mapToken = map.observe { change in
            if case .update(_, let deletions, let insertions, let modifications) = change {
                mapChanges.append([deletions, insertions, modifications])
            }
        }
        defer {
            listToken.invalidate()
            mapToken.invalidate()
        }
        realm.refresh()
        try realm.write { list.append(.string("x")) }
        realm.refresh()
        try realm.write { list[1].listValue?[0] = .int(3) }
        realm.refresh()
        try realm.write {
            map["n"] = nil
            map["m"] = .int(5)
        }
        realm.refresh()
        #expect(listChanges == [[[], [2], []], [[], [], [1]]])
        #expect(mapChanges == [[[], [], ["list"]], [[], [], ["list"]], [["n"], ["m"], []]])
    }

    @Test("S048 the object that holds nested collections tells of changes at every level, and so do results")
    func ownerObserved() throws {
        let dog = try rex(.fromArray([.fromDictionary(["deep": .fromArray([.int(1)])])]))
        var properties: [[String]] = []
        var modifications: [[Int]] = []
        let objectToken = dog.observe { (change: ObjectChange<Dog>) in
            if case .change(_, let changes) = change { properties.append(changes.map(\.name)) }
        }
        let resultsToken = realm.objects(Dog.self).observe(keyPaths: ["companion"]) { change in
            if case .update(_, _, _, let modified) = change { modifications.append(modified) }
        }
        defer {
            objectToken.invalidate()
            resultsToken.invalidate()
        }
        realm.refresh()
        try realm.write { dog.companion.listValue?[0].dictionaryValue?["deep"]?.listValue?.append(.int(2)) }
        realm.refresh()
        try realm.write { dog.name = "Max" }
        realm.refresh()
        try realm.write { dog.companion.listValue?[0].dictionaryValue?["more"] = AnyRealmValue.none }
        realm.refresh()
        #expect(properties == [["companion"], ["name"], ["companion"]])
        #expect(modifications == [[0], [0]])
    }
}

class NestedThing: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var any: AnyRealmValue
    @Persisted var list: List<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>
    @Persisted var set: MutableSet<AnyRealmValue>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
