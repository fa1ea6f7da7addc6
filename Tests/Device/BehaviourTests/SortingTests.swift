import Causeway
import Testing

@Suite("Sorting and chaining")
struct SortingTests {
    private func realmWithDogs() throws -> Realm {
        let realm = try memoryRealm(readPage)
        try realm.write {
            for (name, color, toy) in [
                ("Rex", "tan", "Wheel"), ("Wolfie", "brown", "Ball"), ("Bella", "tan", nil), ("Bruno", "brown", "Axe"),
            ] as [(String, String, String?)] {
                let dog = Dog(value: ["name": name, "color": color])
                dog.favoriteToy = toy.map { DogToy(value: ["name": $0]) }
                realm.add(dog)
            }
        }
        return realm
    }

    @Test("S089 a typed key path sorts ascending")
    func typed() throws {
        let dogs = try realmWithDogs().objects(Dog.self)
        #expect(names(dogs.sorted(by: \.name)) == ["Bella", "Bruno", "Rex", "Wolfie"])
        #expect(names(dogs.sorted(by: \.name, ascending: false)) == ["Wolfie", "Rex", "Bruno", "Bella"])
    }

    @Test("S090 a key path in text sorts in either direction")
    func descending() throws {
        let dogs = try realmWithDogs().objects(Dog.self)
        #expect(names(dogs.sorted(byKeyPath: "name", ascending: false)) == ["Wolfie", "Rex", "Bruno", "Bella"])
        let byTwo = dogs.sorted(by: [
            SortDescriptor(keyPath: "color"), SortDescriptor(keyPath: "name", ascending: false),
        ])
        #expect(names(byTwo) == ["Wolfie", "Bruno", "Rex", "Bella"])
    }

    @Test("S091 a sort goes through a link, and no link comes first")
    func throughLink() throws {
        let dogs = try realmWithDogs().objects(Dog.self)
        #expect(names(dogs.sorted(byKeyPath: "favoriteToy.name")) == ["Bella", "Bruno", "Wolfie", "Rex"])
        #expect(names(dogs.sorted(by: \.favoriteToy?.name, ascending: false)) == ["Rex", "Wolfie", "Bruno", "Bella"])
    }

    @Test("S092 sorting and case-insensitive comparison are defined for the Latin code points 0 to 591")
    func latin() throws {
        let realm = try memoryRealm(readPage)
        let sorted = ["A", "B", "a", "b", "À", "é", "Ā", "ž", "ɏ"]
        try realm.write {
            for name in sorted.reversed() + ["σ"] { realm.add(Dog(value: ["name": name])) }
        }
        let dogs = realm.objects(Dog.self)
        // The order is that of the code points: capitals first, accents after the whole alphabet.
        #expect(names(dogs.where { $0.name != "σ" }.sorted(byKeyPath: "name")) == sorted)
        for (stored, asked) in [("A", "a"), ("À", "à"), ("é", "É"), ("Ā", "ā"), ("ž", "Ž"), ("ɏ", "Ɏ")] {
            let found = names(dogs.filter("name ==[c] %@", asked))
            #expect(found.contains(stored), "\(asked) finds \(found)")
        }
        // Outside the documents promise nothing; here letters are folded as Unicode folds them.
        #expect(dogs.filter("name ==[c] 'Σ'").count == 1)
        #expect(dogs.filter("name == 'Σ'").isEmpty)
    }

    @Test("S104 a where on the results of a where narrows them")
    func chainedWhere() throws {
        let dogs = try realmWithDogs().objects(Dog.self)
        let tanDogs = dogs.where { $0.color == "tan" }
        let tanDogsWithBNames = tanDogs.where { $0.name.starts(with: "B") }
        #expect(names(tanDogsWithBNames) == ["Bella"])
    }

    @Test("S105 a filter on the results of a filter narrows them")
    func chainedFilter() throws {
        let dogs = try realmWithDogs().objects(Dog.self)
        let tanDogs = dogs.filter("color = 'tan'")
        let tanDogsWithBNames = tanDogs.filter("name BEGINSWITH 'B'")
        #expect(names(tanDogsWithBNames) == ["Bella"])
        #expect(names(tanDogs.where { $0.name.starts(with: "R") }) == ["Rex"])
    }
}
