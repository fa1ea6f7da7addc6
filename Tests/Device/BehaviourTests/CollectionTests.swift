import Causeway
import Foundation
import Testing

@Suite("Aggregates in queries, and collections by position and by name")
struct CollectionTests {
    /// Jane has Rex (10) and Spot (0), Joe has Wolfie (6), Ida has no dog.
    private func realmWithPeople() throws -> Realm {
        let realm = try memoryRealm(readPage)
        try realm.write {
            for (id, name, dogs) in [
                (1, "Jane", [("Rex", 10), ("Spot", 0)]), (2, "Joe", [("Wolfie", 6)]), (3, "Ida", []),
            ] as [(Int, String, [(String, Int)])] {
                let person = Person(value: ["id": id, "name": name])
                person.dogs.append(objectsIn: dogs.map { Dog(value: ["name": $0.0, "age": $0.1]) })
                realm.add(person)
            }
        }
        return realm
    }

    private func names(_ people: Results<Person>) -> [String] { people.map(\.name).sorted() }

    @Test("S026 an embedded object is reached through its parent only")
    func embedded() throws {
        let realm = try memoryRealm(readPage)
        try realm.write { realm.add(Person(name: "Jane", address: Address(value: ["city": "London"]))) }
        // `realm.objects(Address.self)` does not compile: the class is no `Object`.
        let isObject = (Address.self as Any.Type) is Object.Type
        #expect(!isObject)
        #expect(realm.objects(Person.self).first?.address?.city == "London")
        #expect(realm.objects(Person.self).filter("address.city == 'London'").count == 1)
    }

    @Test("S088 unsorted results promise the objects, not their order; a sort promises it")
    func order() throws {
        let realm = try memoryRealm(readPage)
        for name in ["Rex", "Ada", "Wolfie", "Fido"] {
            try realm.write { realm.add(Dog(value: ["name": name])) }
        }
        try realm.write { realm.delete(realm.objects(Dog.self).filter("name == 'Ada'")) }
        try realm.write { realm.add(Dog(value: ["name": "Bella"])) }
        let dogs = realm.objects(Dog.self)
        #expect(Set(dogs.map(\.name)) == ["Rex", "Wolfie", "Fido", "Bella"])
        #expect(dogs.sorted(by: \.name).map(\.name) == ["Bella", "Fido", "Rex", "Wolfie"])
    }

    @Test("S099 a query compares an average")
    func average() throws {
        let people = try realmWithPeople().objects(Person.self)
        #expect(names(people.where { $0.dogs.age.avg == 5 }) == ["Jane"])
        #expect(names(people.filter("dogs.@avg.age == 5")) == ["Jane"])
    }

    @Test("S100 a query compares the smallest value")
    func smallest() throws {
        let people = try realmWithPeople().objects(Person.self)
        #expect(names(people.where { $0.dogs.age.min > 5 }) == ["Joe"])
        #expect(names(people.filter("dogs.@min.age > 5")) == ["Joe"])
    }

    @Test("S101 a query compares the largest value")
    func largest() throws {
        let realm = try realmWithPeople()
        let people = realm.objects(Person.self)
        #expect(names(people.where { $0.dogs.age.max < 2 }) == [])
        try realm.write { realm.objects(Dog.self).setValue(1, forKey: "age") }
        #expect(names(people.where { $0.dogs.age.max < 2 }) == ["Jane", "Joe"])
        #expect(names(people.filter("dogs.@max.age < 2")) == ["Jane", "Joe"])
    }

    @Test("S102 a query compares a count")
    func count() throws {
        let realm = try realmWithPeople()
        let people = realm.objects(Person.self)
        #expect(names(people.where { $0.dogs.count > 2 }) == [])
        try realm.write { people.filter("name == 'Jane'")[0].dogs.append(Dog()) }
        #expect(names(people.where { $0.dogs.count > 2 }) == ["Jane"])
        #expect(names(people.filter("dogs.@count > 2")) == ["Jane"])
    }

