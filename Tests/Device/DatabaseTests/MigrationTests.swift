import Causeway
import Foundation
import Testing

// Classes of a file's first and second life. Both have the same names, so each pair stands in a namespace.

private enum First {
    class Person: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var firstName = ""
        @Persisted var lastName = ""
        @Persisted(indexed: true) var age = 0
        @Persisted var nickname: String?
        @Persisted var city: City?
        @Persisted var friends: List<Person>
        @Persisted var home: Home?
        @Persisted var scores: List<Int>

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class City: Object {
        @Persisted var name = ""

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Home: EmbeddedObject {
        @Persisted var street = ""

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Gone: Object {
        @Persisted var number = 0

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Coded: Object {
        @Persisted(indexed: true) var code = 0

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static let types: [ObjectBase.Type] = [Person.self, City.self, Home.self, Gone.self]
}

private enum Third {
    class Coded: Object {
        @Persisted var code = 0

        override class func primaryKey() -> String? { "code" }
        override class func indexedProperties() -> [String] { ["code"] }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private enum Second {
    class Person: Object {
        @Persisted(primaryKey: true) var key = ""
        @Persisted var fullName = ""
        @Persisted(indexed: true) var age = ""
        @Persisted var nickname = ""
        @Persisted var town: City?
        @Persisted var friends: List<Person>
        @Persisted var house: Home?
        @Persisted var points: List<Int>

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class City: Object {
        @Persisted var name = ""
        @Persisted var country: String?

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Home: EmbeddedObject {
        @Persisted var street = ""

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Coded: Object {
        @Persisted(primaryKey: true) var code = 0

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static let types: [ObjectBase.Type] = [Person.self, City.self, Home.self]
}

@Suite("Migrations")
struct MigrationTests {
    private func withFirst(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("migration-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("people.realm")
        do {
            let realm = try Realm(configuration: Realm.Configuration(fileURL: url, objectTypes: First.types))
            try realm.write {
                let cities = ["Lyon", "Turin"].map { realm.create(First.City.self, value: [$0]) }
                var people: [First.Person] = []
                for id in 0..<2_500 {
                    people.append(
                        realm.create(
                            First.Person.self,
                            value: [
                                "id": id, "firstName": "F\(id)", "lastName": "L\(id)", "age": id % 90,
                                "nickname": (id % 3 == 0 ? nil : "n\(id)") as Any, "city": cities[id % 2],
                                "home": ["street": "s\(id)"], "scores": [id, id + 1],
                            ]))
                    if id > 0 { people[id].friends.append(people[id - 1]) }
                }
                realm.create(First.Gone.self, value: [7])
            }
        }
        try body(url)
    }

    private func migrated(_ url: URL) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: url, schemaVersion: 3,
                migrationBlock: { migration, _ in
                    migration.renameProperty(from: "city", to: \Second.Person.town)
                    migration.renameProperty(onType: "Person", from: "home", to: "house")
                    migration.renameProperty(onType: "Person", from: "scores", to: "points")
                    migration.enumerateObjects(of: Second.Person.self) { old, new in
                        new!["key"] = "p\(old!["id"] as! Int)"
                        new!["fullName"] = "\(old!["firstName"]!) \(old!["lastName"]!)"
                        new!["age"] = String(old!["age"] as! Int)
                    }
                    migration.deleteData(for: First.Gone.self)
                    migration.create("City", value: ["name": "Basel", "country": "CH"])
                }, objectTypes: Second.types))
    }

    @Test("types, names, keys, links, lists and embedded objects go where the block takes them")
    func everything() throws {
        try withFirst { url in
            let realm = try migrated(url)
            let people = realm.objects(Second.Person.self)
            #expect(people.count == 2_500)
            let person = try #require(realm.object(ofType: Second.Person.self, forPrimaryKey: "p1234"))
            #expect(person.fullName == "F1234 L1234")
            #expect(person.age == "64")
            #expect(person.nickname == "n1234")
            #expect(person.town?.name == "Lyon")
            #expect(person.house?.street == "s1234")
            #expect(Array(person.points) == [1234, 1235])
            #expect(person.friends[0].key == "p1233")
            // What was null and may not be is zero, indexes answer, nothing of the old links is left.
            #expect(people.where { $0.nickname == "" }.count == 834)
            #expect(people.where { $0.age == "64" }.count == 28)
            #expect(realm.objects(Second.City.self).map(\.name) == ["Lyon", "Turin", "Basel"])
            #expect(people.filter("town.name == 'Turin'").count == 1_250)
            #expect(people.filter("house.street == 's7'").count == 1)
            try realm.write { realm.delete(realm.objects(Second.City.self)) }
            #expect(people.where { $0.town == nil }.count == 2_500)
            try realm.write { realm.delete(people) }
            #expect(realm.isEmpty)
        }
    }

    @Test("a file is migrated once, and tells its version")
    func once() throws {
        try withFirst { url in
            #expect(try schemaVersionAtURL(url) == 0)
            _ = try migrated(url)
            #expect(try schemaVersionAtURL(url) == 3)
            let again = try Realm(
                configuration: Realm.Configuration(
                    fileURL: url, schemaVersion: 3,
                    migrationBlock: { _, _ in Issue.record("a file of this version was migrated again") },
                    objectTypes: Second.types))
            #expect(again.objects(Second.Person.self).count == 2_500)
            #expect(throws: Realm.Error.self) {
                try Realm(configuration: Realm.Configuration(fileURL: url, schemaVersion: 2, objectTypes: First.types))
            }
        }
    }

    @Test("two objects that come to have one primary key are an error, and the file stays as it was")
    func duplicateKeys() throws {
        try withFirst { url in
            #expect(throws: Realm.Error.self) {
                try Realm(
                    configuration: Realm.Configuration(
                        fileURL: url, schemaVersion: 1,
                        migrationBlock: { migration, _ in
                            migration.enumerateObjects(ofType: "Person") { _, new in new!["key"] = "same" }
                        }, objectTypes: Second.types))
            }
            let realm = try Realm(configuration: Realm.Configuration(fileURL: url, objectTypes: First.types))
            #expect(realm.objects(First.Person.self).count == 2_500)
            #expect(realm.object(ofType: First.Person.self, forPrimaryKey: 77)?.home?.street == "s77")
        }
    }

    @Test("an indexed property that becomes the primary key is found by it, also where objects are counted")
    func indexedToKey() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("indexed-to-key-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("file.realm")
        do {
            let realm = try Realm(
                configuration: Realm.Configuration(fileURL: url, objectTypes: [First.Coded.self]))
            try realm.write { for code in 0..<20 { realm.create(First.Coded.self, value: ["code": code]) } }
        }
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: url, schemaVersion: 1, migrationBlock: { _, _ in }, objectTypes: [Second.Coded.self]))
        try realm.write {
            realm.create(Second.Coded.self, value: ["code": 100])
            realm.delete(realm.objects(Second.Coded.self).filter("code == 3"))
        }
        let all = realm.objects(Second.Coded.self)
        for (code, count) in [(7, 1), (100, 1), (3, 0), (50, 0)] {
            #expect(all.filter("code == %@", code).count == count)
            #expect(all.where { $0.code == code }.map(\.code) == Array(repeating: code, count: count))
        }
        #expect(try realm.verify().problems.isEmpty)
    }

    @Test("a primary key that is declared indexed, too, adds nothing to the file, and may lose its key again")
    func keyDeclaredIndexed() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("key-indexed-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("file.realm")
        func open(_ type: Object.Type, _ version: UInt64, readOnly: Bool = false) throws -> Realm {
            try Realm(
                configuration: Realm.Configuration(
                    fileURL: url, readOnly: readOnly, schemaVersion: version, migrationBlock: { _, _ in },
                    objectTypes: [type]))
        }
        func write(_ type: Object.Type, _ version: UInt64, _ codes: Range<Int>) throws {
            let realm = try open(type, version)
            try realm.write { for code in codes { realm.create(type, value: ["code": code]) } }
            for code in [codes.lowerBound, codes.upperBound - 1] {
                #expect(realm.objects(type).filter("code == %@", code).count == 1)
            }
            #expect(try realm.verify().problems.isEmpty)
        }
        try write(First.Coded.self, 0, 0..<10)
        try write(Third.Coded.self, 1, 10..<20)
        #expect(try open(Third.Coded.self, 1, readOnly: true).objects(Third.Coded.self).count == 20)
        try write(First.Coded.self, 2, 20..<30)
        let realm = try open(First.Coded.self, 2)
        for code in 0..<30 { #expect(realm.objects(First.Coded.self).filter("code == %@", code).count == 1) }
    }

    @Test("without a block, a file whose classes changed is refused with the list of the changes")
    func refused() throws {
        try withFirst { url in
            let error = #expect(throws: Realm.Error.self) {
                try Realm(configuration: Realm.Configuration(fileURL: url, schemaVersion: 1, objectTypes: Second.types))
            }
            #expect(error?.code == .schemaMismatch)
            #expect(error?.localizedDescription.contains("Property 'Person.age' has been changed") == true)
        }
    }

    @Test("objects are made, found, changed and deleted by the names of the file")
    func dynamicAccess() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: First.types))
        try realm.write {
            let person = realm.dynamicCreate(
                "Person",
                value: [
                    "id": 5, "firstName": "Ada", "city": ["name": "Lyon"], "home": ["street": "s"], "scores": [1, 2],
                ])
            person.age = 36
            person["friends"] = [["id": 6, "firstName": "Bea"]]
        }
        let ada = try #require(realm.dynamicObject(ofType: "Person", forPrimaryKey: 5))
        #expect(ada.age as? Int == 36)
        #expect((ada["city"] as? DynamicObject)?["name"] as? String == "Lyon")
        #expect((ada["friends"] as? List<DynamicObject>)?[0]["firstName"] as? String == "Bea")
        #expect(Array(try #require(ada["scores"] as? List<Int>)) == [1, 2])
        #expect(realm.dynamicObjects("Person").filter("age > 30").count == 1)
        #expect(realm.objects(First.Person.self).count == 2)
        #expect(ada.description.hasPrefix("Person {"))
        #expect((ada.freeze()["home"] as? DynamicObject)?["street"] as? String == "s")
        try realm.write {
            realm.dynamicCreate("Person", value: ["id": 5, "lastName": "King"], update: .modified)
            realm.delete(realm.dynamicObjects("City"))
        }
        #expect(realm.objects(First.Person.self).where { $0.lastName == "King" }.count == 1)
        #expect(ada["city"] == nil)
        try realm.write { realm.dynamicDelete("Person") }
        #expect(ada.isInvalidated)
    }
}
