import Causeway
import Foundation
import Testing

@Suite("The page about defining objects")
struct ObjectModelTests {
    private func message(of body: () throws -> Realm) -> String {
        do {
            _ = try body()
            return ""
        } catch {
            return error.localizedDescription
        }
    }

    @Test("S109 a class is a type of the database, its properties are persisted")
    func defineType() throws {
        #expect(DefinitionPage.Dog.className() == "Dog")
        let birth = Date(timeIntervalSince1970: 1_700_000_000.25)
        try withTemporaryFolder { folder in
            let configuration = Realm.Configuration(
                fileURL: folder.appendingPathComponent("dogs.realm"), objectTypes: [DefinitionPage.Dog.self])
            let id = ObjectId.generate()
            do {
                let realm = try Realm(configuration: configuration)
                try realm.write {
                    let dog = DefinitionPage.Dog(value: ["_id": id, "name": "Rex", "breed": "Collie"])
                    dog.dateOfBirth = birth
                    realm.add(dog)
                }
            }
            let dog = try Realm(configuration: configuration).objects(DefinitionPage.Dog.self)[0]
            #expect(dog._id == id)
            #expect(dog.name == "Rex")
            #expect(dog.breed == "Collie")
            #expect(dog.dateOfBirth == birth)
        }
    }

    @Test("S110 a class name has at most 57 characters")
    func classNameLength() throws {
        typealias Fits = Mistakes.C57_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
        typealias Long = Mistakes.C58_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
        #expect(Fits.className().utf8.count == 57)
        #expect(Long.className().utf8.count == 58)
        _ = try memoryRealm([Fits.self])
        #expect(message { try memoryRealm([Long.self]) }.contains(Long.className()))
    }

