import Causeway
import Foundation
import Testing

/// The documents' dog with a companion of any kind, and what their pages say of AnyRealmValue.
@Suite("AnyRealmValue")
struct AnyRealmValueTests {
    /// Four dogs with the documents' companions, and one for every type that compares with others.
    private func realmWithCompanions() throws -> Realm {
        let realm = try memoryRealm(readPage)
        try realm.write {
            realm.add(Dog(value: ["name": "Rex"]))
            realm.add(Dog(value: ["name": "Wolfie", "companion": "Fluffy the Cat"]))
            realm.add(Dog(value: ["name": "Spot"]))
            let fido = Dog(value: ["name": "Fido"])
            realm.add(fido)
            fido.companion = .object(realm.objects(Dog.self).where { $0.name == "Spot" }[0])
        }
        return realm
    }

    private func realm(with companions: [(String, AnyRealmValue)]) throws -> Realm {
        let realm = try memoryRealm(readPage)
        try realm.write {
            for (name, companion) in companions {
                let dog = Dog()
                dog.name = name
                dog.companion = companion
                realm.add(dog)
            }
        }
        return realm
    }

    private func names(_ realm: Realm, _ format: String, _ arguments: Any...) -> [String] {
        realm.objects(Dog.self).filter(NSPredicate(format: format, argumentArray: arguments)).map(\.name).sorted()
    }

    private func dog(_ name: String, in realm: Realm) throws -> Dog {
        try #require(realm.objects(Dog.self).where { $0.name == name }.first)
    }

    @Test("S034 a single case is matched and bound")
    func singleCase() throws {
        let wolfie = try dog("Wolfie", in: realmWithCompanions())
        guard case let .string(companion) = wolfie.companion else {
            Issue.record("\(wolfie.companion)")
            return
        }
        #expect("Wolfie's companion is: \(companion)" == "Wolfie's companion is: Fluffy the Cat")
        #expect(wolfie.companion.stringValue == "Fluffy the Cat" && wolfie.companion.intValue == nil)
    }

    @Test("S035 a string prints as its case")
    func printString() throws {
        let wolfie = try dog("Wolfie", in: realmWithCompanions())
        #expect("\(wolfie.companion)" == "string(\"Fluffy the Cat\")")
        #expect(wolfie.description.contains("companion = string(\"Fluffy the Cat\");"))
    }

    @Test("S036 an object prints as its case with its properties")
    func printObject() throws {
        let fido = try dog("Fido", in: realmWithCompanions())
        let text = "\(fido.companion)"
        #expect(text.hasPrefix("object(Dog {") && text.hasSuffix("})"), "\(text)")
        #expect(text.contains("name = Spot;"), "\(text)")
        #expect(fido.companion.object(Dog.self)?.name == "Spot")
        #expect(fido.companion.object(Person.self) == nil)
    }

