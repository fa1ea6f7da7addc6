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

class AddedAnything: Object {
    @Persisted var value: AnyRealmValue
    @Persisted var flag: Bool?
    @Persisted var flags: List<Bool>
    @Persisted var size: Double
    @Persisted var count: Int
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

    private func read(_ text: String) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(text.utf8))
    }

    @Test("what JSON is read into makes objects, with truth values and whole numbers as what they are")
    func json() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [AddedAnything.self]))
        for (written, value) in [
            ("true", AnyRealmValue.bool(true)), ("1", .int(1)), ("-7", .int(-7)), ("1.5", .double(1.5)),
            ("\"x\"", .string("x")), ("null", .none),
        ] {
            let text = "{\"value\": \(written), \"flag\": true, \"flags\": [false, true, 1], \"size\": 3}"
            let json = try read(text)
            let made = try realm.write { realm.create(AddedAnything.self, value: json) }
            for object in [made, AddedAnything(value: json)] {
                #expect(object.value == value, "\(written)")
                #expect(object.flag == true && Array(object.flags) == [false, true, true] && object.size == 3)
            }
            // The same in an optional, as a conditional cast leaves it.
            let cast = try read(#"{"flag": null, "size": 0.5}"#) as? [String: Any]
            let partial = try realm.write { realm.create(AddedAnything.self, value: cast as Any) }
            #expect(partial.flag == nil && partial.size == 0.5)
        }
        let object = try #require(realm.objects(AddedAnything.self).first)
        try realm.write {
            object.setValue(NSNumber(value: false), forKey: "flag")
            object.setValue(NSNumber(value: 4), forKey: "size")
            object.setValue(NSNumber(value: true), forKey: "count")
            object.setValue(NSString("word"), forKey: "value")
        }
        #expect(object.flag == false && object.size == 4 && object.value == .string("word"))
        #expect(object.count == 1)
        #expect(realm.objects(AddedAnything.self).filter("flag == %@", NSNumber(value: false)).count == 1)
        #expect(realm.objects(AddedAnything.self).filter("size == %@", NSNumber(value: Int8(4))).count == 1)
    }

    @Test("an object made from a dictionary links to the objects of a Realm that it was given")
    func managedInValues() throws {
        let realm = try realm()
        let kept = try realm.write { realm.create(AddedThing.self, value: ["id": 1, "text": "kept"]) }
        let draft = AddedThing(value: ["id": 2, "next": kept])
        #expect(draft.next?.isSameObject(as: kept) == true && draft.realm == nil)
        try realm.write { realm.add(draft) }
        #expect(realm.objects(AddedThing.self).count == 2)
        #expect(draft.next?.text == "kept")
    }
}
