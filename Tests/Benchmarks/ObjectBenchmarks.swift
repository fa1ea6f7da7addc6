import Causeway
import CausewaySeeds
import Foundation

/// A dog without an owner.
final class Pup: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var weight: Double
    @Persisted(indexed: true) var breed: String
}

/// One process, no network: the object database beside SQLite and LMDB.
@MainActor
struct ObjectBenchmarks {
    let folder: URL
    let smoke: Bool
    private static let breeds = (0..<50).map { "breed \($0)" }
    private static let names = (0..<1_000).map { "name \($0)" }

    init(folder: URL, smoke: Bool) {
        self.folder = folder
        self.smoke = smoke
    }

    private var runs: Int { smoke ? 1 : 5 }

    // MARK: - The same rows on both sides

    private func values(
        _ id: Int, _ random: inout SeededNumbers
    ) -> (name: String, age: Int, weight: Double, breed: String) {
        let word = random.next()
        return (
            Self.names[Int(word % 1_000)], Int((word >> 10) % 20), Double((word >> 20) % 6_000) / 100,
            Self.breeds[Int((word >> 40) % 50)]
        )
    }

    private func realm(_ name: String) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: folder.appendingPathComponent(name), objectTypes: [Pup.self]))
    }

    private func fill(_ realm: Realm, _ count: Int) throws {
        var random = SeededNumbers(seed: 1)
        try realm.write {
            for id in 0..<count {
                let row = values(id, &random)
                let dog = Pup()
                dog.id = id
                dog.name = row.name
                dog.age = row.age
                dog.weight = row.weight
                dog.breed = row.breed
                realm.add(dog)
            }
        }
    }

    private func sqlite(_ name: String) throws -> SQLitePeer {
        let peer = try SQLitePeer(folder.appendingPathComponent(name))
        try peer.execute("CREATE TABLE dog (id INTEGER PRIMARY KEY, name TEXT, age INTEGER, weight REAL, breed TEXT)")
        try peer.execute("CREATE INDEX dog_breed ON dog (breed)")
        return peer
    }

    private func fill(_ peer: SQLitePeer, _ count: Int) throws {
        var random = SeededNumbers(seed: 1)
        let insert = try peer.prepare("INSERT INTO dog VALUES (?, ?, ?, ?, ?)")
        try peer.execute("BEGIN IMMEDIATE")
        for id in 0..<count {
            let row = values(id, &random)
            insert.bind(1, id)
            insert.bind(2, row.name)
            insert.bind(3, row.age)
            insert.bind(4, row.weight)
            insert.bind(5, row.breed)
            _ = insert.step()
            insert.reset()
        }
        try peer.execute("COMMIT")
    }

    // MARK: - Groups

    func insert() throws -> [Row] {
        let count = smoke ? 5_000 : 200_000
        var run = 0
        let added = try medianNanoseconds(runs: min(runs, 3), operations: count) {
            run += 1
            try fill(realm("insert-\(run).realm"), count)
        }
        let created = try medianNanoseconds(runs: min(runs, 3), operations: count) {
            run += 1
            let realm = try realm("insert-\(run).realm")
            var random = SeededNumbers(seed: 1)
            try realm.write {
                for id in 0..<count {
                    let row = values(id, &random)
                    realm.create(Pup.self, value: [id, row.name, row.age, row.weight, row.breed])
                }
            }
        }
        let peer = try medianNanoseconds(runs: min(runs, 3), operations: count) {
            run += 1
            try fill(sqlite("insert-\(run).sqlite"), count)
        }
        return [
            .less(
                "insert", "realm.add, one durable transaction", "ns/object", ours: added, peer: ("SQLite", peer),
                ratioTarget: 2),
            .less(
                "insert", "realm.create, one durable transaction", "ns/object", ours: created, peer: ("SQLite", peer),
                ratioTarget: 2),
        ]
    }

    func lookup() throws -> [Row] {
        let count = smoke ? 10_000 : 1_000_000
        let lookups = smoke ? 1_000 : 200_000
        let (realm, peer) = try filled(count)
        let ours = medianNanoseconds(runs: runs, operations: lookups) {
            var random = SeededNumbers(seed: 2)
            var sum = 0
            for _ in 0..<lookups {
                let id = Int(random.next() % UInt64(count))
                sum &+= realm.object(ofType: Pup.self, forPrimaryKey: id)?.age ?? 0
            }
            consume(sum)
        }
        let select = try peer.prepare("SELECT age FROM dog WHERE id = ?")
        let theirs = medianNanoseconds(runs: runs, operations: lookups) {
            var random = SeededNumbers(seed: 2)
            var sum = 0
            for _ in 0..<lookups {
                select.bind(1, Int(random.next() % UInt64(count)))
                if select.step() { sum &+= select.integer(0) }
                select.reset()
            }
            consume(sum)
        }
        return [
            .less(
                "lookup", "primary key and one read, random", "ns", ours: ours, peer: ("SQLite", theirs),
                ratioTarget: 2)
        ]
    }

    func read() throws -> [Row] {
        let count = smoke ? 10_000 : 1_000_000
        let (realm, peer) = try filled(count)
        let dogs = Array(realm.objects(Pup.self).prefix(1_000))
        let passes = smoke ? 10 : 1_000
        let dog = dogs[dogs.count / 2]
        let one = medianNanoseconds(runs: runs, operations: passes * dogs.count) {
            var sum = 0
            for _ in 0..<passes * dogs.count { sum &+= dog.age }
            consume(sum)
        }
        let many = medianNanoseconds(runs: runs, operations: passes * dogs.count) {
            var sum = 0
            for _ in 0..<passes {
                for dog in dogs { sum &+= dog.age }
            }
            consume(sum)
        }
        let results = realm.objects(Pup.self)
        let sequence = medianNanoseconds(runs: min(runs, 3), operations: count) {
            var sum = 0
            for dog in results { sum &+= dog.age }
            consume(sum)
        }
        let select = try peer.prepare("SELECT age FROM dog")
        let theirs = medianNanoseconds(runs: runs, operations: count) {
            var sum = 0
            while select.step() { sum &+= select.integer(0) }
            select.reset()
            consume(sum)
        }
        return [
            .less(
                "read", "Int property of one object in a loop, at most", "ns", ours: one, peer: ("SQLite", theirs),
                most: 12),
            .less(
                "read", "Int property of 1,000 objects in an array", "ns", ours: many, peer: ("SQLite", theirs)),
            .less("read", "Int property of results in sequence", "ns", ours: sequence, peer: ("SQLite", theirs)),
        ]
    }

    func count() throws -> [Row] {
        let count = smoke ? 10_000 : 1_000_000
        let (realm, peer) = try filled(count)
        let rounds = smoke ? 2 : 20
        var expected = 0
        let ours = medianNanoseconds(runs: runs, operations: rounds * count) {
            for _ in 0..<rounds { expected = realm.objects(Pup.self).filter("age < 2").count }
        }
        let select = try peer.prepare("SELECT count(*) FROM dog WHERE age < 2")
        var found = 0
        let theirs = medianNanoseconds(runs: runs, operations: count) {
            if select.step() { found = select.integer(0) }
            select.reset()
        }
        guard found == expected else {
            throw SQLitePeer.Failure(description: "the counts differ: \(expected) here, \(found) in SQLite")
        }
        return [
            .less(
                "count", "age < 2 over \(count) objects", "ns/row", ours: ours, peer: ("SQLite", theirs),
                ratioTarget: 50)
        ]
    }

    func commit() throws -> [Row] {
        let count = smoke ? 10 : 400
        let realm = try realm("commit.realm")
        try fill(realm, 1_000)
        let peer = try sqlite("commit.sqlite")
        try fill(peer, 1_000)
        let lmdb = try LMDBPeer(folder.appendingPathComponent("commit.lmdb"))
        let update = try peer.prepare("UPDATE dog SET age = ? WHERE id = 500")
        guard let dog = realm.object(ofType: Pup.self, forPrimaryKey: 500) else { return [] }
        // One commit of each in turn, so that a busy moment of the disk falls on all of them.
        var (ours, sqlite, raw): ([Double], [Double], [Double]) = ([], [], [])
        let clock = ContinuousClock()
        for index in 0..<count {
            ours.append(try clock.measure { try realm.write { dog.age = index } }.nanoseconds)
            sqlite.append(
                clock.measure {
                    update.bind(1, index)
                    _ = update.step()
                    update.reset()
                }.nanoseconds)
            raw.append(try clock.measure { try lmdb.commit(key: 500, value: UInt64(index)) }.nanoseconds)
        }
        let median = { (times: [Double]) in times.sorted()[times.count / 2] / 1_000 }
        return [
            .less(
                "commit", "one property, durable", "µs", ours: median(ours), peer: ("LMDB", median(raw)),
                ratioTarget: 1 / 1.2),
            .less("commit", "one property, durable", "µs", ours: median(ours), peer: ("SQLite", median(sqlite))),
        ]
    }

    /// A Realm and a SQLite file with the same rows; made once for all groups that only read.
    private func filled(_ count: Int) throws -> (Realm, SQLitePeer) {
        let isNew = !FileManager.default.fileExists(atPath: folder.appendingPathComponent("read.realm").path)
        let realm = try realm("read.realm")
        if isNew {
            try fill(realm, count)
            try fill(sqlite("read.sqlite"), count)
        }
        return (realm, try SQLitePeer(folder.appendingPathComponent("read.sqlite")))
    }
}
