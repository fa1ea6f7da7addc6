import Causeway
import CausewayMeasuring
import CausewayStorage
import Foundation

/// One property, changed and made durable: through a Realm, in the page store by itself, in SQLite and in LMDB.
extension StoreBenchmarks {
    func commits() throws -> [Row] {
        let realm = try DogData.realm(file("commit.realm"))
        var small = data
        small.count = 1_000
        small.persons = 100
        try small.addDogs(to: realm, of: small.addPersons(to: realm))
        let peer = try small.sqlite(file("commit.sqlite"))
        try small.addPersons(to: peer)
        try small.addDogs(to: peer)
        let update = try peer.prepare("UPDATE dog SET age = ? WHERE id = 500")
        let lmdb = try LMDBPeer(file("commit.lmdb"))
        let pages = StorageBenchmarks(folder: folder, smoke: smoke)
        let storage = try pages.open("bare-commit")
        try pages.fill(storage, 1_000)
        guard let dog = realm.object(ofType: Dog.self, forPrimaryKey: 500) else { return [] }
        let samples = try Commits.run(
            smoke: smoke,
            [
                { number in try realm.write { dog.age = number } },
                { number in try StorageBenchmarks.commit(500, UInt64(number), to: storage, .durable) },
                { number in
                    update.bind(1, number)
                    update.run()
                },
                { number in try lmdb.commit(key: 500, value: UInt64(number)) },
            ])
        let (ours, bare, sqlite, raw) = (samples[0], samples[1], samples[2], samples[3])
        func row(
            _ peer: String, _ other: Sample, least: Double? = nil, _ name: String, _ value: (Sample) -> Double
        ) -> Row {
            .more(
                Self.group, "durable commits of one property\(name)", "/s", ours: 1e9 / value(ours),
                peer: (peer, 1e9 / value(other)), ratioTarget: least, under: .hot(ours, other))
        }
        func rows(_ name: String, _ value: (Sample) -> Double) -> [Row] {
            [
                row("page store", bare, least: 1 / 1.15, name, value), row("SQLite", sqlite, least: 1, name, value),
                row("LMDB", raw, name, value),
            ]
        }
        return rows("", \.median) + rows(", mean", \.mean)
    }
}
