import Causeway
import Foundation

/// Writing, reading and keeping a million objects, beside SQLite with the same rows and indexes.
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
        report(try opening())
        report(try lookups())
        report(try sequences())
        report(try updates())
        report(try deletes())
        report(try lists())
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
        var (added, bulk, created, theirs): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
        for _ in 0..<(smoke ? 1 : 3) {
            bulk.append(try insert { realm, persons in try createAll(in: realm, of: persons) })
            created.append(try insert { realm, persons in try create(in: realm, of: persons) })
            added.append(try insert { realm, persons in try data.addDogs(to: realm, of: persons) })
            theirs.append(try insertIntoSQLite())
        }
        func rate(_ times: [Double]) -> Double { Double(data.count) / (median(times) / 1e9) }
        func row(_ name: String, _ times: [Double]) -> Row {
            .more(
                Self.group, "insert \(data.count), \(name) (three runs)", "/s", ours: rate(times),
                peer: ("SQLite", rate(theirs)), ratioTarget: 4)
        }
        func least(_ name: String, _ times: [Double], _ least: Double) -> Row {
            .more(
                Self.group, "insert \(data.count), \(name) (three runs), at least", "/s", ours: rate(times),
                least: least)
        }
        return [
            least("realm.add", added, 600_000), row("realm.add", added),
            least("bulk", bulk, 1_500_000), row("bulk", bulk),
            row("realm.create of arrays", created),
        ]
    }

    private func insert(_ body: (Realm, [Person]) throws -> Void) throws -> Double {
        remove(realmFile)
        let realm = try DogData.realm(realmFile)
        let persons = try data.addPersons(to: realm)
        let time = try ContinuousClock().measure { try body(realm, persons) }
        try check(realm.objects(Dog.self).count, data.count, "dogs in the Realm")
        return time.nanoseconds
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

    private func createAll(in realm: Realm, of persons: [Person]) throws {
        try realm.write {
            try realm.create(Dog.self, from: 0..<data.count) { dog in
                dog.set(\.id) { $0 }
                dog.set(\.name) { data.names[data.dog($0).name] }
                dog.set(\.age) { data.dog($0).age }
                dog.set(\.weight) { data.dog($0).weight }
                dog.set(\.breed) { data.breeds[data.dog($0).breed] }
                dog.set(\.owner) { persons[data.dog($0).owner] }
            }
        }
    }

    private func insertIntoSQLite() throws -> Double {
        remove(sqliteFile)
        let peer = try data.sqlite(sqliteFile)
        try data.addPersons(to: peer)
        let time = try ContinuousClock().measure { try data.addDogs(to: peer) }
        try check(Int(try peer.prepare("SELECT count(*) FROM dog").answer()[0]), data.count, "dogs in SQLite")
        return time.nanoseconds
    }

    func check(_ found: Int, _ expected: Int, _ what: String) throws {
        guard found == expected else {
            throw Duel.Disagreement(description: "\(what): \(found) instead of \(expected)")
        }
    }
}
