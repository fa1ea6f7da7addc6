import Causeway
import CausewayMeasuring
import CausewaySeeds
import Foundation

/// Changing and deleting objects at random, many in one durable transaction.
extension StoreBenchmarks {
    private var changes: Int { data.count / 10 }
    private var runs: Int { smoke ? 1 : 5 }

    func updates() throws -> [Row] {
        let realm = try DogData.realm(realmFile)
        let peer = try SQLitePeer(sqliteFile)
        let update = try peer.prepare("UPDATE dog SET age = ? WHERE id = ?")
        var (held, found, theirs) = (Stopwatch(), Stopwatch(), Stopwatch())
        for run in 0..<runs {
            var random = SeededNumbers(seed: UInt64(20 + run))
            let ids = (0..<changes).map { _ in Int(random.next() % UInt64(data.count)) }
            let dogs = ids.compactMap { realm.object(ofType: Dog.self, forPrimaryKey: $0) }
            try held.time {
                try realm.write { for (dog, id) in zip(dogs, ids) { dog.age = (id + run) % 20 } }
            }
            try found.time {
                try realm.write {
                    for id in ids {
                        realm.object(ofType: Dog.self, forPrimaryKey: id)?.age = (id + run + 1) % 20
                    }
                }
            }
            try theirs.time {
                try peer.write {
                    for id in ids {
                        update.bind(1, (id + run + 1) % 20)
                        update.bind(2, id)
                        update.run()
                    }
                }
            }
        }
        let sum = Int(try peer.prepare("SELECT sum(age) FROM dog").answer()[0])
        try check(realm.objects(Dog.self).sum(of: \.age), sum, "the sum of ages after the updates")
        return [
            rate("update \(changes) random by primary key", found, theirs),
            rate("update \(changes) random objects at hand", held, theirs),
        ]
    }

    /// What a query finds, at once.
    func deletes() throws -> [Row] {
        let realm = try DogData.realm(realmFile)
        let peer = try SQLitePeer(sqliteFile)
        let found = try deletesOfResults(realm, peer)
        let left = Int(try peer.prepare("SELECT count(*) FROM dog").answer()[0])
        try check(realm.objects(Dog.self).count, left, "dogs after the deletes")
        return [found]
    }

    /// A twentieth of what is left each time, found by a scan and spread over all of it.
    private func deletesOfResults(_ realm: Realm, _ peer: SQLitePeer) throws -> Row {
        let delete = try peer.prepare("DELETE FROM dog WHERE age = ?")
        var (ours, theirs) = (Stopwatch(), Stopwatch())
        var (ourRates, theirRates): ([Double], [Double]) = ([], [])
        for age in 0..<runs {
            let dogs = realm.objects(Dog.self)
            let count = dogs.count
            try ours.time { try realm.write { realm.delete(dogs.where { $0.age == age }) } }
            theirs.time {
                delete.bind(1, age)
                delete.run()
            }
            let deleted = Double(count - dogs.count)
            ourRates.append(deleted / ((ours.last ?? .nan) / 1e9))
            theirRates.append(deleted / ((theirs.last ?? .nan) / 1e9))
        }
        return .more(
            Self.group, "delete the results of a query, a twentieth of all", "/s", ours: ourRates.median,
            peer: ("SQLite", theirRates.median), ratioTarget: 6, under: .hot(ours.sample(), theirs.sample()))
    }

    private func rate(_ name: String, _ ours: Stopwatch, _ theirs: Stopwatch) -> Row {
        let (ours, theirs) = (ours.sample(operations: changes), theirs.sample(operations: changes))
        return .more(
            Self.group, name, "/s", ours: 1e9 / ours.median, peer: ("SQLite", 1e9 / theirs.median), ratioTarget: 6,
            under: .hot(ours, theirs))
    }
}
