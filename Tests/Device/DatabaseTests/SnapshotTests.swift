import Causeway
import Foundation
import Testing

enum SnapSize: Int, PersistableEnum {
    case small = 1
    case large = 2
}

struct SnapAngle: CustomPersistable {
    var degrees: Double
    init(degrees: Double) { self.degrees = degrees }
    init(persistedValue: Double) { degrees = persistedValue }
    var persistableValue: Double { degrees }
}

final class SnapDog: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var name = ""
    @Persisted var age: Int?
    @Persisted var width: Int8
    @Persisted var weight = 0.0
    @Persisted var born: Date?
    @Persisted var photo: Data
    @Persisted var chip: UUID?
    @Persisted var price: Decimal128
    @Persisted var isGood = true
    @Persisted var size = SnapSize.small
    @Persisted var angle: SnapAngle
    @Persisted var barks: Counter
    @Persisted var anything: AnyRealmValue
    @Persisted var owner: SnapPerson?
    @Persisted var home: SnapHome?
    @Persisted var tags: List<String>
    @Persisted var nights: List<Int?>
    @Persisted var sizes: MutableSet<SnapSize>
    @Persisted var scores: Map<String, Int>
    @Persisted var friends: List<SnapDog>
    @Persisted var homes: List<SnapHome>
    @Persisted var fans: MutableSet<SnapPerson>
    @Persisted var roles: Map<String, SnapPerson?>
}

final class SnapPerson: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted var age = 0
    @Persisted var boss: SnapPerson?
    @Persisted(originProperty: "owner") var dogs: LinkingObjects<SnapDog>
}

final class SnapHome: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var landlord: SnapPerson?
}

final class SnapNote: Object {
    @Persisted var text = ""
    @Persisted var other: SnapNote?
}

/// Another isolation than the test's.
private actor Keeper {
    private(set) var kept: [Snapshot<SnapDog>] = []

    func keep(_ snapshots: [Snapshot<SnapDog>]) { kept += snapshots }

    func names() -> [String] { kept.map(\.name) }
}

@Suite struct SnapshotTests {
    private func realm() throws -> Realm {
        try Realm(
            configuration: .init(
                inMemoryIdentifier: "snapshots-\(UUID())",
                objectTypes: [SnapDog.self, SnapPerson.self, SnapHome.self, SnapNote.self]))
    }

    private func dog() -> SnapDog {
        let dog = SnapDog()
        dog.name = "Rex"
        dog.age = 3
        dog.width = -7
        dog.weight = 12.5
        dog.born = Date(timeIntervalSince1970: 1_000_000)
        dog.photo = Data([1, 2, 3])
        dog.chip = UUID()
        dog.price = "12.50"
        dog.size = .large
        dog.angle = SnapAngle(degrees: 90)
        dog.barks = 5
        dog.anything = .string("ball")
        dog.owner = SnapPerson(value: ["ann", 30, ["eve", 50]] as [Any])
        dog.home = SnapHome(value: ["High Street", ["bob", 60]] as [Any])
        dog.tags.append(objectsIn: ["good", "fast"])
        dog.nights.append(objectsIn: [1, nil, 3])
        dog.sizes.insert(.small)
        dog.scores["run"] = 9
        dog.friends.append(SnapDog(value: ["name": "Fido"]))
        dog.homes.append(SnapHome(value: ["Low Street"]))
        dog.fans.insert(SnapPerson(value: ["joe"]))
        dog.roles["walker"] = SnapPerson(value: ["kim", 20])
        dog.roles["nobody"] = .some(nil)
        return dog
    }

