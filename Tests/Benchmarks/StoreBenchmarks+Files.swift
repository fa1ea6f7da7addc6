import Causeway
import CausewayMeasuring
import CausewaySeeds
import Foundation

/// How large the file of a million is, and what it costs to open it.
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

    func opening() throws -> [Row] {
        let hot = try opening("warm, at most", isCold: false, runs: smoke ? 3 : 50, most: 0.3)
        guard PageCache.isOnDisk(realmFile) else { return [hot] }
        return [
            hot, try opening("cold (posix_fadvise), at most", isCold: true, runs: smoke ? 3 : 15, most: 2),
            try coldLookups(),
        ]
    }

    /// From the path to one property of the first object.
    private func opening(_ name: String, isCold: Bool, runs: Int, most: Double) throws -> Row {
        var (ours, theirs) = (Stopwatch(), Stopwatch())
        // What was opened is given out, so that closing it is not measured.
        func timed<Opened>(_ watch: inout Stopwatch, _ open: () throws -> (Opened, age: Int)) throws {
            let opened = try watch.time(open)
            try check(opened.age, data.dog(0).age, "the age of the first dog")
        }
        for _ in 0..<runs {
            if isCold { try [realmFile, sqliteFile].forEach(PageCache.drop) }
            try timed(&ours) {
                let realm = try DogData.realm(realmFile)
                return (realm, realm.objects(Dog.self).first?.age ?? -1)
            }
            try timed(&theirs) {
                // Nothing is set that one read does not need.
                let peer = try SQLitePeer(sqliteFile, settings: [])
                return (peer, Int(try peer.prepare("SELECT age FROM dog LIMIT 1").answer()[0]))
            }
        }
        let (here, there) = (ours.sample(operations: 1_000_000), theirs.sample(operations: 1_000_000))
        return .less(
            Self.group, "open and read the first object, \(name)", "ms", ours: here.median,
            peer: ("SQLite", there.median), most: most, under: isCold ? .cold(here, there) : .hot(here, there))
    }

    /// The first objects that an app looks for after it was started, each of them on a page of its own.
    private func coldLookups() throws -> Row {
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
        return .less(
            Self.group, duel.name, "µs", ours: duel.ours.median / 1_000 / Double(lookups),
            peer: ("SQLite", duel.theirs.median / 1_000 / Double(lookups)), under: duel.conditions)
    }
}
