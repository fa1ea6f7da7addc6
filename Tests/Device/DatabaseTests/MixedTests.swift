import Causeway
import Foundation
import Testing

class MixedThing: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(indexed: true) var any: AnyRealmValue
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var someOf: MutableSet<AnyRealmValue>
    @Persisted var byName: Map<String, AnyRealmValue>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Mixed values in properties and lists")
struct MixedTests {
    private static var values: [AnyRealmValue] {
        [
            .none, .int(.min), .bool(false), .float(1.5), .double(-.infinity), .string("zoë"), .data(Data([0, 255])),
            .date(Date(timeIntervalSince1970: 12.5)), .objectId(ObjectId("11223344556677889900aabb")),
            .decimal128("1.50"), .uuid(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!),
        ]
    }

    private func configuration(_ name: String) -> Realm.Configuration {
        .init(inMemoryIdentifier: name, objectTypes: [MixedThing.self])
    }

    @Test("every type comes back from a file as it was, alone and in a list")
    func everyType() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mixed-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let configuration = Realm.Configuration(
            fileURL: folder.appendingPathComponent("mixed.realm"), objectTypes: [MixedThing.self])
        try {
            let realm = try Realm(configuration: configuration)
            try realm.write {
                for (id, value) in Self.values.enumerated() {
                    realm.create(
                        MixedThing.self, value: ["id": id, "any": value, "anys": Self.values] as [String: Any])
                }
                let all = realm.objects(MixedThing.self)
                all[0].anys.append(.object(all[1]))
            }
        }()
        let realm = try Realm(configuration: configuration)
        let all = realm.objects(MixedThing.self).sorted(byKeyPath: "id")
        for (id, value) in Self.values.enumerated() {
            #expect(all[id].any == value)
            #expect(Array(all[id].anys.prefix(Self.values.count)) == Self.values)
        }
        let last = try #require(all[0].anys.last)
        #expect(last.object(MixedThing.self)?.id == 1)
        #expect("\(all[9].any)" == "decimal128(1.50)")
    }

    @Test("values of any Swift type are taken where a mixed one is meant")
    func creating() throws {
        let realm = try Realm(configuration: configuration("mixed creating"))
        try realm.write {
            let one = realm.create(
                MixedThing.self,
                value: ["id": 1, "any": 7, "anys": [1, "two", 3.5, NSNull()] as [Any]] as [String: Any])
            realm.create(MixedThing.self, value: ["id": 2, "any": one, "anys": [one]] as [String: Any])
            realm.create(MixedThing.self, value: ["id": 3, "any": MixedThing(value: ["id": 4])] as [String: Any])
        }
        func thing(_ id: Int) -> MixedThing? { realm.object(ofType: MixedThing.self, forPrimaryKey: id) }
        #expect(thing(1)?.any == .int(7))
        #expect(thing(1).map { Array($0.anys) } == [.int(1), .string("two"), .double(3.5), .none])
        #expect(thing(2)?.any.object(MixedThing.self)?.id == 1)
        #expect(thing(2)?.anys[0].object(MixedThing.self)?.id == 1)
        #expect(thing(3)?.any.object(MixedThing.self)?.id == 4)
        let unmanaged = MixedThing(value: ["id": 9, "any": "text"])
        #expect(unmanaged.any == .string("text"))
    }

    @Test("of mixed values the numbers are summed as decimals, and the smallest and largest are those of their order")
    func typedAggregates() throws {
        let realm = try Realm(configuration: configuration("mixed typed aggregates"))
        let things = realm.objects(MixedThing.self)
        let values: [AnyRealmValue] = [
            .string("b"), .int(3), .none, .double(0.5), .decimal128("1.25"), .float(2), .string("a"),
        ]
        let (empty, full) = try realm.write {
            for (id, value) in values.enumerated() { realm.create(MixedThing.self, value: ["id": id, "any": value]) }
            things[1].anys.append(objectsIn: values)
            things[1].someOf.insert(objectsIn: values)
            for (place, value) in values.enumerated() { things[1].byName["\(place)"] = value }
            return (things[0], things[1])
        }
        #expect(full.anys.sum() == .decimal128("6.75") && full.anys.average() == Decimal128("1.6875"))
        #expect(full.anys.average() == AnyRealmValue.decimal128("1.6875"))
        #expect(full.anys.min() == .double(0.5) && full.anys.max() == .string("b"))
        #expect(full.someOf.sum() == .decimal128("6.75") && full.someOf.min() == .double(0.5))
        #expect(full.byName.sum() == .decimal128("6.75") && full.byName.max() == .string("b"))
        #expect(full.anys.sorted(byKeyPath: "self").sum() == .decimal128("6.75"))
        #expect(things.sum(of: \.any) == .decimal128("6.75") && things.max(of: \.any) == .string("b"))
        #expect(things.average(of: \.any) == .decimal128("1.6875") && things.average(of: \.any) as Double? == 1.6875)
        #expect(things.filter("id < 5").sum(of: \.any) == .decimal128("4.75"))
        let sum: Int = things.sum(ofProperty: "any")
        #expect(sum == 6)
        #expect(empty.anys.sum() == .decimal128(0) && empty.anys.min() == nil && empty.byName.max() == nil)
        let average: Decimal128? = empty.anys.average()
        #expect(average == nil)
        try realm.write { empty.anys.append(objectsIn: [.object(full), .string("x")]) }
        #expect(empty.anys.max()?.object(MixedThing.self)?.id == 1 && empty.anys.sum() == .decimal128(0))
    }

    @Test("elements of a list that link to a deleted object become none in their places")
    func deletedTargets() throws {
        let realm = try Realm(configuration: configuration("mixed deleting"))
        try realm.write {
            let one = realm.create(MixedThing.self, value: ["id": 1])
            let two = realm.create(MixedThing.self, value: ["id": 2])
            one.anys.append(objectsIn: [.object(two), .int(5), .object(two), .object(one)])
        }
        let one = try #require(realm.object(ofType: MixedThing.self, forPrimaryKey: 1))
        try realm.write { realm.delete(realm.objects(MixedThing.self).filter("id == 2")) }
        #expect(one.anys.map { $0.object(MixedThing.self)?.id } == [nil, nil, nil, 1])
        #expect(one.anys[0] == .none && one.anys[1] == .int(5) && one.anys[2] == .none)
        try realm.write {
            one.anys.remove(at: 3)
            one.anys.move(from: 1, to: 0)
            one.anys[1] = .string("x")
        }
        #expect(Array(one.anys) == [.int(5), .string("x"), .none])
    }

    @Test("values of different types have one order")
    func order() throws {
        let realm = try Realm(configuration: configuration("mixed order"))
        let ascending: [AnyRealmValue] = [
            .none, .bool(false), .bool(true), .double(.nan), .int(-3), .decimal128("-2.5"), .float(0.5), .int(1),
            .double(1.5), .decimal128(2), .string("a"), .data(Data("b".utf8)), .string("c"),
            .date(Date(timeIntervalSince1970: 0)), .objectId(ObjectId()),
            .uuid(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!),
        ]
        try realm.write {
            for (id, value) in ascending.enumerated().reversed() {
                realm.create(MixedThing.self, value: ["id": id, "any": value] as [String: Any])
            }
        }
        let all = realm.objects(MixedThing.self)
        #expect(all.sorted(byKeyPath: "any").map(\.id) == Array(ascending.indices))
        #expect(all.sorted(byKeyPath: "any", ascending: false).map(\.id) == ascending.indices.reversed())
        try realm.write {
            for value in [AnyRealmValue.int(1), .double(1), .string("a"), .none] {
                realm.create(MixedThing.self, value: ["id": all.count, "any": value] as [String: Any])
            }
        }
        // 1 and 1.0 are two values, as in a set.
        #expect(all.distinct(by: ["any"]).count == ascending.count + 1)
    }

    @Test("lists of mixed values are asked as other lists are")
    func lists() throws {
        let realm = try Realm(configuration: configuration("mixed lists"))
        try realm.write {
            realm.create(MixedThing.self, value: ["id": 1, "anys": [1, "a", 2.5] as [Any]] as [String: Any])
            realm.create(MixedThing.self, value: ["id": 2, "anys": [true, "b"] as [Any]] as [String: Any])
            realm.create(MixedThing.self, value: ["id": 3])
        }
        let all = realm.objects(MixedThing.self)
        #expect(all.filter("ANY anys == 1").map(\.id) == [1, 2])
        #expect(all.filter("ANY anys == 'b'").map(\.id) == [2])
        #expect(all.filter("ALL anys != 2.5").map(\.id) == [2, 3])
        #expect(all.filter("anys.@count == 0").map(\.id) == [3])
        #expect(all.where { $0.anys.contains(.string("a")) }.map(\.id) == [1])
    }

    @Test("sum and average of mixed values take the numbers, minimum and maximum the order of a sort")
    func aggregates() throws {
        let realm = try Realm(configuration: configuration("mixed aggregates"))
        let numbers: [AnyRealmValue] = [.int(1), .double(0.1), .decimal128("0.20"), .float(2.5), .bool(true), .none]
        try realm.write {
            realm.create(MixedThing.self, value: ["id": 1, "anys": numbers] as [String: Any])
            realm.create(MixedThing.self, value: ["id": 2, "anys": ["b", 7, "a"] as [Any]] as [String: Any])
            realm.create(MixedThing.self, value: ["id": 3])
        }
        let all = realm.objects(MixedThing.self)
        #expect(all.filter("anys.@sum == 3.8").map(\.id) == [1])
        #expect(all.filter("anys.@sum == decimal(7.0)").map(\.id) == [2])
        #expect(all.filter("anys.@sum == 0").map(\.id) == [3])
        #expect(all.filter("anys.@avg == 0.95 OR anys.@avg == 7").map(\.id) == [1, 2])
        #expect(all.filter("anys.@avg == nil AND anys.@min == nil").map(\.id) == [3])
        #expect(all.filter("anys.@max == 2.5").map(\.id) == [1])
        #expect(all.filter("anys.@min == true").map(\.id) == [1])
        #expect(all.filter("anys.@min == 7 AND anys.@max == 'b'").map(\.id) == [2])
    }
}