    private func check(_ snapshot: Snapshot<SnapDog>, _ dog: SnapDog) {
        #expect(snapshot.id == dog.id)
        #expect(snapshot.name == "Rex")
        #expect(snapshot.age == 3)
        #expect(snapshot.width == -7)
        #expect(snapshot.weight == 12.5)
        #expect(snapshot.born == Date(timeIntervalSince1970: 1_000_000))
        #expect(snapshot.photo == Data([1, 2, 3]))
        #expect(snapshot.chip == dog.chip)
        #expect(snapshot.price == "12.50")
        #expect(snapshot.isGood)
        #expect(snapshot.size == .large)
        #expect(snapshot.angle.degrees == 90)
        #expect(snapshot.barks == 5)
        #expect(snapshot.anything.stringValue == "ball")
        #expect(snapshot.home?.street == "High Street")
        #expect(snapshot.home?.landlord?.name == "bob")
        #expect(snapshot.home?.landlord?.isReference == true)
        #expect(snapshot.tags == ["good", "fast"])
        #expect(snapshot.nights == [1, nil, 3])
        #expect(snapshot.sizes == [.small])
        #expect(snapshot.scores == ["run": 9])
        #expect(snapshot.owner?.name == "ann")
        #expect(snapshot.owner?.isReference == true)
        #expect(snapshot.friends.map(\.id) == dog.friends.map(\.id))
        #expect(snapshot.homes.map(\.street) == ["Low Street"])
        #expect(snapshot.fans.map(\.name) == ["joe"])
        #expect(snapshot.roles.mapValues(\.name) == ["walker": "kim"])
        #expect(!snapshot.isReference)
    }

    @Test("an unmanaged, a managed and a frozen object give the same snapshot, with every type of property")
    func everyType() throws {
        let realm = try realm()
        let dog = dog()
        let before = dog.snapshot()
        check(before, dog)
        try realm.write { realm.add(dog) }
        let managed = dog.snapshot()
        check(managed, dog)
        #expect(managed == before)
        #expect(managed.hashValue == before.hashValue)
        let frozen = dog.freeze()
        try realm.write {
            dog.name = "Max"
            dog.tags.removeAll()
        }
        #expect(frozen.snapshot() == before)
        #expect(dog.snapshot() != before)
        check(managed, dog)
        try realm.write { realm.delete(dog) }
        #expect(managed.name == "Rex")
    }

    @Test("a depth says how many links are followed")
    func depth() throws {
        let realm = try realm()
        let dog = dog()
        #expect(dog.snapshot(depth: 1).owner?.boss?.name == "eve")
        try realm.write {
            realm.add(dog)
            dog.friends.append(dog)
        }
        let one = dog.snapshot(depth: 1)
        #expect(one.owner?.age == 30)
        #expect(one.owner?.boss?.name == "eve")
        #expect(one.owner?.boss?.isReference == true)
        #expect(one.home?.landlord?.age == 60)
        #expect(one.friends[1].friends[1].isReference)
        #expect(dog.snapshot(depth: 2).owner?.boss?.age == 50)
        #expect(dog.snapshot(depth: 3).friends[1].friends[1].friends[1].name == "Rex")
    }

    @Test("snapshots of results cross to another actor and a task")
    func crossing() async throws {
        let realm = try await Task { @MainActor in
            let realm = try self.realm()
            try realm.write {
                for name in ["Rex", "Max", "Bo"] { realm.create(SnapDog.self, value: ["name": name]) }
            }
            return realm.objects(SnapDog.self).sorted(byKeyPath: "name").snapshots()
        }.value
        let keeper = Keeper()
        await keeper.keep(realm)
        #expect(await keeper.names() == ["Bo", "Max", "Rex"])
        let kept = await keeper.kept
        #expect(kept == realm)
        #expect(Set(kept).count == 3)
        let length = await Task.detached { kept.reduce(0) { $0 + $1.name.count } }.value
        #expect(length == 8)
    }