    @Test("S037 a property that nobody set is none")
    func none() throws {
        let realm = try realmWithCompanions()
        for name in ["Rex", "Spot"] { #expect(try dog(name, in: realm).companion == .none) }
        #expect(names(realm, "companion == nil") == ["Rex", "Spot"])
        #expect(Dog().companion == .none)
    }

    @Test("S038 numbers of all types compare with each other")
    func numbers() throws {
        let realm = try realm(with: [
            ("int", .int(2)), ("bool", .bool(true)), ("float", .float(2.5)), ("double", .double(3.25)),
            ("decimal", .decimal128(4.5)), ("text", .string("3")), ("none", .none),
        ])
        #expect(names(realm, "companion > 2") == ["decimal", "double", "float"])
        #expect(names(realm, "companion <= 2.5") == ["bool", "float", "int"])
        #expect(names(realm, "companion < %@", Decimal128(3.25)) == ["bool", "float", "int"])
        #expect(names(realm, "companion BETWEEN {1, 3.25}") == ["bool", "double", "float", "int"])
        #expect(names(realm, "companion IN {2.0, 4.5}") == ["decimal", "int"])
    }

    @Test("S039 strings and data compare by their bytes")
    func bytes() throws {
        let realm = try realm(with: [
            ("text", .string("abc")), ("data", .data(Data("abc".utf8))), ("other", .string("abd")), ("int", .int(97)),
        ])
        #expect(names(realm, "companion == 'abc'") == ["data", "text"])
        #expect(names(realm, "companion == %@", Data("abc".utf8)) == ["data", "text"])
        #expect(names(realm, "companion > 'abc'") == ["other"])
        #expect(names(realm, "companion BEGINSWITH 'ab'") == ["data", "other", "text"])
        #expect(names(realm, "companion CONTAINS[c] 'BD'") == ["other"])
    }

    @Test("S040 dates and ObjectIds may be compared, and are never equal")
    func times() throws {
        let id = ObjectId.generate()
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        let realm = try realm(with: [("date", .date(date)), ("id", .objectId(id))])
        #expect(names(realm, "companion == %@", date) == ["date"])
        #expect(names(realm, "companion == %@", id) == ["id"])
        #expect(names(realm, "companion != %@", id) == ["date"])
        #expect(names(realm, "companion <= %@", date) == ["date"])
    }

    @Test("S041 equality asks for value and type")
    func equals() throws {
        let realm = try realmWithCompanions()
        let dogs = realm.objects(Dog.self)
        let spot = try dog("Spot", in: realm)
        #expect(dogs.where { $0.companion == .string("Fluffy the Cat") }.map(\.name) == ["Wolfie"])
        #expect(dogs.where { $0.companion == .object(spot) }.map(\.name) == ["Fido"])
        #expect(names(realm, "companion == %@", AnyRealmValue.object(spot)) == ["Fido"])
        #expect(dogs.where { $0.companion.in([.string("Fluffy the Cat"), .none]) }.count == 3)
    }

    @Test("S042 inequality holds for another value and for another type")
    func notEquals() throws {
        let realm = try realmWithCompanions()
        #expect(names(realm, "companion != 'Fluffy the Cat'") == ["Fido", "Rex", "Spot"])
        #expect(names(realm, "companion != nil") == ["Fido", "Wolfie"])
        #expect(realm.objects(Dog.self).where { $0.companion != .int(1) }.count == 4)
    }

    @Test("S043 1 matches 1.0, 1 and true")
    func conversion() throws {
        let realm = try realm(with: [
            ("double", .double(1)), ("int", .int(1)), ("bool", .bool(true)), ("decimal", .decimal128("1.00")),
            ("float", .float(1)), ("two", .int(2)), ("no", .bool(false)),
        ])
        let ones = ["bool", "decimal", "double", "float", "int"]
        #expect(names(realm, "companion == 1") == ones)
        #expect(names(realm, "companion == 1.0") == ones)
        #expect(names(realm, "companion == true") == ones)
        #expect(names(realm, "companion != 1") == ["no", "two"])
    }

    @Test("S044 a text never matches a number")
    func textAgainstNumbers() throws {
        let realm = try realm(with: [("int", .int(1)), ("double", .double(1)), ("bool", .bool(true))])
        #expect(names(realm, "companion == '1'").isEmpty)
        #expect(names(realm, "companion == 'true'").isEmpty)
    }

    @Test("S045 a number never matches a text")
    func numbersAgainstText() throws {
        let realm = try realm(with: [("text", .string("1")), ("word", .string("true"))])
        #expect(names(realm, "companion == 1").isEmpty)
        #expect(names(realm, "companion == 1.0").isEmpty)
        #expect(names(realm, "companion == true").isEmpty)
    }

    @Test("S050 an embedded object is no mixed value")
    func exclusions() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let dog = Dog()
            dog.setValue(Address(), forKey: "companion")
        }
        #expect(lastWords(result).contains("companion"))
    }

    @Test("a mixed link becomes none when its object is deleted, and an unmanaged object is added with it")
    func links() throws {
        let realm = try realmWithCompanions()
        let fido = try dog("Fido", in: realm)
        try realm.write { realm.delete(realm.objects(Dog.self).where { $0.name == "Spot" }) }
        #expect(fido.companion == .none)
        try realm.write { fido.companion = .object(DogToy(value: ["name": "Ball"])) }
        #expect(realm.objects(DogToy.self).map(\.name) == ["Ball"])
        #expect(fido.companion.object(DogToy.self)?.name == "Ball")
        try realm.write { fido.companion = .object(fido) }
        #expect(fido.companion.object(Dog.self)?.name == "Fido")
        try realm.write { realm.delete(fido) }
        #expect(realm.objects(Dog.self).count == 2)
    }
}
