import Causeway
import CausewayMeasuring
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
    private let stableBreeds = StableTexts(Self.breeds)
    private let stableNames = StableTexts(Self.names)

    init(folder: URL, smoke: Bool) {
        self.folder = folder
        self.smoke = smoke
    }

    // MARK: - The same rows on both sides

    /// Names and breeds by their places in the tables of them.
    private func values(
        _ id: Int, _ random: inout SeededNumbers
    ) -> (name: Int, age: Int, weight: Double, breed: Int) {
        let word = random.next()
        return (
            Int(word % 1_000), Int((word >> 10) % 20), Double((word >> 20) % 6_000) / 100, Int((word >> 40) % 50)
        )
    }

    func realm(_ name: String) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: folder.appendingPathComponent(name), objectTypes: [Pup.self]))
    }

    func fill(_ realm: Realm, _ count: Int) throws {
        var random = SeededNumbers(seed: 1)
        try realm.write {
            for id in 0..<count {
                let row = values(id, &random)
                let dog = Pup()
                dog.id = id
                dog.name = Self.names[row.name]
                dog.age = row.age
                dog.weight = row.weight
                dog.breed = Self.breeds[row.breed]
                realm.add(dog)
            }
        }
    }

    func sqlite(_ name: String) throws -> SQLitePeer {
        let peer = try SQLitePeer(folder.appendingPathComponent(name))
        try peer.execute("CREATE TABLE dog (id INTEGER PRIMARY KEY, name TEXT, age INTEGER, weight REAL, breed TEXT)")
        try peer.execute("CREATE INDEX dog_breed ON dog (breed)")
        return peer
    }

    func fill(_ peer: SQLitePeer, _ count: Int) throws {
        var random = SeededNumbers(seed: 1)
        let insert = try peer.prepare("INSERT INTO dog VALUES (?, ?, ?, ?, ?)")
        try peer.execute("BEGIN IMMEDIATE")
        for id in 0..<count {
            let row = values(id, &random)
            insert.bind(1, id)
            insert.bind(2, stableNames[row.name])
            insert.bind(3, row.age)
            insert.bind(4, row.weight)
            insert.bind(5, stableBreeds[row.breed])
            insert.run()
        }
        try peer.execute("COMMIT")
    }

    // MARK: - Groups

    func insert() throws -> [Row] {
        try insert(names: "") { $0 } + OneProcessor.run { try insert(names: Duel.onOneProcessor, \.onOneProcessor) }
    }

    /// - Parameter ending: What the names of the rows end in.
    private func insert(names ending: String, _ kept: (Sample) -> Sample) throws -> [Row] {
        let count = smoke ? 5_000 : 200_000
        var (added, created, peer) = (Stopwatch(), Stopwatch(), Stopwatch())
        for _ in 0..<(smoke ? 1 : 3) {
            try withNewFile { file in
                try added.time { try fill(realm(file), count) }
            }
            try withNewFile { file in
                try created.time { try create(in: realm(file), count) }
            }
            try withNewFile { file in
                try peer.time { try fill(sqlite(file), count) }
            }
        }
        let theirs = kept(peer.sample(operations: count))
        func row(_ name: String, _ watch: Stopwatch) -> Row {
            let ours = kept(watch.sample(operations: count))
            return .less(
                "insert", "\(name), one durable transaction\(ending)", "ns/object", ours: ours.median,
                peer: ("SQLite", theirs.median), ratioTarget: 2, under: .hot(ours, theirs))
        }
        return [row("realm.add", added), row("realm.create", created)]
    }

    private func create(in realm: Realm, _ count: Int) throws {
        var random = SeededNumbers(seed: 1)
        try realm.write {
            for id in 0..<count {
                let row = values(id, &random)
                realm.create(
                    Pup.self, value: [id, Self.names[row.name], row.age, row.weight, Self.breeds[row.breed]])
            }
        }
    }

    private func withNewFile(_ body: (String) throws -> Void) throws {
        let name = "insert"
        for ending in ["", "-lock", "-wal", "-shm"] {
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(name + ending))
        }
        try body(name)
    }

    func lookup() throws -> [Row] {
        let count = smoke ? 10_000 : 1_000_000
        let lookups = smoke ? 1_000 : 200_000
        let (realm, peer) = try filled(count)
        let select = try peer.prepare("SELECT age FROM dog WHERE id = ?")
        func sum(_ age: (Int) -> Int) -> [Double] {
            var random = SeededNumbers(seed: 2)
            var sum = 0
            for _ in 0..<lookups { sum &+= age(Int(random.next() % UInt64(count))) }
            return [Double(sum)]
        }
        let duel = try Duel(
            "primary key and one read, random", smoke: smoke,
            ours: { sum { realm.object(ofType: Pup.self, forPrimaryKey: $0)?.age ?? 0 } },
            theirs: {
                try peer.read {
                    sum { id in
                        select.bind(1, id)
                        defer { select.reset() }
                        return select.step() ? select.integer(0) : 0
                    }
                }
            })
        return [row("lookup", duel, "ns", operations: lookups, least: 2)]
    }

    /// Each row beside what SQLite's user has at hand for the same: the current row of a statement for an object, the
    /// same thousand rows for an array of objects, all rows for results.
    func read() throws -> [Row] {
        let count = smoke ? 10_000 : 1_000_000
        let (realm, peer) = try filled(count)
        try peer.keepReading()
        let dogs = Array(realm.objects(Pup.self).prefix(1_000))
        let passes = smoke ? 10 : 1_000
        let dog = dogs[dogs.count / 2]
        let current = try peer.prepare("SELECT age FROM dog WHERE id = \(dog.id)")
        guard current.step() else { throw SQLitePeer.Failure(description: "SQLite has no dog \(dog.id)") }
        let few = try peer.prepare("SELECT age FROM dog WHERE id < \(dogs.count)")
        let all = try peer.prepare("SELECT age FROM dog")
        func step(through select: SQLitePeer.Statement) -> Int {
            var sum = 0
            while select.step() { sum &+= select.integer(0) }
            select.reset()
            return sum
        }
        let one = try Duel(
            "Int property of one object in a loop, at most", smoke: smoke,
            ours: {
                var sum = 0
                for _ in 0..<passes * dogs.count { sum &+= dog.age }
                return [Double(sum)]
            },
            theirs: {
                var sum = 0
                for _ in 0..<passes * dogs.count { sum &+= current.integer(0) }
                return [Double(sum)]
            })
        let many = try Duel(
            "Int property of 1,000 objects in an array", smoke: smoke,
            ours: {
                var sum = 0
                for _ in 0..<passes {
                    for dog in dogs { sum &+= dog.age }
                }
                return [Double(sum)]
            },
            theirs: {
                var sum = 0
                for _ in 0..<passes { sum &+= step(through: few) }
                return [Double(sum)]
            })
        let sequence = try Duel(
            "Int property of results in sequence", smoke: smoke,
            ours: {
                var sum = 0
                for dog in realm.objects(Pup.self) { sum &+= dog.age }
                return [Double(sum)]
            },
            theirs: { [Double(step(through: all))] })
        return [
            row("read", one, "ns", operations: passes * dogs.count, peer: "SQLite, current row", most: 12),
            row("read", many, "ns", operations: passes * dogs.count),
            row("read", sequence, "ns", operations: count),
        ]
    }

    func count() throws -> [Row] {
        let count = smoke ? 10_000 : 1_000_000
        let (realm, peer) = try filled(count)
        try peer.keepReading()
        let select = try peer.prepare("SELECT count(*) FROM dog WHERE age < 2")
        let duels = try Duel.onAllThenOneProcessor(
            "age < 2 over \(count) objects", smoke: smoke,
            ours: { [Double(realm.objects(Pup.self).filter("age < 2").count)] }, theirs: { select.answer() })
        return zip(duels, [50, 25]).map { row("count", $0, "ns/row", operations: count, least: $1) }
    }

    private func row(
        _ group: String, _ duel: Duel, _ unit: String, operations: Int, peer: String = "SQLite",
        least: Double? = nil, most: Double? = nil
    ) -> Row {
        .less(
            group, duel.name, unit, ours: duel.ours.median / Double(operations),
            peer: (peer, duel.theirs.median / Double(operations)), ratioTarget: least, most: most,
            under: duel.conditions)
    }

    /// A Realm and a SQLite file with the same rows; made once for all groups that only read.
    private func filled(_ count: Int) throws -> (Realm, SQLitePeer) {
        let isNew = !FileManager.default.fileExists(atPath: folder.appendingPathComponent("read.realm").path)
        let realm = try realm("read.realm")
        if isNew {
            try fill(realm, count)
            let peer = try sqlite("read.sqlite")
            try fill(peer, count)
            try peer.settle()
        }
        return (realm, try SQLitePeer(folder.appendingPathComponent("read.sqlite")))
    }
}
