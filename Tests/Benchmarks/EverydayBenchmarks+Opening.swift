import Causeway
import CausewayMeasuring
import Foundation

/// What it costs to open a file of a million.
extension EverydayBenchmarks {
    /// - Parameter files: of a million objects, which nobody has open.
    func opening(_ files: Files, _ report: ([Row]) -> Void) throws {
        report([try opening(files, "warm", isCold: false, runs: smoke ? 3 : 50, most: 0.12)])
        guard PageCache.isOnDisk(files.realm) else { return }
        report([try opening(files, "cold (posix_fadvise)", isCold: true, runs: smoke ? 3 : 15)])
    }

    /// From the path to one property of the first object.
    private func opening(
        _ files: Files, _ name: String, isCold: Bool, runs: Int, most: Double? = nil
    ) throws -> Row {
        var (ours, theirs) = (Stopwatch(), Stopwatch())
        // What was opened is given out, so that closing it is not measured.
        func timed<Opened>(_ watch: inout Stopwatch, _ open: () throws -> (Opened, age: Int)) throws {
            let opened = try watch.time(open)
            try check(opened.age, data.dog(0).age, "the age of the first dog")
        }
        for _ in 0..<runs {
            if isCold { try [files.realm, files.sqlite].forEach(PageCache.drop) }
            try timed(&ours) {
                let realm = try DogData.realm(files.realm)
                return (realm, realm.objects(Dog.self).first?.age ?? -1)
            }
            try timed(&theirs) {
                // Nothing is set that one read does not need.
                let peer = try SQLitePeer(files.sqlite, settings: [])
                return (peer, Int(try peer.prepare("SELECT age FROM dog LIMIT 1").answer()[0]))
            }
        }
        let (here, there) = (ours.sample(operations: 1_000_000), theirs.sample(operations: 1_000_000))
        return .less(
            Self.group, "open and read the first object, \(name)", "ms", ours: here.median,
            peer: ("SQLite", there.median), most: most, under: isCold ? .cold(here, there) : .hot(here, there))
    }
}
