import Causeway
import CausewayStorage
import Foundation

/// One property, changed and made durable: through a Realm, in the page store by itself, in SQLite and in LMDB.
extension StoreBenchmarks {
    func commits() throws -> [Row] {
        let count = smoke ? 10 : 400
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
        // One commit of each in turn, so that a busy moment of the disk falls on all of them.
        var (ours, bare, sqlite, raw): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
        let clock = ContinuousClock()
        for index in 0..<count {
            ours.append(try clock.measure { try realm.write { dog.age = index } }.nanoseconds)
            bare.append(
                try clock.measure {
                    try StorageBenchmarks.commit(500, UInt64(index), to: storage, .durable)
                }.nanoseconds)
            sqlite.append(
                clock.measure {
                    update.bind(1, index)
                    update.run()
                }.nanoseconds)
            raw.append(try clock.measure { try lmdb.commit(key: 500, value: UInt64(index)) }.nanoseconds)
        }
        func row(_ peer: String, _ times: [Double], least: Double? = nil) -> Row {
            .more(
                Self.group, "durable commits of one property", "/s", ours: 1e9 / median(ours),
                peer: (peer, 1e9 / median(times)), ratioTarget: least)
        }
        return [
            row("page store", bare, least: 1 / 1.15), row("SQLite", sqlite, least: 1), row("LMDB", raw),
        ]
    }
}