    @Test("S103 a query compares a sum")
    func sum() throws {
        let realm = try realmWithPeople()
        let people = realm.objects(Person.self)
        #expect(names(people.where { $0.dogs.age.sum > 10 }) == [])
        try realm.write { realm.objects(Dog.self).filter("name == 'Spot'")[0].age = 1 }
        #expect(names(people.where { $0.dogs.age.sum > 10 }) == ["Jane"])
        #expect(names(people.filter("dogs.@sum.age > 10")) == ["Jane"])
    }

    @Test("elements are found and taken by position")
    func positions() throws {
        let realm = try realmWithPeople()
        let dogs = realm.objects(Dog.self).sorted(by: \.name)
        #expect(dogs.index(of: dogs[2]) == 2)
        #expect(dogs.index(of: Dog()) == nil)
        #expect(dogs.filter("age > 5").index(of: dogs[1]) == nil)
        #expect(dogs.index(matching: "age == 6") == 2)
        #expect(dogs.index(matching: NSPredicate(format: "name == %@", "Spot")) == 1)
        #expect(dogs.index(matching: { $0.age > 99 }) == nil)
        #expect(dogs.objects(at: IndexSet([0, 2])).map(\.name) == ["Rex", "Wolfie"])
        let list = realm.objects(Person.self).filter("name == 'Jane'")[0].dogs
        #expect(list.index(of: list[1]) == 1)
        #expect(list.index(matching: "name == 'Spot'") == 1)
        #expect(list.objects(at: [1, 0]).map(\.name) == ["Spot", "Rex"])
    }

    @Test("properties of all elements are read and set by name")
    func byName() throws {
        let realm = try realmWithPeople()
        let dogs = realm.objects(Dog.self).sorted(by: \.name)
        #expect(dogs.value(forKey: "name") as? [String] == ["Rex", "Spot", "Wolfie"])
        #expect(dogs.value(forKeyPath: "favoriteToy.name") as? [String?] == [nil, nil, nil])
        #expect(dogs.value(forKeyPath: "@count") as? Int == 3)
        #expect(dogs.value(forKeyPath: "@min.age") as? Int == 0)
        #expect(dogs.value(forKeyPath: "@max.age") as? Int == 10)
        #expect(dogs.value(forKeyPath: "@sum.age") as? Int == 16)
        #expect(dogs.value(forKeyPath: "@avg.age") as? Double == 16.0 / 3)
        try realm.write { dogs.setValue("tan", forKey: "color") }
        #expect(Set(dogs.map(\.color)) == ["tan"])
        try realm.write { dogs.setValue(DogToy(value: ["name": "Ball"]), forKey: "favoriteToy") }
        #expect(realm.objects(DogToy.self).count == 1)
        #expect(dogs.value(forKeyPath: "favoriteToy.name") as? [String] == ["Ball", "Ball", "Ball"])

        let values = try memoryRealm(filterPage)
        let task = FilterPage.Task(value: ["ratings": [3, 1, 2]])
        try values.write { values.add(task) }
        #expect(task.ratings.value(forKey: "self") as? [Int] == [3, 1, 2])
        #expect(task.ratings.value(forKeyPath: "@max.self") as? Int == 3)
    }

    @Test("two accessors of one row are the same object and hash alike")
    func identity() throws {
        let realm = try realmWithPeople()
        let people = realm.objects(Person.self)
        let (one, other) = (people[0], people.filter("id == 1")[0])
        #expect(one !== other && one == other && one.hashValue == other.hashValue)
        #expect(one.isSameObject(as: other) && !one.isSameObject(as: people[1]) && !one.isSameObject(as: nil))
        #expect(Set([one, other, people[1]]).count == 2)
        // Without a primary key only the accessor itself is equal, and the row is asked for by name.
        let club = DogClub(value: ["name": "Pooch Pals"])
        try realm.write { realm.add(club) }
        #expect(realm.objects(DogClub.self)[0] != club && realm.objects(DogClub.self)[0].isSameObject(as: club))
    }
}
