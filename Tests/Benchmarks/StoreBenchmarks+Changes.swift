import CausewaySeeds
import Causeway
import Foundation

/// Changing and deleting objects at random, many in one durable transaction.
extension StoreBenchmarks {
    private var changes: Int { data.count / 10 }
    private var runs: Int { smoke ? 1 : 5 }

    func updates() throws -> [Row] {
        let realm = try DogData.realm(realmFile)
        let peer = try SQLitePeer(sqliteFile)
        let update = try peer.prepare("UPDATE dog SET age = ? WHERE id = ?")
        var (held, found, theirs): ([Double], [Double], [Double]) = ([], [], [])
        let clock = ContinuousClock()
        for run in 0..<runs {
            var random = SeededNumbers(seed: UInt64(20 + run))
            let ids = (0..<changes).map { _ in Int(random.next() % UInt64(data.count)) }
            let dogs = ids.compactMap { realm.object(ofType: Dog.self, forPrimaryKey: $0) }
            held.append(
                try clock.measure {
                    try realm.write { for (dog, id) in zip(dogs, ids) { dog.age = (id + run) % 20 } }
                }.nanoseconds)
            found.append(
                try clock.measure {
                    try realm.write {
                        for id in ids {
                            realm.object(ofType: Dog.self, forPrimaryKey: id)?.age = (id + run + 1) % 20
                        }
                    }
                }.nanoseconds)
            theirs.append(
                try clock.measure {
                    try peer.execute("BEGIN IMMEDIATE")
                    for id in ids {
                        update.bind(1, (id + run + 1) % 20)
                        update.bind(2, id)
                        update.run()
                    }
                    try peer.execute("COMMIT")
                }.nanoseconds)
        }
        let sum = Int(try peer.prepare("SELECT sum(age) FROM dog").answer()[0])
        try check(realm.objects(Dog.self).sum(of: \.age), sum, "the sum of ages after the updates")
        return [
            rate("update \(changes) random by primary key", found, theirs),
            rate("update \(changes) random objects at hand", held, theirs),
        ]
    }

    /// As apps do it: one object after the other, and what a query finds at once.
    func deletes() throws -> [Row] {
        let realm = try DogData.realm(realmFile)
        let peer = try SQLitePeer(sqliteFile)
        let delete = try peer.prepare("DELETE FROM dog WHERE id = ?")
        var random = SeededNumbers(seed: 30)
        let shuffled = (0..<data.count).shuffled(using: &random)
        var (ours, theirs): ([Double], [Double]) = ([], [])
        let clock = ContinuousClock()
        for run in 0..<runs {
            let ids = shuffled[run * changes..<(run + 1) * changes]
            ours.append(
                try clock.measure {
                    try realm.write {
                        for id in ids {
                            if let dog = realm.object(ofType: Dog.self, forPrimaryKey: id) { realm.delete(dog) }
                        }
                    }
                }.nanoseconds)
            theirs.append(
                try clock.measure {
                    try peer.execute("BEGIN IMMEDIATE")
                    for id in ids {
                        delete.bind(1, id)
                        delete.run()
                    }
                    try peer.execute("COMMIT")
                }.nanoseconds)
        }
        let found = try deletesOfResults(realm, peer)
        let left = Int(try peer.prepare("SELECT count(*) FROM dog").answer()[0])
        try check(realm.objects(Dog.self).count, left, "dogs after the deletes")
        return [rate("delete \(changes) random by primary key", ours, theirs), found]
    }

    /// A twentieth of what is left each time, found by a scan and spread over all of it.
    private func deletesOfResults(_ realm: Realm, _ peer: SQLitePeer) throws -> Row {
        let delete = try peer.prepare("DELETE FROM dog WHERE age = ?")
        var (ours, theirs): ([Double], [Double]) = ([], [])
        let clock = ContinuousClock()
        for age in 0..<runs {
            let dogs = realm.objects(Dog.self)
            let count = dogs.count
            let time = try clock.measure { try realm.write { realm.delete(dogs.where { $0.age == age }) } }
            let deleted = Double(count - dogs.count)
            ours.append(deleted / (time.nanoseconds / 1e9))
            let theirTime = clock.measure {
                delete.bind(1, age)
                delete.run()
            }
            theirs.append(deleted / (theirTime.nanoseconds / 1e9))
        }
        return .more(
            Self.group, "delete the results of a query, a twentieth of all", "/s", ours: median(ours),
            peer: ("SQLite", median(theirs)), ratioTarget: 6)
    }

    private func rate(_ name: String, _ ours: [Double], _ theirs: [Double]) -> Row {
        let count = Double(changes)
        return .more(
            Self.group, name, "/s", ours: count / (median(ours) / 1e9),
            peer: ("SQLite", count / (median(theirs) / 1e9)), ratioTarget: 6)
    }
}
