import Causeway
import Foundation
import Testing

private func sorted<T: RealmCollectionValue & SortableType>(_ values: List<T>) -> [T] { Array(values.sorted()) }

/// Enumerations, types of the app's own, optionals and mixed values wherever a plain value can stand.
@Suite("Types of an app that comes from RealmSwift")
struct PortedTypesTests {
    private func task() throws -> PortedTask {
        let realm = try portedRealm()
        let task = PortedTask()
        task.kind = .medium
        task.status = .waiting
        task.code = PortedCode("b")
        task.warmth = PortedCelsius(20)
        task.warmthAtNight = PortedCelsius(5)
        task.statuses.append(objectsIn: [.done, .open, .done])
        task.warmths.append(objectsIn: [PortedCelsius(3), PortedCelsius(-1), PortedCelsius(3)])
        task.marks.append(objectsIn: [5, nil, 1, 5])
        task.marksByName["a"] = 7
        task.marksByName["b"] = .some(nil)
        task.notes.append(objectsIn: [.string("x"), .int(2), .none, .int(2)])
        task.files.append(objectsIn: [Data([2]), Data([1, 9])])
        task.flags.append(objectsIn: [true, false, true])
        task.words.append(objectsIn: ["b", nil, "a"])
        try realm.write {
            realm.add(task)
            realm.create(PortedTask.self, value: ["kind": 3, "code": "a", "status": "done"] as [String: Any])
        }
        return task
    }

    @Test("enumerations and types of the app's own are keys, and indexed")
    func keysAndIndexes() throws {
        let task = try task()
        let realm = try #require(task.realm)
        let schema = task.objectSchema
        #expect(schema.primaryKeyProperty?.name == "kind")
        for name in ["status", "lastStatus", "code", "oldCode"] { #expect(schema[name]?.isIndexed == true, "\(name)") }
        #expect(realm.object(ofType: PortedTask.self, forPrimaryKey: PortedKind.medium) == task)
        #expect(realm.object(ofType: PortedTask.self, forPrimaryKey: 3)?.status == .done)
        #expect(realm.objects(PortedTask.self).where { $0.code == PortedCode("a") }.count == 1)
    }

    @Test("values of every kind are sorted, told apart and parted into sections")
    func ordered() throws {
        let task = try task()
        #expect(Array(task.marks.sorted()) == [nil, 1, 5, 5] && Array(task.marks.distinct()) == [5, nil, 1])
        #expect(Array(task.marks.sorted(ascending: false)) == [5, 5, 1, nil])
        #expect(Array(task.statuses.sorted()) == [.done, .done, .open] && task.statuses.distinct().count == 2)
        #expect(task.warmths.sorted().map(\.degrees) == [-1, 3, 3] && task.warmths.distinct().count == 2)
        #expect(
            Array(task.notes.sorted()) == [.none, .int(2), .int(2), .string("x")] && task.notes.distinct().count == 3)
        #expect(Array(task.files.sorted()) == [Data([1, 9]), Data([2])] && task.files.distinct().count == 2)
        #expect(Array(task.flags.sorted()) == [false, true, true] && task.flags.distinct().count == 2)
        #expect(Array(task.words.sorted()) == [nil, "a", "b"] && sorted(task.words) == [nil, "a", "b"])
        #expect(Array(task.marksByName.sorted()) == [nil, 7] && task.marksByName.distinct().count == 2)
        #expect(task.flags.sectioned(by: { $0 }).allKeys == [false, true])
        #expect(task.files.sectioned(by: { $0.count }).allKeys == [2, 1])
        #expect(task.notes.sectioned(by: { $0 == .none }).allKeys == [true, false])
        #expect(task.warmths.sectioned(by: { $0.degrees < 0 }).allKeys == [true, false])
        #expect(task.words.sectioned(by: { $0 == nil }).count == 2)
    }

