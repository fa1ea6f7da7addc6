import Causeway
import Foundation
import Synchronization
import Testing

@Suite("Reading")
struct ReadingTests {
    private func realmWithDogs() throws -> Realm {
        let realm = try memoryRealm(readPage)
        try realm.write {
            let tennisBall = DogToy(value: ["name": "Tennis ball"])
            realm.add(Dog(value: ["name": "Rex", "age": 10, "color": "brown", "favoriteToy": tennisBall]))
            realm.add(Dog(value: ["name": "Wolfie", "age": 1, "color": "tan"]))
            realm.add(Dog(value: ["name": "Fido", "age": 4, "color": "tan"]))
        }
        return realm
    }

    @Test("S001 reading is objects, then a filter, then a sort, each a live collection")
    func steps() throws {
        let realm = try realmWithDogs()
        let all: Results<Dog> = realm.objects(Dog.self)
        let tan: Results<Dog> = all.where { $0.color == "tan" }
        let sorted: Results<Dog> = tan.sorted(byKeyPath: "name")
        #expect(all.count == 3)
        #expect(tan.count == 2)
        #expect(names(sorted) == ["Fido", "Wolfie"])
        try realm.write { _ = realm.create(Dog.self, value: ["name": "Bella", "color": "tan"]) }
        #expect(all.count == 4)
        #expect(tan.count == 3)
        #expect(names(sorted) == ["Bella", "Fido", "Wolfie"])
    }

    @Test("S002 results are not copies: a change through one shows in every other")
    func notCopies() throws {
        let realm = try realmWithDogs()
        let results = realm.objects(Dog.self).sorted(byKeyPath: "age")
        let other = realm.objects(Dog.self).where { $0.age == 1 }
        try realm.write { results[0].name = "Wolf" }
        #expect(other[0].name == "Wolf")
        #expect(realm.objects(Dog.self).filter("name == 'Wolf'").count == 1)
        let again = try Realm(configuration: realm.configuration)
        #expect(again.objects(Dog.self).filter("name == 'Wolf'").count == 1)
    }

    @Test("S003 results always hold what their query finds now")
    func live() throws {
        let realm = try realmWithDogs()
        let old = realm.objects(Dog.self).where { $0.age >= 10 }
        #expect(names(old) == ["Rex"])
        let lassie = Dog(value: ["name": "Lassie", "age": 15])
        try realm.write { realm.add(lassie) }
        #expect(Set(names(old)) == ["Rex", "Lassie"])
        try realm.write { lassie.age = 3 }
        #expect(names(old) == ["Rex"])
        try realm.write { realm.delete(old) }
        #expect(old.isEmpty)
    }

    @Test("S004 a chain of queries runs when its results are used, not before")
    func lazy() throws {
        let realm = try memoryRealm(readPage)
        let dogs = realm.objects(Dog.self)
        let chain = dogs.where { $0.age > 1 }.where { $0.color == "tan" }.sorted(byKeyPath: "name")
        // Everything is created after the chain was written down: had it run then, it would have found nothing.
        try realm.write {
            for age in 0..<5 {
                realm.add(Dog(value: ["name": "Dog \(9 - age)", "age": age, "color": age == 3 ? "red" : "tan"]))
            }
        }
        #expect(names(chain) == ["Dog 5", "Dog 7"])
    }

    @Test("S005 relations are references that can be followed from any result")
    func references() throws {
        let realm = try realmWithDogs()
        let results = realm.objects(Dog.self).where { $0.name == "Rex" }
        #expect(results[0].favoriteToy!.name == "Tennis ball")
        let toy = realm.objects(DogToy.self)[0]
        #expect(results[0].favoriteToy!.isSameObject(as: toy))
        try realm.write { toy.name = "Golf ball" }
        #expect(results[0].favoriteToy!.name == "Golf ball")
    }

    @Test("S006 a limit needs no API: only the objects that are used are loaded")
    func limit() throws {
        let realm = try memoryRealm([Counted.self])
        try realm.write {
            for number in 0..<5_000 { _ = realm.create(Counted.self, value: ["number": number]) }
        }
        let results = realm.objects(Counted.self).sorted(byKeyPath: "number")
        Counted.made.store(0, ordering: .relaxed)
        var sum = 0
        for index in 0..<10 { sum += results[index].number }
        #expect(sum == 45)
        #expect(Counted.made.load(ordering: .relaxed) == 10)
        #expect(results.prefix(10).map(\.number) == Array(0..<10))
        #expect(Counted.made.load(ordering: .relaxed) <= 21)
    }

