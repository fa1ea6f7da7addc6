import Causeway
import CausewaySeeds
import Foundation
import Testing

class AccessorPart: EmbeddedObject {
    @Persisted var name = ""
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class AccessorThing: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var count = 0
    @Persisted var ratio: Double?
    @Persisted var isOn: Bool
    @Persisted var name: String?
    @Persisted var part: AccessorPart?
    @Persisted var parts: List<AccessorPart>
    @Persisted var next: AccessorThing?
    @Persisted var things: List<AccessorThing>
    @Persisted var numbers: List<Int>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Objects, managed and not")
struct AccessorTests {
    private static let seeds = SeedList.drawn(for: "accessors", count: 5)

    private let configuration = Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [AccessorThing.self, AccessorPart.self])

    @Test("reads of numbers follow every write, commit and rollback")
    func numbers() throws {
        struct Stop: Error {}
        let realm = try Realm(configuration: configuration)
        let things = try realm.write {
            (0..<2500).map {
                realm.create(AccessorThing.self, value: ["id": $0, "count": $0 * 3, "isOn": $0 % 2 == 0])
            }
        }
        for thing in things {
            #expect(thing.count == thing.id * 3 && thing.isOn == (thing.id % 2 == 0) && thing.ratio == nil)
        }
        try realm.write {
            things[1500].count = -7
            things[1500].ratio = 0.5
            #expect(things[1500].count == -7 && things[1501].count == 4503 && things[1500].ratio == 0.5)
        }
        #expect(things[1500].count == -7 && things[1501].count == 4503 && things[1500].ratio == 0.5)
        #expect(throws: Stop.self) {
            try realm.write {
                things[1500].count = Int.max
                things[1500].ratio = nil
                throw Stop()
            }
        }
        #expect(things[1500].count == -7 && things[1500].ratio == 0.5)
    }

    @Test("an object that a rolled-back transaction had added stays invalid, also when its row is given again")
    func rolledBack() throws {
        let realm = try Realm(configuration: configuration)
        realm.beginWrite()
        let lost = realm.create(AccessorThing.self, value: ["id": 1])
        realm.cancelWrite()
        #expect(lost.isInvalidated)
        let kept = try realm.write { realm.create(AccessorThing.self, value: ["id": 2]) }
        #expect(lost.isInvalidated && !kept.isInvalidated && kept.id == 2)
        #expect(kept.things.count == 0 && !kept.things.isInvalidated)
    }

    @Test("a cycle of unmanaged objects becomes the same cycle of managed ones")
    func cycles() throws {
        let realm = try Realm(configuration: configuration)
        let first = AccessorThing(value: ["id": 1])
        let second = AccessorThing(value: ["id": 2])
        first.next = second
        second.next = first
        second.things.append(objectsIn: [first, second])
        let held = second.things
        try realm.write { realm.add(first) }
        #expect(realm.objects(AccessorThing.self).count == 2)
        #expect(first.next?.id == 2 && second.next?.id == 1)
        #expect(held.map(\.id) == [1, 2] && held.realm != nil)
        #expect(first.isSameObject(as: second.next) && first == second.next)
    }

    @Test("an embedded object ends with its place in its parent")
    func embedded() throws {
        let realm = try Realm(configuration: configuration)
        let thing = try realm.write {
            realm.create(
                AccessorThing.self,
                value: ["id": 1, "part": ["name": "old"], "parts": [["name": "a"], ["name": "b"], ["name": "c"]]])
        }
        let old = try #require(thing.part)
        let second = thing.parts[1]
        try realm.write {
            thing.part = AccessorPart(value: ["name": "new"])
            thing.parts.remove(at: 1)
        }
        #expect(old.isInvalidated && second.isInvalidated)
        #expect(thing.part?.name == "new" && thing.parts.map(\.name) == ["a", "c"])
        let last = thing.parts[1]
        try realm.write { realm.delete(thing) }
        #expect(last.isInvalidated && realm.isEmpty)
    }

    @Test("update policies write what was given, and .modified only what differs")
    func updatePolicies() throws {
        let realm = try Realm(configuration: configuration)
        try realm.write {
            realm.create(AccessorThing.self, value: ["id": 1, "count": 5, "name": "first", "numbers": [1, 2]])
        }
        var changed: [[String]] = []
        let thing = try #require(realm.object(ofType: AccessorThing.self, forPrimaryKey: 1))
        let token = thing.observe { change in
            if case .change(_, let properties) = change { changed.append(properties.map(\.name)) }
        }
        try realm.write {
            realm.create(AccessorThing.self, value: ["id": 1, "count": 6] as [String: Any], update: .modified)
        }
        realm.refresh()
        #expect(thing.count == 6 && thing.name == "first" && Array(thing.numbers) == [1, 2])
        #expect(changed == [["count"]])
        try realm.write { realm.add(AccessorThing(value: ["id": 1, "count": 6]), update: .all) }
        #expect(thing.name == nil && realm.objects(AccessorThing.self).count == 1)
        token.invalidate()
    }

    @Test("a list does what an array does", arguments: seeds)
    func lists(seed: UInt64) throws {
        let realm = try Realm(configuration: configuration)
        var state = seed
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let thing = try realm.write { realm.create(AccessorThing.self, value: ["id": 1]) }
        let list = thing.numbers
        var array: [Int] = []
        for step in 0..<300 {
            try realm.write {
                switch random(array.isEmpty ? 1 : 6) {
                case 0, 1:
                    let place = random(array.count + 1)
                    array.insert(step, at: place)
                    list.insert(step, at: place)
                case 2:
                    let place = random(array.count)
                    array.remove(at: place)
                    list.remove(at: place)
                case 3:
                    let place = random(array.count)
                    array[place] = -step
                    list[place] = -step
                case 4:
                    let from = random(array.count)
                    let to = random(array.count)
                    array.insert(array.remove(at: from), at: to)
                    list.move(from: from, to: to)
                default:
                    let first = random(array.count)
                    let second = random(array.count)
                    array.swapAt(first, second)
                    list.swapAt(first, second)
                }
            }
            #expect(Array(list) == array, "seed \(seed), step \(step)")
        }
        try realm.write { list.removeSubrange(0..<min(3, array.count)) }
        #expect(Array(list) == Array(array.dropFirst(min(3, array.count))), "seed \(seed)")
        #expect(Array(list.sorted()) == array.dropFirst(3).sorted(), "seed \(seed)")
    }

    @Test("objects and results are invalid after invalidate(), and the Realm goes on")
    func invalidate() throws {
        let realm = try Realm(configuration: configuration)
        let thing = try realm.write { realm.create(AccessorThing.self, value: ["id": 1]) }
        let results = realm.objects(AccessorThing.self)
        realm.invalidate()
        #expect(thing.isInvalidated && results.isInvalidated)
        #expect(realm.objects(AccessorThing.self).count == 1)
        #expect(realm.object(ofType: AccessorThing.self, forPrimaryKey: 1)?.isInvalidated == false)
    }

    @Test("writing to a list outside a transaction stops the program")
    func listOutsideTransaction() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: "list", objectTypes: [AccessorThing.self, AccessorPart.self]))
            let thing = try realm.write { realm.create(AccessorThing.self, value: ["id": 1]) }
            thing.numbers.append(1)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("Cannot modify List outside of a write transaction."))
    }
}