    @Test("optional and mapped values have aggregates")
    func aggregates() throws {
        let task = try task()
        #expect(task.marks.min() == 1 && task.marks.max() == 5 && task.marks.sum() == 11)
        #expect(task.marks.average() as Double? == 11.0 / 3)
        #expect(task.marksByName.sum() == 7 && task.marksByName.max() == 7)
        #expect(
            task.warmths.min()?.degrees == -1 && task.warmths.max()?.degrees == 3 && task.warmths.sum().degrees == 5)
        let realm = try #require(task.realm)
        #expect(realm.objects(PortedTask.self).max(ofProperty: "kind") as Int? == 3)
    }

    @Test("conditions on raw and persisted values, and on values of the type itself")
    func conditions() throws {
        let realm = try #require(try task().realm)
        func count(_ condition: (Query<PortedTask>) -> Query<Bool>) -> Int {
            realm.objects(PortedTask.self).where(condition).count
        }
        #expect(count { $0.kind.rawValue.contains(1...2) } == 1)
        #expect(count { $0.kind.rawValue.contains(2..<3) } == 1)
        #expect(count { $0.kind > .medium } == 1)
        #expect(count { $0.kind >= .medium && $0.kind <= .large } == 2)
        #expect(count { $0.status < .open } == 1)
        #expect(count { $0.warmth > PortedCelsius(10) } == 1)
        #expect(count { $0.warmthAtNight <= PortedCelsius(5) } == 1)
        #expect(count { $0.warmth.persistableValue.contains(19...21) } == 1)
        #expect(count { $0.warmths.sum == 5 } == 1)
        #expect(count { $0.warmths.max > PortedCelsius(2) } == 1)
        #expect(count { $0.marks.contains(1...5) } == 1)
        #expect(count { $0.statuses.contains(.done) } == 1)
        #expect(count { $0.code.persistableValue.starts(with: "b") } == 1)
    }

    @Test("decimals by the names that apps use")
    func decimals() {
        #expect(Decimal128(value: "4.5") == 4.5 && Decimal128(value: 3) == 3)
        #expect(!Decimal128(1).isSignalingNaN)
        let values: [Decimal128] = [2, 1]
        #expect(values.min() == 1)
    }

    @Test("a token that observes nothing, and one that is stopped once")
    func tokens() throws {
        #expect(!NotificationToken().invalidate())
        let realm = try portedRealm()
        let token = realm.observe { _, _ in }
        #expect(token.invalidate() && !token.invalidate())
    }

    @Test("mixed properties by name give what they hold")
    func mixedByName() throws {
        let realm = try portedRealm()
        let owner = try realm.write { realm.create(PortedOwner.self, value: ["anything": 3, "mixed": ["a": 0.5]]) }
        #expect(owner["anything"] as? Int == 3)
        #expect(owner.mixed.value(forKey: "a") as? Double == 0.5)
        let dynamic = try #require(realm.dynamicObject(ofType: "PortedOwner", forPrimaryKey: 0))
        #expect(dynamic["anything"] as? Int == 3 && dynamic.anything as? Int == 3)
        try realm.write { owner["anything"] = "text" }
        #expect(owner.anything == .string("text") && owner.value(forKeyPath: "anything") as? String == "text")
        let unmanaged = PortedOwner(value: ["anything": true])
        #expect(unmanaged["anything"] as? Bool == true && PortedOwner()["anything"] == nil)
    }

    @Test("maps and lists answer to the names of Foundation's collections")
    func foundationNames() throws {
        let realm = try portedRealm()
        let owner = try realm.write { realm.create(PortedOwner.self, value: ["counts": ["a": 1], "nicknames": ["x"]]) }
        #expect(owner.counts.object(forKey: "a") as? Int == 1 && owner.counts.object(forKey: "b") == nil)
        #expect(owner.nicknames.isEqual(owner.nicknames) && !owner.nicknames.isEqual(nil))
        #expect(owner.counts.isEqual(owner.counts) && !owner.counts.isEqual(owner.mixed))
    }

    @Test("a mixed value is compared with a list or a dictionary by what it holds")
    func mixedCollections() throws {
        let realm = try portedRealm()
        let list = AnyRealmValue.fromArray([.int(1), .none, .fromDictionary(["a": .none])])
        let values: [AnyRealmValue] = [list, .fromArray([.int(1), .none]), .fromDictionary(["b": .int(1)]), .int(1)]
        try realm.write {
            for (id, value) in values.enumerated() {
                let owner = PortedOwner(value: ["id": id])
                owner.anything = value
                realm.add(owner)
            }
        }
        let owners = realm.objects(PortedOwner.self)
        #expect(owners.where { $0.anything == list }.map(\.id) == [0])
        #expect(owners.where { $0.anything == .fromArray([.int(1), .none]) }.map(\.id) == [1])
        #expect(owners.where { $0.anything == .fromDictionary(["b": .int(1)]) }.map(\.id) == [2])
        #expect(owners.where { $0.anything == .fromDictionary(["a": .none]) }.isEmpty)
        #expect(owners.where { $0.anything != list }.map(\.id) == [1, 2, 3])
    }

    @Test("a condition goes on behind the values of a map")
    func mapValues() throws {
        let realm = try portedRealm()
        try realm.write {
            realm.create(PortedOwner.self, value: ["id": 1, "dogsByName": ["x": ["name": "Rex"]]] as [String: Any])
        }
        let owners = realm.objects(PortedOwner.self)
        #expect(owners.where { $0.dogsByName.values.name == "Rex" }.count == 1)
        #expect(owners.where { $0.dogsByName.values.name == "Bo" }.isEmpty)
    }
}
