import Causeway
import Foundation
import Testing

enum AddedKind: String, PersistableEnum { case small, large }
enum AddedLevel: Int, PersistableEnum { case low, high }

class AddedThing: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var int8: Int8
    @Persisted var int64: Int64?
    @Persisted(indexed: true) var indexed: Int?
    @Persisted var optionalInt: Int?
    @Persisted var bool: Bool
    @Persisted(indexed: true) var optionalBool: Bool?
    @Persisted var double: Double
    @Persisted var optionalDouble: Double?
    @Persisted var float: Float
    @Persisted var optionalFloat: Float?
    @Persisted var text: String
    @Persisted var optionalText: String?
    @Persisted(indexed: true) var indexedText: String
    @Persisted var date: Date
    @Persisted var optionalDate: Date?
    @Persisted var data: Data
    @Persisted var optionalData: Data?
    @Persisted var oid: ObjectId
    @Persisted var optionalOID: ObjectId?
    @Persisted var uuid: UUID
    @Persisted var optionalUUID: UUID?
    @Persisted var kind = AddedKind.large
    @Persisted var optionalKind: AddedKind?
    @Persisted var level: AddedLevel
    @Persisted var next: AddedThing?
    @Persisted var numbers: List<Int>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Adding objects")
struct AddingTests {
    static let names = [
        "int8", "int64", "indexed", "optionalInt", "bool", "optionalBool", "double", "optionalDouble", "float",
        "optionalFloat", "text", "optionalText", "indexedText", "date", "optionalDate", "data", "optionalData", "oid",
        "optionalOID", "uuid", "optionalUUID", "kind", "optionalKind", "level", "numbers",
    ]

    private func realm() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [AddedThing.self]))
    }

    static func thing(_ id: Int) -> AddedThing {
        let thing = AddedThing()
        thing.id = id
        guard id % 7 != 0 else { return thing }
        thing.int8 = Int8(truncatingIfNeeded: id)
        thing.int64 = id % 2 == 0 ? nil : Int64(id) &* 0x5851_F42D_4C95_7F2D
        thing.indexed = id % 3 == 0 ? nil : id % 5
        thing.optionalInt = id % 2 == 0 ? nil : id << (id % 50)
        thing.bool = id % 4 < 2
        thing.optionalBool = id % 3 == 0 ? nil : id % 4 < 2
        thing.double = id % 11 == 0 ? .infinity : 1 / .init(id)
        thing.optionalDouble = id % 2 == 0 ? nil : -0.0
        thing.float = 1 / .init(id)
        thing.optionalFloat = id % 2 == 0 ? nil : 0.5
        thing.text = String(repeating: "ä", count: id % 40)
        thing.optionalText = id % 2 == 0 ? nil : "text \(id % 4)"
        thing.indexedText = "word \(id % 10)"
        thing.date = Date(timeIntervalSince1970: Double(id) / 8)
        thing.optionalDate = id % 2 == 0 ? nil : Date(timeIntervalSince1970: -Double(id) / 8)
        thing.data = Data(repeating: UInt8(id % 256), count: id % 30)
        thing.optionalData = id % 2 == 0 ? nil : Data()
        thing.optionalOID = id % 2 == 0 ? nil : .generate()
        thing.optionalUUID = id % 2 == 0 ? nil : UUID()
        thing.kind = id % 2 == 0 ? .small : .large
        thing.optionalKind = id % 3 == 0 ? nil : .small
        thing.level = .high
        thing.numbers.append(objectsIn: 0..<id % 3)
        return thing
    }

    @Test("every property keeps the value it had before the object was added")
    func sameValues() throws {
        let realm = try realm()
        let things = (0..<2300).map { Self.thing($0) }
        for (before, after) in zip(things, things.dropFirst()) where before.id % 5 == 0 { before.next = after }
        let expected = things.map { thing in Self.names.map { "\(thing.value(forKey: $0) ?? "nil")" } }
        let links = things.map { $0.next?.id }
        try realm.write { realm.add(things.filter { $0.realm == nil }) }
        for (position, thing) in things.enumerated() {
            #expect(thing.realm != nil && thing.id == position)
            let found = try #require(realm.object(ofType: AddedThing.self, forPrimaryKey: position))
            for object in [thing, found] {
                for (name, value) in zip(Self.names.dropLast(), expected[position]) {
                    #expect("\(object.value(forKey: name) ?? "nil")" == value, "\(name) of \(position)")
                }
                #expect(object.next?.id == links[position])
                #expect(object.numbers.count == (position % 7 == 0 ? 0 : position % 3))
            }
        }
        let words = realm.objects(AddedThing.self).filter("indexedText == 'word 3'")
        #expect(words.count == things.count { $0.indexedText == "word 3" })
        let numbers = realm.objects(AddedThing.self).filter("indexed == nil")
        #expect(numbers.count == things.count { $0.indexed == nil })
    }

    @Test("objects added, rolled back and added again are whole")
    func rolledBack() throws {
        let realm = try realm()
        realm.beginWrite()
        for id in 0..<1200 { realm.add(Self.thing(id)) }
        realm.cancelWrite()
        #expect(realm.objects(AddedThing.self).isEmpty)
        try realm.write { for id in 0..<1200 { realm.add(Self.thing(id)) } }
        #expect(realm.objects(AddedThing.self).map(\.id) == Array(0..<1200))
        #expect(realm.objects(AddedThing.self).allSatisfy { $0.id % 7 == 0 || $0.indexedText == "word \($0.id % 10)" })
    }
}
