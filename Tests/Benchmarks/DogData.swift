import CausewaySeeds
import Causeway
import Foundation

final class Dog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var weight: Double
    @Persisted(indexed: true) var breed: String
    @Persisted var owner: Person?
}

final class Person: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
}

/// The rows that the groups `query` and `store` give to both sides: a million dogs of 100,000 persons, always the same.
///
/// The row of a number follows from the number, so that no order of writing and no table in memory is needed.
struct DogData {
    var count: Int
    var persons: Int
    /// What dogs are called: distinct names of four to eight letters, one in four begins with a capital.
    let names = DogData.names(1_000, seed: 11)
    let personNames = DogData.names(10_000, seed: 12)
    let breeds = (0..<50).map { "breed \($0)" }
    // The same for SQLite, where they are read without being copied.
    private let stableNames: StableTexts
    private let stablePersonNames: StableTexts
    private let stableBreeds: StableTexts

    init(smoke: Bool) {
        stableNames = StableTexts(names)
        stablePersonNames = StableTexts(personNames)
        stableBreeds = StableTexts(breeds)
        count = smoke ? 10_000 : 1_000_000
        persons = count / 10
    }

    struct DogRow {
        /// Positions in `names` and `breeds`.
        var name, breed: Int
        var age: Int
        var weight: Double
        var owner: Int
    }

    func dog(_ id: Int) -> DogRow {
        var random = SeededNumbers(seed: UInt64(id) &* 0x9FB2_1C65_1E98_DF25)
        let (first, second) = (random.next(), random.next())
        return DogRow(
            name: Int(first % 1_000), breed: Int((first >> 40) % 50), age: Int((first >> 10) % 20),
            weight: Double((first >> 20) % 6_000) / 100, owner: Int(second % UInt64(persons)))
    }

    /// Its position in `personNames`.
    private func personName(_ id: Int) -> Int {
        var random = SeededNumbers(seed: UInt64(id) &* 0xD6E8_FEB8_6659_FD93)
        return Int(random.next() % UInt64(personNames.count))
    }

    /// Distinct names of few letters, so that two given letters meet in some of them.
    private static func names(_ count: Int, seed: UInt64) -> [String] {
        let letters = Array("abdeiklmnors")
        var random = SeededNumbers(seed: seed)
        var names: [String] = []
        var seen: Set<String> = []
        while names.count < count {
            let length = 4 + Int(random.next() % 5)
            let name = String((0..<length).map { _ in letters[Int(random.next() % 12)] })
            guard seen.insert(name).inserted else { continue }
            names.append(names.count % 4 == 3 ? name.capitalized : name)
        }
        return names
    }
}

// MARK: - In a Realm

extension DogData {
    static func realm(_ file: URL) throws -> Realm {
        try Realm(configuration: Realm.Configuration(fileURL: file, objectTypes: [Dog.self, Person.self]))
    }

    /// - Returns: The persons by their numbers.
    @MainActor
    @discardableResult
    func addPersons(to realm: Realm) throws -> [Person] {
        try realm.write {
            (0..<persons).map { id in
                let person = Person()
                person.id = id
                person.name = personNames[personName(id)]
                realm.add(person)
                return person
            }
        }
    }

    /// One durable transaction.
    @MainActor
    func addDogs(to realm: Realm, of persons: [Person]) throws {
        try realm.write {
            for id in 0..<count {
                let row = dog(id)
                let dog = Dog()
                dog.id = id
                dog.name = names[row.name]
                dog.age = row.age
                dog.weight = row.weight
                dog.breed = breeds[row.breed]
                dog.owner = persons[row.owner]
                realm.add(dog)
            }
        }
    }

    /// The same, column by column.
    @MainActor
    func createDogs(in realm: Realm, of persons: [Person]) throws {
        try realm.write {
            try realm.create(Dog.self, from: 0..<count) { row in
                row.set(\.id) { $0 }
                row.set(\.name) { names[dog($0).name] }
                row.set(\.age) { dog($0).age }
                row.set(\.weight) { dog($0).weight }
                row.set(\.breed) { breeds[dog($0).breed] }
                row.set(\.owner) { persons[dog($0).owner] }
            }
        }
    }

    /// Gives each person the list of the dogs it owns: ten on average.
    @MainActor
    func fillLists(in realm: Realm, of persons: [Person]) throws {
        let dogs = realm.objects(Dog.self)
        try realm.write {
            for (dog, id) in zip(dogs, 0..<count) { persons[self.dog(id).owner].dogs.append(dog) }
        }
    }
}

// MARK: - In SQLite

extension DogData {
    func sqlite(_ file: URL, hasIndex: Bool = true) throws -> SQLitePeer {
        try sqlite(SQLitePeer(file), hasIndex: hasIndex)
    }

    func sqlite(_ peer: SQLitePeer, hasIndex: Bool = true) throws -> SQLitePeer {
        try peer.execute("CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT)")
        try peer.execute(
            "CREATE TABLE dog (id INTEGER PRIMARY KEY, name TEXT, age INTEGER, weight REAL, breed TEXT, "
                + "owner INTEGER REFERENCES person (id))")
        if hasIndex { try indexBreeds(in: peer) }
        return peer
    }

    private func indexBreeds(in peer: SQLitePeer) throws {
        try peer.execute("CREATE INDEX dog_breed ON dog (breed)")
    }

    func addPersons(to peer: SQLitePeer) throws {
        let insert = try peer.prepare("INSERT INTO person VALUES (?, ?)")
        try peer.write {
            for id in 0..<persons {
                insert.bind(1, id)
                insert.bind(2, stablePersonNames[personName(id)])
                insert.run()
            }
        }
    }

    /// One durable transaction.
    ///
    /// - Parameter thenIndexes: The table has no index yet and gets it at the end, which is how much is loaded at once.
    func addDogs(to peer: SQLitePeer, thenIndexes: Bool = false) throws {
        let insert = try peer.prepare("INSERT INTO dog VALUES (?, ?, ?, ?, ?, ?)")
        try peer.write {
            for id in 0..<count {
                let row = dog(id)
                insert.bind(1, id)
                insert.bind(2, stableNames[row.name])
                insert.bind(3, row.age)
                insert.bind(4, row.weight)
                insert.bind(5, stableBreeds[row.breed])
                insert.bind(6, row.owner)
                insert.run()
            }
            if thenIndexes { try indexBreeds(in: peer) }
        }
    }
}
