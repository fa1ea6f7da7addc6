import Causeway
import Foundation

/// How large the file of a million is, and what it costs to open it.
extension StoreBenchmarks {
    func sizes() throws -> [Row] {
        try SQLitePeer(sqliteFile).execute("PRAGMA wal_checkpoint(TRUNCATE)")
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
        [
            try opening("warm, at most", isCold: false, runs: smoke ? 3 : 50, most: 0.3),
            try opening("cold (posix_fadvise), at most", isCold: true, runs: smoke ? 3 : 15, most: 2),
        ]
    }

    /// From the path to one property of the first object.
    private func opening(_ name: String, isCold: Bool, runs: Int, most: Double) throws -> Row {
        var (ours, theirs): ([Double], [Double]) = ([], [])
        let clock = ContinuousClock()
        // What was opened is given out, so that closing it is not measured.
        func timed<Opened>(_ times: inout [Double], _ open: () throws -> (Opened, age: Int)) throws {
            var opened: (Opened, age: Int)?
            times.append(try clock.measure { opened = try open() }.nanoseconds / 1e6)
            try check(opened?.age ?? -1, data.dog(0).age, "the age of the first dog")
        }
        for _ in 0..<runs {
            if isCold { try [realmFile, sqliteFile].forEach(dropFromMemory) }
            try timed(&ours) {
                let realm = try DogData.realm(realmFile)
                return (realm, realm.objects(Dog.self).first?.age ?? -1)
            }
            try timed(&theirs) {
                let peer = try SQLitePeer(sqliteFile)
                return (peer, Int(try peer.prepare("SELECT age FROM dog LIMIT 1").answer()[0]))
            }
        }
        return .less(
            Self.group, "open and read the first object, \(name)", "ms", ours: median(ours),
            peer: ("SQLite", median(theirs)), most: most)
    }

    /// Asks the system to forget what it holds of a file, which it does with what is on the disk and mapped by nobody.
    private func dropFromMemory(_ file: URL) throws {
        let descriptor = Glibc.open(file.path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        guard descriptor >= 0, fdatasync(descriptor) == 0,
            posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0
        else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
}