    @Test("S007 a page of results is an index range")
    func pagination() throws {
        let realm = try memoryRealm(filterPage)
        try realm.write {
            for number in 0..<1_050 { _ = realm.create(FilterPage.Task.self, value: ["priority": number]) }
        }
        let results = realm.objects(FilterPage.Task.self).sorted(byKeyPath: "priority")
        for page in 0..<10 {
            let priorities: [Int] = results[(100 * page)..<(100 * page + 100)].map(\.priority)
            #expect(priorities == Array((100 * page)..<(100 * page + 100)), "page \(page)")
        }
        let rest: [Int] = results[1_000...].map(\.priority)
        #expect(rest == Array(1_000..<1_050))
    }

    @Test("S008 the documents' models compile, and what is computed is not persisted")
    func models() async throws {
        let realm = try realmWithDogs()
        #expect(realm.objects(Dog.self).map(\.firstLetter).sorted() == ["F", "R", "W"])
        let club = DogClub(name: "Pooch Pals", addresses: [Address(value: ["city": "Los Angeles"])])
        try realm.write { realm.add(club) }
        #expect(club.regionalOfficeAddresses[0].city == "Los Angeles")
        let owner = Person(name: "Jane", address: Address(value: ["street": "1 Main St"]))
        #expect(owner.address?.street == "1 Main St")
        let dog = Dog(
            value: [
                "name": "Maui", "citiesVisited": ["New York", "Toronto"], "companion": "Fluffy the Cat",
                "favoriteParksByCity": ["Chicago": "Washington Park"], "favoriteToy": ["name": "Frisbee"],
            ] as [String: Any])
        owner.dogs.append(dog)
        try realm.write {
            realm.add(owner)
            club.members.append(owner)
        }
        #expect(dog.citiesVisited.contains("Toronto") && dog.favoriteParksByCity["Chicago"] == "Washington Park")
        #expect(dog.companion == .string("Fluffy the Cat") && dog.favoriteToy?.name == "Frisbee")
        #expect(owner.clubs.map(\.name) == ["Pooch Pals"])
        #expect(!dog.description.contains("firstLetter"))
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try memoryRealm(readPage)
            _ = realm.objects(Dog.self).filter("firstLetter == 'R'").count
        }
        #expect(lastWords(result).contains("Property 'firstLetter' not found in object of type 'Dog'"))
    }

    @Test("S009 an embedded property that is not optional is rejected")
    func embeddedOptional() {
        #expect {
            _ = try memoryRealm([Mistakes.HouseWithAddress.self, Address.self])
        } throws: { error in
            error.localizedDescription.contains("Object property 'address' must be marked as optional.")
        }
    }

    @Test("S010 an object is found by its primary key, or nil is")
    func primaryKey() throws {
        let realm = try memoryRealm(readPage)
        try realm.write { _ = realm.create(Person.self, value: ["id": 12345, "name": "Jane"]) }
        let specificPerson = realm.object(ofType: Person.self, forPrimaryKey: 12345)
        #expect(specificPerson?.name == "Jane")
        #expect(realm.object(ofType: Person.self, forPrimaryKey: 12346) == nil)
        let toy = DogToy()
        try realm.write { realm.add(toy) }
        #expect(realm.object(ofType: DogToy.self, forPrimaryKey: toy.id)?.isSameObject(as: toy) == true)
        #expect(realm.object(ofType: DogToy.self, forPrimaryKey: ObjectId.generate()) == nil)
    }

    @Test("S011 all objects of a type")
    func all() throws {
        let realm = try realmWithDogs()
        #expect(Set(names(realm.objects(Dog.self))) == ["Rex", "Wolfie", "Fido"])
        #expect(realm.objects(Person.self).isEmpty)
    }
}

/// Counts how often it is made: every accessor that the library creates runs the default of its property.
final class Counted: Object {
    static let made = Atomic<Int>(0)

    @Persisted var number: Int
    @Persisted var mark = Counted.next()

    private static func next() -> Int {
        made.wrappingAdd(1, ordering: .relaxed)
        return 0
    }
}
