import Causeway
import Foundation
import Testing

@Suite("Filtering and relations on the page about reading")
struct FilteringDogsTests {
    private func realmWithDogs() throws -> Realm {
        let realm = try memoryRealm(readPage)
        try realm.write {
            let tennisBall = DogToy(value: ["id": ObjectId("11223344556677889900aabb"), "name": "Tennis ball"])
            let bone = DogToy(value: ["name": "Bone"])
            realm.add(Dog(value: ["name": "Rex", "age": 10, "favoriteToy": tennisBall]))
            realm.add(Dog(value: ["name": "Wolfie", "age": 1, "favoriteToy": bone]))
            realm.add(Dog(value: ["name": "Fido", "age": 0]))
        }
        return realm
    }

    @Test("S012 where compares a property")
    func whereAge() throws {
        let dogs = try realmWithDogs().objects(Dog.self)
        #expect(Set(names(dogs.where { $0.age < 2 })) == ["Wolfie", "Fido"])
    }

    @Test("S013 where finds objects without a link")
    func whereNil() throws {
        let dogs = try realmWithDogs().objects(Dog.self)
        #expect(names(dogs.where { $0.favoriteToy == nil }) == ["Fido"])
        #expect(Set(names(dogs.where { $0.favoriteToy != nil })) == ["Rex", "Wolfie"])
    }

    @Test("S014 where goes through a link, and no link matches nothing")
    func whereLink() throws {
        let dogs = try realmWithDogs().objects(Dog.self)
        #expect(names(dogs.where { $0.favoriteToy.name == "Tennis ball" }) == ["Rex"])
        #expect(names(dogs.where { $0.favoriteToy.name.starts(with: "B") }) == ["Wolfie"])
    }

    @Test("S015 filter compares a property")
    func filterAge() throws {
        let dogs = try realmWithDogs().objects(Dog.self)
        #expect(Set(names(dogs.filter("age < 2"))) == ["Wolfie", "Fido"])
        #expect(Set(names(dogs.filter("age < %@", 2))) == ["Wolfie", "Fido"])
        #expect(Set(names(dogs.filter(NSPredicate(format: "age < %d", 2)))) == ["Wolfie", "Fido"])
    }

    @Test("S016 filter finds objects without a link")
    func filterNil() throws {
        let dogs = try realmWithDogs().objects(Dog.self)
        #expect(names(dogs.filter("favoriteToy == nil")) == ["Fido"])
    }

    @Test("S017 filter goes through a link")
    func filterLink() throws {
        let dogs = try realmWithDogs().objects(Dog.self)
        #expect(names(dogs.filter("favoriteToy.name == 'Tennis ball'")) == ["Rex"])
    }

    @Test("S018 dots reach into related and embedded objects")
    func dots() throws {
        let realm = try realmWithDogs()
        try realm.write {
            let person = Person(name: "Jane", address: Address(value: ["city": "Los Angeles"]))
            person.dogs.append(objectsIn: realm.objects(Dog.self).filter("name == 'Rex'"))
            realm.add(person)
        }
        let people = realm.objects(Person.self)
        #expect(people.first?.address?.city == "Los Angeles")
        #expect(people.first?.dogs.first?.favoriteToy?.name == "Tennis ball")
        #expect(people.filter("dogs.favoriteToy.name == 'Tennis ball' AND address.city == 'Los Angeles'").count == 1)
    }

    @Test("S019 where compares an ObjectId with an ObjectId")
    func whereObjectId() throws {
        let dogToys = try realmWithDogs().objects(DogToy.self)
        let found = dogToys.where { $0.id == ObjectId("11223344556677889900aabb") }
        #expect(found.map(\.name) == ["Tennis ball"])
    }

    @Test("S020 filter takes an ObjectId as an argument")
    func filterObjectId() throws {
        let dogToys = try realmWithDogs().objects(DogToy.self)
        #expect(dogToys.filter("id = %@", ObjectId("11223344556677889900aabb")).first?.name == "Tennis ball")
    }

    @Test("S021 text is never converted to an ObjectId: it is an error")
    func noConversion() async {
        let sentence =
            "Expected object of type object id for property 'id' on object of type 'DogToy', "
            + "but received: 11223344556677889900aabb (Invalid value)"
        let written = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try memoryRealm(readPage)
            _ = realm.objects(DogToy.self).filter("id = '11223344556677889900aabb'").count
        }
        #expect(lastWords(written).contains(sentence))
        let handedOver = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try memoryRealm(readPage)
            _ = realm.objects(DogToy.self).filter("id = %@", "11223344556677889900aabb").count
        }
        #expect(lastWords(handedOver).contains(sentence))
    }

    @Test("S022 a relationship is read like a property")
    func relationship() throws {
        let realm = try memoryRealm(readPage)
        try realm.write {
            let person = Person(value: ["id": 12345, "name": "Jane"])
            person.dogs.append(Dog(value: ["name": "Rex", "age": 10]))
            realm.add(person)
        }
        let specificPerson = realm.object(ofType: Person.self, forPrimaryKey: 12345)
        #expect(specificPerson!.dogs.count == 1)
        #expect(specificPerson!.dogs[0].name == "Rex")
        #expect(specificPerson!.dogs[0].age == 10)
    }

    @Test("S023 an inverse relationship knows who links here")
    func inverse() throws {
        let realm = try memoryRealm(readPage)
        let person = Person(value: ["id": 12345])
        try realm.write {
            let club = DogClub(value: ["name": "Pooch Pals"])
            club.members.append(person)
            realm.add(club)
        }
        #expect(person.clubs.count == 1)
        #expect(person.clubs[0].name == "Pooch Pals")
        try realm.write { realm.objects(DogClub.self)[0].members.removeAll() }
        #expect(person.clubs.isEmpty)
    }

    private func realmWithPeople() throws -> Realm {
        let realm = try memoryRealm(readPage)
        try realm.write {
            let places = [
                ("Ann", "Los Angeles", "Sunset Boulevard"), ("Ben", "New York", "Broadway"),
                ("Cid", "Los Angeles", "Melrose Avenue"), ("Dot", "Los Angeles", "Abbot Street"),
            ]
            for (id, place) in places.enumerated() {
                let address = Address(value: ["city": place.1, "street": place.2])
                let person = Person(name: place.0, address: address)
                person.id = id
                realm.add(person)
            }
            realm.add(Person(value: ["id": 99, "name": "Homeless"]))
        }
        return realm
    }

    @Test("S024 where and sort go through an embedded object")
    func embeddedWhere() throws {
        let people = try realmWithPeople().objects(Person.self)
        let here = people.where { $0.address.city == "Los Angeles" }.sorted(byKeyPath: "address.street")
        #expect(here.map(\.name) == ["Dot", "Cid", "Ann"])
    }

    @Test("S025 filter and sort go through an embedded object")
    func embeddedFilter() throws {
        let people = try realmWithPeople().objects(Person.self)
        let here = people.filter("address.city = %@", "Los Angeles").sorted(byKeyPath: "address.street")
        #expect(here.map(\.name) == ["Dot", "Cid", "Ann"])
    }
}
