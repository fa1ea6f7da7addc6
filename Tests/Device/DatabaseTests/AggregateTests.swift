import Causeway
import Foundation
import Testing

class NumbersThing: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var reals: List<Double>
    @Persisted var real = 0.0
    @Persisted var decimal = Decimal128(0)
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MeasuredThing: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var number = 0
    @Persisted var small: Int8?
    @Persisted var real = 0.0
    @Persisted var float: Float?
    @Persisted var date: Date?
    @Persisted var text = ""
    @Persisted var other: MeasuredThing?
    @Persisted var parts: List<MeasuredThing>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Aggregates and order of collections of objects")
struct AggregateTests {
    private func filledRealm(_ name: String, _ count: Int = 2500) throws -> Realm {
        let realm = try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: name, objectTypes: [MeasuredThing.self]))
        try realm.write {
            for id in 0..<count {
                let thing = MeasuredThing()
                thing.id = id
                thing.number = id % 20 - 5
                thing.small = id % 3 == 0 ? nil : Int8(id % 100)
                thing.real = Double(id % 64) / 4
                thing.float = id % 5 == 0 ? nil : Float(id % 16) / 2
                thing.date = id % 7 == 0 ? nil : Date(timeIntervalSince1970: Double(id) + 0.5)
                thing.text = "text \(id % 30)"
                realm.add(thing)
            }
        }
        return realm
    }

    private func expectAggregates(_ things: Results<MeasuredThing>, _ when: String) {
        let all = Array(things)
        #expect(things.sum(of: \.number) == all.reduce(0) { $0 + $1.number }, "\(when)")
        #expect(things.min(of: \.number) == all.map(\.number).min(), "\(when)")
        #expect(things.max(of: \.number) == all.map(\.number).max(), "\(when)")
        #expect(things.sum(of: \.real) == all.reduce(0) { $0 + $1.real }, "\(when)")
        #expect(things.min(of: \.real) == all.map(\.real).min(), "\(when)")
        #expect(things.max(of: \.small) == all.compactMap(\.small).max(), "\(when)")
        #expect(things.sum(of: \.float) == all.compactMap(\.float).reduce(0, +), "\(when)")
        #expect(things.min(of: \.date) == all.compactMap(\.date).min(), "\(when)")
        #expect(things.max(of: \.date) == all.compactMap(\.date).max(), "\(when)")
        let average = all.isEmpty ? nil : Double(all.reduce(0) { $0 + $1.number }) / Double(all.count)
        #expect(things.average(of: \.number) as Double? == average, "\(when)")
        let linked = all.compactMap(\.other?.number)
        #expect(things.sum(ofProperty: "other.number") == linked.reduce(0, +), "\(when)")
        #expect(things.max(ofProperty: "other.number") == linked.max(), "\(when)")
    }

    @Test("aggregates of results are those of their objects, evaluated or not, in a write or not")
    func results() throws {
        let realm = try filledRealm("aggregates of results")
        let all = realm.objects(MeasuredThing.self)
        expectAggregates(all, "all")
        expectAggregates(all.where { $0.number < 0 }, "some")
        expectAggregates(all.where { $0.number > 1000 }, "none")
        expectAggregates(all.sorted(by: \.text).distinct(by: ["text"]), "distinct")
        let some = all.where { $0.number < 3 && $0.real > 2 }
        #expect(some.first != nil)
        expectAggregates(some, "evaluated")
        try realm.write {
            for thing in Array(all.where { $0.id < 40 }) {
                thing.number = 1_000_000
                thing.other = all[all.count - 1]
                thing.date = Date(timeIntervalSince1970: -5)
            }
            realm.delete(all[1500])
            expectAggregates(all, "in a write, all")
            expectAggregates(some, "in a write, evaluated before")
            expectAggregates(all.where { $0.real > 3 }, "in a write, some")
        }
        expectAggregates(all, "after the write")
    }

    @Test("a list counts an object as often as it holds it")
    func lists() throws {
        let realm = try filledRealm("aggregates of lists", 50)
        let all = realm.objects(MeasuredThing.self)
        let owner = try #require(all.first)
        try realm.write {
            for index in [3, 7, 3, 3, 49] { owner.parts.append(all[index]) }
        }
        let numbers = owner.parts.map(\.number)
        #expect(owner.parts.sum(of: \.number) == numbers.reduce(0, +))
        #expect(owner.parts.min(of: \.number) == numbers.min())
        #expect(owner.parts.average(of: \.number) as Double? == Double(numbers.reduce(0, +)) / 5)
        #expect(owner.parts.sorted(by: \.number).map(\.number) == numbers.sorted())
        #expect(owner.parts.distinct(by: ["id"]).map(\.id) == [3, 7, 49])
    }

    @Test("sums of integers wrap around")
    func wrapping() throws {
        let realm = try filledRealm("aggregates that wrap", 0)
        try realm.write {
            for id in 0..<3 { realm.create(MeasuredThing.self, value: ["id": id, "number": Int.max]) }
        }
        #expect(realm.objects(MeasuredThing.self).sum(of: \.number) == Int.max &+ Int.max &+ Int.max)
    }

    @Test(
        "NaN is sorted before all numbers, and is neither a minimum nor a maximum",
        arguments: [
            [3, .nan, 1, .nan, 2], [.nan, .nan, 1], [5, 4, .nan], [.nan], [-Double.infinity, .nan, Double.infinity],
        ])
    func notNumbers(_ values: [Double]) throws {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: "not numbers \(values)", objectTypes: [NumbersThing.self]))
        let numbers = values.filter { !$0.isNaN }.sorted()
        let nans = values.count - numbers.count
        try realm.write {
            let thing = realm.create(NumbersThing.self, value: ["id": -1])
            thing.reals.append(objectsIn: values)
            for (id, value) in values.enumerated() {
                realm.create(
                    NumbersThing.self,
                    value: [
                        "id": id, "real": value, "decimal": value.isNaN ? try Decimal128(string: "NaN") : Decimal128(1),
                    ])
            }
        }
        let reals = try #require(realm.object(ofType: NumbersThing.self, forPrimaryKey: -1)).reals
        let sorted = Array(reals.sorted())
        #expect(sorted.prefix(nans).allSatisfy { $0.isNaN })
        #expect(Array(sorted.dropFirst(nans)) == numbers)
        #expect(Array(reals.sorted(ascending: false).prefix(numbers.count)) == numbers.reversed())
        let things = realm.objects(NumbersThing.self).where { $0.id >= 0 }
        for (minimum, maximum) in [(reals.min(), reals.max()), (things.min(of: \.real), things.max(of: \.real))] {
            #expect(minimum == numbers.first && maximum == numbers.last)
        }
        #expect(things.min(of: \.decimal) == (numbers.isEmpty ? nil : 1))
    }
}
