import Causeway
import CausewayMeasuring
import CausewaySeeds
import Foundation

/// Objects deleted one after the other, many in one durable transaction.
extension EverydayBenchmarks {
    func deletes(_ files: Files, _ report: ([Row]) -> Void) throws {
        let realm = try DogData.realm(files.realm)
        let peer = try SQLitePeer(files.sqlite)
        let delete = try peer.prepare("DELETE FROM dog WHERE id = ?")
        var random = SeededNumbers(seed: 30)
        let shuffled = (0..<data.count).shuffled(using: &random)
        let count = data.count / 10
        var (ours, theirs) = (Stopwatch(), Stopwatch())
        for run in 0..<(smoke ? 1 : 5) {
            let ids = shuffled[run * count..<(run + 1) * count]
            try ours.time {
                try realm.write {
                    for id in ids {
                        if let dog = realm.object(ofType: Dog.self, forPrimaryKey: id) { realm.delete(dog) }
                    }
                }
            }
            try theirs.time {
                try peer.write {
                    for id in ids {
                        delete.bind(1, id)
                        delete.run()
                    }
                }
            }
        }
        let left = Int(try peer.prepare("SELECT count(*) FROM dog").answer()[0])
        try check(realm.objects(Dog.self).count, left, "dogs after the deletes")
        report([
            rate(
                "delete \(count) random by primary key", ours.sample(operations: count),
                theirs.sample(operations: count), least: 400_000)
        ])
    }
}
