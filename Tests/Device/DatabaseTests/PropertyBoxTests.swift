import CausewayModel
import Foundation
import Synchronization
import Testing

@testable import Causeway

enum Box: Int, RealmEnum { case small, large }

class BoxedDog: Object {
    let number = RealmProperty<Int?>()
    let size = RealmProperty<Box?>()
    let anything = RealmProperty<AnyRealmValue>()
    let friends = List<BoxedDog>()
    let names = List<String>()
    let cities = MutableSet<String>()
    let scores = Map<String, Int>()
    let admirers = LinkingObjects(fromType: BoxedDog.self, property: "friends")
    let ignored = List<Int>()
    var plain = "not persisted"

    override class func primaryKey() -> String? { "number" }
    override class func indexedProperties() -> [String] { ["size"] }
    override class func ignoredProperties() -> [String] { ["ignored"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private enum Older {
    class BoxedNote: Object {
        let lines = List<String>()
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private enum Newer {
    class BoxedNote: Object {
        let lines = List<String>()
        let pages = RealmProperty<Int?>()
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

/// One persisted property makes the older style an ordinary one.
class MixedStyles: Object {
    @Persisted var name = ""
    let list = List<Int>()
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class BoxedRecord: Object, Encodable {
    let number = RealmProperty<Int?>()
    let old = RealmOptional<Double>(1.5)
    let names = List<String>()
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Properties that a class declares with let")
struct PropertyBoxTests {
    private func realm() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [BoxedDog.self]))
    }

    private func pack(_ realm: Realm) throws -> (BoxedDog, BoxedDog) {
        let (first, second) = (BoxedDog(), BoxedDog())
        first.number.value = 1
        first.size.value = .large
        first.anything.value = .object(second)
        first.friends.append(second)
        first.names.append(objectsIn: ["Rex", "Rexy"])
        first.cities.insert("Boston")
        first.scores["sit"] = 3
        second.number.value = 2
        second.friends.append(first)
        try realm.write { realm.add(first) }
        return (first, second)
    }

    @Test("they are found by their types; superclasses first, ignored ones left out")
    func discovery() {
        let model = ObjectModel.of(BoxedDog.self)
        #expect(
            model.properties.map(\.name) == ["number", "size", "anything", "friends", "names", "cities", "scores"])
        #expect(model.properties.map(\.shape.collection) == [.none, .none, .none, .list, .list, .set, .map])
        #expect(model.primaryKey?.name == "number")
        #expect(model.properties.filter(\.isIndexed).map(\.name) == ["size"])
        #expect(model.inverses.map(\.name) == ["admirers"] && model.inverses[0].property == "friends")
        #expect(!model.holdsOnlyRows)
        #expect(ObjectModel.of(MixedStyles.self).properties.map(\.name) == ["name"])
    }

    @Test("a circle of objects is added as it is, and all of it is live")
    func circle() throws {
        let realm = try realm()
        let (first, second) = try pack(realm)
        #expect(second.friends[0].isSameObject(as: first) && first.admirers[0].isSameObject(as: second))
        #expect(second.admirers.count == 1 && first.anything.value.object(BoxedDog.self)?.number.value == 2)
        let names = first.names
        try realm.write {
            names.append("Max")
            realm.create(
                BoxedDog.self,
                value: ["number": 3, "names": ["Bo"], "friends": [first], "scores": ["roll": 1]] as [String: Any])
        }
        #expect(Array(realm.object(ofType: BoxedDog.self, forPrimaryKey: 1)!.names) == ["Rex", "Rexy", "Max"])
        #expect(first.admirers.count == 2)
        let third = try #require(realm.object(ofType: BoxedDog.self, forPrimaryKey: 3))
        #expect(third.scores["roll"] == 1 && third["names"] as? List<String> == third.names)
        #expect(third.value(forKeyPath: "friends.@max.number") as? Int == 1)
        try realm.write {
            third.number.value = 3
            third["anything"] = "text"
            third["names"] = ["a", "b"]
        }
        #expect(third.anything.value == .string("text") && Array(third.names) == ["a", "b"])
    }

    @Test("an update writes what it is given; a whole object replaces everything")
    func updates() throws {
        let realm = try realm()
        let (first, _) = try pack(realm)
        try realm.write {
            realm.create(BoxedDog.self, value: ["number": 1, "size": Box.small] as [String: Any], update: .modified)
        }
        #expect(first.size.value == .small && first.names.count == 2)
        let other = BoxedDog()
        other.number.value = 1
        other.names.append("Solo")
        try realm.write { realm.add(other, update: .all) }
        #expect(Array(first.names) == ["Solo"] && first.friends.isEmpty && first.size.value == nil)
        #expect(other.isSameObject(as: first) && Array(other.names) == ["Solo"])
    }

    @Test("loops, queries and key paths see them")
    func queries() throws {
        let realm = try realm()
        let (first, _) = try pack(realm)
        let dogs = realm.objects(BoxedDog.self)
        // Each turn of a loop has an object of its own: what it holds cannot move on.
        let lists = dogs.sorted(byKeyPath: "number").map(\.names)
        #expect(Array(lists[0]) == ["Rex", "Rexy"] && Array(lists[1]).isEmpty)
        #expect(dogs.where { $0.number == 1 }.count == 1)
        #expect(dogs.where { $0.names.contains("Rexy") }.first == first)
        #expect(dogs.where { $0.friends.number == 2 }.first == first)
        #expect(dogs.where { $0.scores["sit"] == 3 }.first == first)
        #expect(dogs.where { $0.admirers.number == 1 }.first?.number.value == 2)
        #expect(dogs.where { $0.anything == .none }.count == 1)
        #expect(dogs.filter("size == 1 AND ANY friends.number == 2 AND 'Boston' IN cities").count == 1)
        #expect(_name(for: \BoxedDog.names) == "names" && _name(for: \BoxedDog.number) == "number")
        #expect(_name(for: \BoxedDog.number.value) == "number")
        #expect(_name(for: \BoxedDog.friends[0].names) == "friends.names")
        #expect(_name(for: \BoxedDog.admirers[0].admirers) == "admirers.admirers")
        #expect(dogs.max(ofProperty: "number") == 2)
    }

    @Test("frozen objects have frozen ones, and thaw")
    func frozen() throws {
        let realm = try realm()
        let (first, _) = try pack(realm)
        let frozen = first.freeze()
        try realm.write {
            first.names.removeAll()
            first.size.value = nil
            realm.delete(first.friends)
        }
        #expect(Array(frozen.names) == ["Rex", "Rexy"] && frozen.size.value == .large)
        #expect(frozen.admirers.count == 1 && first.admirers.isEmpty)
        #expect(frozen.names.isFrozen && frozen.thaw()?.names.count == 0)
        let seen = Mutex(0)
        let shared = Transferred(frozen)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            let count = shared.value.names.count + shared.value.admirers.count + (shared.value.number.value ?? 0)
            seen.withLock { $0 += count }
        }
        #expect(seen.withLock { $0 } == 4 * 4)
    }

    @Test("observers hear of them by name")
    func observed() throws {
        let realm = try realm()
        let (first, _) = try pack(realm)
        var heard: [String] = []
        let token = first.observe { change in
            if case .change(_, let changes) = change { heard += changes.map(\.name) }
        }
        try realm.write {
            first.size.value = .small
            first.names.append("Max")
        }
        realm.refresh()
        #expect(heard == ["size", "names"])
        token.invalidate()
    }

    @Test("files gain and keep them, and a migration sees them")
    func migration() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = Realm.Configuration(
            fileURL: folder.appendingPathComponent("notes.realm"), objectTypes: [Older.BoxedNote.self])
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { _ = realm.create(Older.BoxedNote.self, value: ["lines": ["a", "b"]]) }
        }
        configuration.objectTypes = [Newer.BoxedNote.self]
        configuration.schemaVersion = 1
        let schemas = Mutex<[Causeway.Schema]>([])
        configuration.migrationBlock = { migration, _ in
            schemas.withLock { $0 = [migration.oldSchema, migration.newSchema] }
            migration.enumerateObjects(ofType: "BoxedNote") { old, new in
                new?["pages"] = (old?["lines"] as? List<String>)?.count
            }
        }
        let realm = try Realm(configuration: configuration)
        let note = try #require(realm.objects(Newer.BoxedNote.self).first)
        #expect(note.pages.value == 2 && Array(note.lines) == ["a", "b"])
        #expect(
            schemas.withLock { $0.map { $0["BoxedNote"]?.properties.map(\.name) } } == [["lines"], ["lines", "pages"]])
    }

    @Test("their values are written and read as JSON")
    func codable() throws {
        let record = BoxedRecord()
        record.number.value = 3
        record.names.append("a")
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = String(decoding: try encoder.encode(record), as: UTF8.self)
        #expect(json == #"{"names":["a"],"number":3,"old":1.5}"#)
        let property = try JSONDecoder().decode([RealmProperty<Int?>].self, from: Data("[1,null]".utf8))
        #expect(property.map(\.value) == [1, nil] && "\(property[0]) \(property[1])" == "1 nil")
        #expect(RealmOptional(3) == RealmOptional(3) && "\(RealmOptional<Int>())" == "nil")
    }

    @Test("outside of a write transaction they cannot be changed")
    func misuse() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: UUID().uuidString, objectTypes: [BoxedDog.self]))
            let dog = try realm.write { realm.create(BoxedDog.self, value: ["number": 1]) }
            dog.size.value = .small
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("Attempting to modify object outside of a write transaction"))
    }
}
