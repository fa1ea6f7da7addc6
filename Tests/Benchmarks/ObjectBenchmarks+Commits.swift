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
        guard let dog = realm.object(ofType: Pup.self, forPrimaryKey: 500) else { return [] }
        let samples = try Commits.ofOneDog(smoke: smoke, sqlite: peer, lmdb: lmdb) { number in
            try realm.write { dog.age = number }
        }
        return Commits.rows(
            "commit", "one property, durable", ours: samples.ours,
            [Commits.Peer("LMDB", samples.lmdb, least: 1 / 1.2), Commits.Peer("SQLite", samples.sqlite)])
    }
}
