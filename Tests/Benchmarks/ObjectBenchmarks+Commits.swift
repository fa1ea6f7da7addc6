import Causeway
import CausewayMeasuring
import Foundation

/// One property, changed and made durable, again and again.
extension ObjectBenchmarks {
    func commit() throws -> [Row] {
        let realm = try realm("commit.realm")
        try fill(realm, 1_000)
        let peer = try sqlite("commit.sqlite")
        try fill(peer, 1_000)
        let lmdb = try LMDBPeer(folder.appendingPathComponent("commit.lmdb"))
        let update = try peer.prepare("UPDATE dog SET age = ? WHERE id = 500")
        guard let dog = realm.object(ofType: Pup.self, forPrimaryKey: 500) else { return [] }
        let samples = try Commits.run(
            smoke: smoke,
            [
                { number in try realm.write { dog.age = number } },
                { number in
                    update.bind(1, number)
                    update.run()
                },
                { number in try lmdb.commit(key: 500, value: UInt64(number)) },
            ])
        return Commits.rows(
            "commit", "one property, durable", ours: samples[0],
            [Commits.Peer("LMDB", samples[2], least: 1 / 1.2), Commits.Peer("SQLite", samples[1])])
    }
}
