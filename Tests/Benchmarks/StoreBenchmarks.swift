import Causeway
import CausewayMeasuring
import Foundation

/// Writing, changing and keeping a million objects, beside SQLite with the same rows and indexes.
///
/// GRDB is no peer here: it runs the same SQLite.
@MainActor
struct StoreBenchmarks {
    static let group = "store"
    let folder: URL
    let smoke: Bool
    let data: DogData

    init(folder: URL, smoke: Bool) {
        self.folder = folder
        self.smoke = smoke
        data = DogData(smoke: smoke)
    }

    func run(_ report: ([Row]) -> Void) throws {
        report(try inserts())
        report(try sizes())
        report(try coldLookups())
        report(try updates())
        report(try deletes())
        report(try commits())
    }

    // MARK: - The files

    func file(_ name: String) -> URL { folder.appendingPathComponent("store-" + name) }

    /// The files that `inserts()` leaves for all that follows.
    var realmFile: URL { file("dogs.realm") }
    var sqliteFile: URL { file("dogs.sqlite") }

    private func remove(_ url: URL) {
        for ending in ["", "-lock", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + ending) }
    }

    // MARK: - Inserting

    /// A million dogs in one durable transaction, in a file that has their owners already.
    private func inserts() throws -> [Row] {
        let one = try OneProcessor.run { try inserts(names: Duel.onOneProcessor, \.onOneProcessor) }
        return try inserts(names: "") { $0 } + one
    }

    /// - Parameter ending: What the names of the rows end in.
    private func inserts(names ending: String, _ kept: (Sample) -> Sample) throws -> [Row] {
        var (added, bulk, created) = (Stopwatch(), Stopwatch(), Stopwatch())
        var (theirs, theirBulk) = (Stopwatch(), Stopwatch())
        for _ in 0..<(smoke ? 1 : 3) {
            try insert(&bulk) { realm, persons in try data.createDogs(in: realm, of: persons) }
            try insert(&created) { realm, persons in try create(in: realm, of: persons) }
            try insert(&added) { realm, persons in try data.addDogs(to: realm, of: persons) }
            try insertIntoSQLite(&theirBulk, thenIndexes: true)
            try insertIntoSQLite(&theirs, thenIndexes: false)
        }
        func rate(_ sample: Sample) -> Double { 1e9 / sample.median }
        func sample(_ watch: Stopwatch) -> Sample { kept(watch.sample(operations: data.count)) }
        func row(_ name: String, _ watch: Stopwatch, _ peers: Stopwatch, named peer: String = "SQLite") -> Row {
            let (ours, peers) = (sample(watch), sample(peers))
            return .more(
                Self.group, "insert \(data.count), \(name)\(ending)", "/s", ours: rate(ours),
                peer: (peer, rate(peers)), ratioTarget: 4, under: .hot(ours, peers))
        }
        func least(_ name: String, _ watch: Stopwatch, _ least: Double) -> Row {
            let ours = sample(watch)
            return .more(
                Self.group, "insert \(data.count), \(name)\(ending), at least", "/s", ours: rate(ours), least: least,
                under: .hot(ours))
        }
        return [
            least("realm.add", added, 600_000), row("realm.add", added, theirs),
            least("bulk", bulk, 1_500_000), row("bulk", bulk, theirs),
            row("bulk", bulk, theirBulk, named: "SQLite, index at the end"),
            row("realm.create of arrays", created, theirs),
        ]
    }

    private func insert(_ watch: inout Stopwatch, _ body: (Realm, [Person]) throws -> Void) throws {
        remove(realmFile)
        let realm = try DogData.realm(realmFile)
        let persons = try data.addPersons(to: realm)
        try watch.time { try body(realm, persons) }
        try check(realm.objects(Dog.self).count, data.count, "dogs in the Realm")
    }

    private func create(in realm: Realm, of persons: [Person]) throws {
        try realm.write {
            for id in 0..<data.count {
                let row = data.dog(id)
                let values: [Any] = [
                    id, data.names[row.name], row.age, row.weight, data.breeds[row.breed], persons[row.owner],
                ]
                realm.create(Dog.self, value: values)
            }
        }
    }

    private func insertIntoSQLite(_ watch: inout Stopwatch, thenIndexes: Bool) throws {
        remove(sqliteFile)
        let peer = try data.sqlite(sqliteFile, hasIndex: !thenIndexes)
        try data.addPersons(to: peer)
        try watch.time { try data.addDogs(to: peer, thenIndexes: thenIndexes) }
        try check(Int(try peer.prepare("SELECT count(*) FROM dog").answer()[0]), data.count, "dogs in SQLite")
    }
}