    @Test("S111 a property name has at most 63 characters")
    func propertyNameLength() throws {
        let realm = try memoryRealm([Mistakes.LongestPropertyName.self])
        try realm.write { _ = realm.create(Mistakes.LongestPropertyName.self, value: [7]) }
        #expect(
            realm.objects(Mistakes.LongestPropertyName.self)[0]
                .p63_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa == 7)
        let refused = message { try memoryRealm([Mistakes.TooLongPropertyName.self]) }
        #expect(refused.contains("p64_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"))
    }

    @Test("S112 one persisted property makes all others ignored ones")
    func ignored() async throws {
        let realm = try memoryRealm([DefinitionPage.Visitor.self])
        let visitor = DefinitionPage.Visitor(value: ["name": "Jane"])
        visitor.visitsToday = 3
        try realm.write { realm.add(visitor) }
        #expect(visitor.visitsToday == 3)
        visitor.visitsToday = 4
        #expect(visitor.greeting == "Hello, Jane")
        #expect(realm.objects(DefinitionPage.Visitor.self)[0].visitsToday == 0)
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try memoryRealm([DefinitionPage.Visitor.self])
            _ = realm.objects(DefinitionPage.Visitor.self).filter("visitsToday > 1").count
        }
        #expect(lastWords(result).contains("Property 'visitsToday' not found in object of type 'Visitor'"))
    }

    @Test("S115 properties are required or optional as the language says")
    func optionality() throws {
        let realm = try memoryRealm([DefinitionPage.Person.self])
        try realm.write {
            realm.create(DefinitionPage.Person.self)
            realm.create(
                DefinitionPage.Person.self,
                value: ["name": "Jane", "address": "Main St", "ageYears": 30, "heightCm": 180.5 as Float])
        }
        let people = realm.objects(DefinitionPage.Person.self).sorted(byKeyPath: "name")
        #expect(people[0].name == "")
        #expect(people[0].address == nil)
        #expect(people[0].ageYears == 0)
        #expect(people[0].heightCm == nil)
        #expect(people[1].address == "Main St")
        #expect(people[1].heightCm == 180.5)
        try realm.write {
            people[1].address = nil
            people[1].heightCm = nil
        }
        #expect(people[1].address == nil)
        #expect(people.where { $0.heightCm == nil }.count == 2)
    }

    @Test("S117 a class has at most one primary key")
    func onePrimaryKey() {
        let refused = message { try memoryRealm([Mistakes.TwoKeys.self]) }
        #expect(refused.contains("'first' and 'second' are both marked as the primary key of 'TwoKeys'"))
    }

    @Test("S118 a primary key is unique")
    func uniqueKey() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try memoryRealm(readPage)
            try realm.write { realm.create(Person.self, value: ["id": 12345]) }
            try realm.write { realm.create(Person.self, value: ["id": 12345]) }
        }
        let sentence = "Attempting to create an object of type 'Person' with an existing primary key value '12345'."
        #expect(lastWords(result).contains(sentence))
        let realm = try memoryRealm(readPage)
        try realm.write { realm.create(Person.self, value: ["id": 12345, "name": "Jane"]) }
        try realm.write { realm.create(Person.self, value: ["id": 12345, "name": "Joe"], update: .modified) }
        #expect(realm.objects(Person.self).map(\.name) == ["Joe"])
    }

    @Test("S119 a primary key cannot be changed")
    func immutableKey() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try memoryRealm(readPage)
            try realm.write { realm.create(Person.self, value: ["id": 12345]) }
            try realm.write { realm.objects(Person.self)[0].id = 12346 }
        }
        #expect(lastWords(result).contains("Primary key can't be changed after an object is inserted."))
        // Deleting and inserting is the documented way.
        let realm = try memoryRealm(readPage)
        try realm.write { realm.create(Person.self, value: ["id": 1, "name": "Jane"]) }
        try realm.write {
            let old = realm.objects(Person.self)[0]
            let new = Person(value: ["id": 2, "name": old.name])
            realm.delete(old)
            realm.add(new)
        }
        #expect(realm.objects(Person.self).map(\.id) == [2])
    }

    @Test("S120 an embedded object has no primary key")
    func noKeyInEmbedded() {
        let refused = message { try memoryRealm([Mistakes.KeyedAddress.self, Mistakes.KeyedAddressOwner.self]) }
        #expect(refused.contains("Embedded object type 'KeyedAddress' cannot have a primary key."))
    }

    @Test("S121 a primary key is declared at its property, or by the older class function")
    func declareKey() throws {
        let realm = try memoryRealm([DefinitionPage.Project.self, DefinitionPage.LegacyProject.self])
        try realm.write {
            realm.create(DefinitionPage.Project.self, value: ["id": 7, "name": "New"])
            realm.create(DefinitionPage.LegacyProject.self, value: ["id": 7, "name": "Old"])
        }
        #expect(realm.object(ofType: DefinitionPage.Project.self, forPrimaryKey: 7)?.name == "New")
        #expect(realm.object(ofType: DefinitionPage.LegacyProject.self, forPrimaryKey: 7)?.name == "Old")
    }

    @Test("S122 an indexed property is found by equality and IN, whatever was written to it")
    func index() throws {
        let realm = try memoryRealm([DefinitionPage.Book.self])
        try realm.write {
            for number in 0..<2_000 {
                realm.create(DefinitionPage.Book.self, value: ["priceCents": number, "title": "Book \(number % 500)"])
            }
        }
        let books = realm.objects(DefinitionPage.Book.self)
        #expect(Set(books.where { $0.title == "Book 42" }.map(\.priceCents)) == [42, 542, 1042, 1542])
        #expect(books.filter("title IN {'Book 1', 'Book 2', 'none'}").count == 8)
        try realm.write {
            books.where { $0.title == "Book 42" }[0].title = "Renamed"
            realm.delete(books.where { $0.priceCents == 1542 })
        }
        #expect(books.where { $0.title == "Book 42" }.count == 2)
        #expect(books.where { $0.title == "Renamed" }.count == 1)
    }

    @Test("S123 an index is taken on strings, integers, bools, dates, UUIDs, ObjectIds and mixed values, and used")
    func indexableTypes() throws {
        let realm = try memoryRealm([DefinitionPage.Catalogued.self])
        let start = Date(timeIntervalSince1970: 1_700_000_000)
        func id(_ number: Int) -> ObjectId { (try? ObjectId(string: String(format: "%024x", number))) ?? ObjectId() }
        func uuid(_ number: Int) -> UUID {
            UUID(uuidString: String(format: "00000000-0000-0000-0000-%012x", number)) ?? UUID()
        }
        func any(_ number: Int) -> AnyRealmValue {
            switch number % 4 {
            case 0: .int(number % 100)
            case 1: .string("any \(number % 100)")
            case 2: .double(Double(number % 100))
            default: .none
            }
        }
        try realm.write {
            for number in 0..<10_000 {
                let book = DefinitionPage.Catalogued()
                book.title = "Book \(number % 100)"
                book.shelf = number % 100
                book.isLent = number == 77
                book.bought = start + Double(number % 100)
                book.uuid = uuid(number % 100)
                book.objectId = id(number % 100)
                book.any = any(number)
                realm.add(book)
            }
        }
        let books = realm.objects(DefinitionPage.Catalogued.self)
        func expect(_ found: Results<DefinitionPage.Catalogued>, _ count: Int, _ property: String) {
            #expect(found.count == count, "\(property)")
            #expect(found.explain() == "index on Catalogued.\(property)")
        }
        expect(books.where { $0.title == "Book 7" }, 100, "title")
        expect(books.where { $0.shelf == 7 }, 100, "shelf")
        expect(books.where { $0.isLent == true }, 1, "isLent")
        expect(books.where { $0.bought == start + 7 }, 100, "bought")
        expect(books.where { $0.uuid == uuid(7) }, 100, "uuid")
        expect(books.where { $0.objectId == id(7) }, 100, "objectId")
        // A mixed value is found as it compares: 8 in every type of number.
        expect(books.where { $0.any == .int(8) }, 100, "any")
        expect(books.where { $0.any == .double(8) }, 100, "any")
        expect(books.where { $0.any == .int(10) }, 100, "any")
        expect(books.where { $0.any == .string("any 9") }, 100, "any")
        expect(books.filter("`any` IN {8, 'any 9'}"), 200, "any")
        expect(books.filter("`any` >= 96"), 200, "any")
        try realm.write {
            books.where { $0.any == .int(8) }[0].any = .object(books[0])
            realm.delete(books.where { $0.any == .string("any 9") })
        }
        expect(books.where { $0.any == .int(8) }, 99, "any")
        expect(books.where { $0.any == .string("any 9") }, 0, "any")
        expect(books.where { $0.any == .object(books[0]) }, 1, "any")
    }
}
