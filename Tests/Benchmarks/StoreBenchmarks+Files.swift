import Causeway
import CausewayMeasuring
import CausewaySeeds
import Foundation

/// How large the file of a million is, and what it costs to find something in it once it was opened.
extension StoreBenchmarks {
    func sizes() throws -> [Row] {
        try SQLitePeer(sqliteFile).settle()
        func megabytes(_ file: URL) throws -> Double {
            let bytes = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
            return Double(bytes) / 1e6
        }
        return [
            .less(
                Self.group, "file after \(data.count) objects, at most", "MB", ours: try megabytes(realmFile),
                peer: ("SQLite", try megabytes(sqliteFile)), most: 45)
        ]
    }

    /// The first objects that an app looks for after it was started, each of them on a page of its own.
    func coldLookups() throws -> [Row] {
        guard PageCache.isOnDisk(realmFile) else { return [] }
        let lookups = 100
        func sum(_ age: (Int) throws -> Int) rethrows -> [Double] {
            var random = SeededNumbers(seed: 3)
            var sum = 0
            for _ in 0..<lookups { sum &+= try age(Int(random.next() % UInt64(data.count))) }
            return [Double(sum)]
        }
        let duel = try Duel(
            cold: "\(lookups) objects by primary key after opening, cold", runs: smoke ? 3 : 15, ourFile: realmFile,
            theirFile: sqliteFile,
            ours: {
                let realm = try DogData.realm(realmFile)
                return { sum { realm.object(ofType: Dog.self, forPrimaryKey: $0)?.age ?? 0 } }
            },
            theirs: {
                let peer = try SQLitePeer(sqliteFile)
                let select = try peer.prepare("SELECT age FROM dog WHERE id = ?")
                return {
                    try peer.read {
                        sum { id in
                            select.bind(1, id)
                            defer { select.reset() }
                            return select.step() ? select.integer(0) : 0
                        }
                    }
                }
            })
        return [
            .less(
                Self.group, duel.name, "µs", ours: duel.ours.median / 1_000 / Double(lookups),
                peer: ("SQLite", duel.theirs.median / 1_000 / Double(lookups)), under: duel.conditions)
        ]
    }
}