    @Test("a snapshot is written back where it differs, and finds what its references mean")
    func writingBack() throws {
        let realm = try realm()
        let dog = dog()
        try realm.write { realm.add(dog) }
        let snapshot = dog.snapshot()
        try realm.write {
            dog.name = "Max"
            dog.tags.removeAll()
            dog.home = nil
            dog.owner = nil
            dog.age = nil
            dog.scores["run"] = 1
            dog.roles.removeAll()
        }
        #expect(dog.snapshot() != snapshot)
        try realm.write { _ = realm.create(SnapDog.self, value: snapshot, update: .modified) }
        #expect(dog.snapshot() == snapshot)
        #expect(realm.objects(SnapDog.self).count == 2)
        #expect(realm.objects(SnapPerson.self).count == 5)
        // Somebody it knew is gone: no link, and no empty person.
        try realm.write {
            realm.delete(realm.object(ofType: SnapPerson.self, forPrimaryKey: "ann")!)
            realm.create(SnapDog.self, value: snapshot, update: .modified)
        }
        #expect(dog.owner == nil)
        #expect(realm.objects(SnapPerson.self).count == 4)
        // Elsewhere, with everything it holds.
        let other = try self.realm()
        try other.write { _ = other.create(SnapDog.self, value: snapshot) }
        let copy = try #require(other.objects(SnapDog.self).first)
        #expect(copy.tags.map { $0 } == ["good", "fast"])
        #expect(copy.owner == nil && copy.home?.street == "High Street")
        let deep = dog.snapshot(depth: 1)
        try other.write { _ = other.create(SnapDog.self, value: deep, update: .all) }
        #expect(copy.friends.map(\.name) == ["Fido"])
        #expect(SnapDog(value: snapshot).snapshot().tags == snapshot.tags)
    }

    @Test("links to objects without a primary key stay as they are when a snapshot is written back")
    func withoutPrimaryKey() throws {
        let realm = try realm()
        let note = SnapNote(value: ["a", ["b"]] as [Any])
        try realm.write { realm.add(note) }
        let snapshot = note.snapshot()
        #expect(snapshot.other?.isReference == true)
        try realm.write { _ = realm.create(SnapNote.self, value: snapshot) }
        #expect(realm.objects(SnapNote.self).map { $0.other?.text } == ["b", nil, nil])
        try realm.write { _ = realm.create(SnapNote.self, value: note.snapshot(depth: 1)) }
        #expect(realm.objects(SnapNote.self).last?.other?.text == "b" || realm.objects(SnapNote.self).count == 5)
    }

    @Test("mixed values are in it, and links of mixed properties by their primary key")
    func mixed() throws {
        let realm = try realm()
        let dog = dog()
        try realm.write {
            realm.add(dog)
            dog.anything = .object(SnapPerson(value: ["zoe", 7]))
        }
        let snapshot = dog.snapshot()
        #expect(snapshot.anything.object(SnapPerson.self)?.name == "zoe")
        try realm.write {
            dog.anything = .none
            realm.create(SnapDog.self, value: snapshot, update: .modified)
        }
        #expect(dog.anything.object(SnapPerson.self)?.age == 7)
    }

    @Test("coded and read again it is the same; what has no place in the class is refused")
    func coding() throws {
        let realm = try realm()
        let dog = dog()
        try realm.write { realm.add(dog) }
        for depth in 0...2 {
            let snapshot = dog.snapshot(depth: depth)
            let bytes = try JSONEncoder().encode(snapshot)
            #expect(try JSONDecoder().decode(Snapshot<SnapDog>.self, from: bytes) == snapshot)
        }
        let bytes = try JSONEncoder().encode(dog.snapshot())
        var json = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        #expect((json["owner"] as? [String: Any])?.keys.sorted() == ["name"])
        #expect(json["barks"] as? Int == 5)
        for (name, value) in [("width", 1000), ("size", 9), ("sizes", [9]), ("name", 3), ("anything", ["what": 1])]
            as [(String, Any)]
        {
            var damaged = json
            damaged[name] = value
            let bytes = try JSONSerialization.data(withJSONObject: damaged)
            #expect(throws: DecodingError.self, "\(name)") {
                try JSONDecoder().decode(Snapshot<SnapDog>.self, from: bytes)
            }
        }
        json["name"] = nil
        let missing = try JSONSerialization.data(withJSONObject: json)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Snapshot<SnapDog>.self, from: missing) }
    }

    @Test("a snapshot describes itself with its properties")
    func description() {
        #expect("\(dog().snapshot())".contains("name: Rex"))
    }
}
