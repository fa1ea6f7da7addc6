import CausewaySeeds
import CausewayStorage
import Foundation

/// Writing much at once, and what a large file costs to open.
extension StorageBenchmarks {
    // MARK: - Trees

    /// All entries in one durable transaction, into an empty storage.
    func inserts() throws -> [Row] {
        var random = SeededNumbers(seed: 6)
        let shuffled = (0..<UInt64(entries)).shuffled(using: &random)
        return [
            try inserts("sorted insert", Array(0..<UInt64(entries)), isSorted: true),
            try inserts("random insert", shuffled, isSorted: false),
        ]
    }

    private func inserts(_ name: String, _ keys: [UInt64], isSorted: Bool) throws -> Row {
        var (ours, theirs): ([Double], [Double]) = ([], [])
        let clock = ContinuousClock()
        for _ in 0..<(smoke ? 1 : 3) {
            remove("insert")
            remove("insert.lmdb")
            let storage = try open("insert")
            let time = try clock.measure {
                let writer = try storage.write()
                for key in keys { Self.put(key, key, to: writer) }
                _ = try writer.commit(.durable)
            }
            ours.append(time.nanoseconds / Double(keys.count))
            let lmdb = try LMDBPeer(file("insert.lmdb"))
            let theirTime = try clock.measure {
                try lmdb.write { put in
                    for key in keys { try withUnsafeBytes(of: key) { try put(key.bigEndian, $0, isSorted) } }
                }
            }
            theirs.append(theirTime.nanoseconds / Double(keys.count))
        }
        return .less(
            Self.group, "\(name) of \(keys.count) entries", "ns/entry", ours: median(ours),
            peer: ("LMDB", median(theirs)), ratioTarget: 1)
    }

    // MARK: - Leaves

    private static let leafBytes = 8176
    private static let leavesEachCommit = 4096
    private var loads: Int { smoke ? 1 : 3 }
    /// Three loads make a file of more than 1 GB.
    private var commitsEachLoad: Int { smoke ? 1 : 12 }

    /// Beside the same bytes written to a plain file and synced: what the disk does by itself.
    func bulkLoad() throws -> [Row] {
        let storage = try open("bulk")
        let leaf = [UInt8](repeating: 7, count: Self.leafBytes)
        let bytes = Double(commitsEachLoad * Self.leavesEachCommit * Self.leafBytes)
        var (ours, disk): ([Double], [Double]) = ([], [])
        let clock = ContinuousClock()
        for load in 0..<loads {
            disk.append(bytes / (try clock.measure { try writePlainFile() }).nanoseconds)
            let time = try clock.measure {
                for commit in 0..<commitsEachLoad {
                    let writer = try storage.write()
                    for number in 0..<Self.leavesEachCommit {
                        let number = UInt32(commit * Self.leavesEachCommit + number)
                        leaf.withUnsafeBytes { writer.replaceLeaf(column: UInt32(load), number: number, $0) }
                    }
                    _ = try writer.commit(commit == commitsEachLoad - 1 ? .durable : .relaxed)
                }
            }
            ours.append(bytes / time.nanoseconds)
        }
        // Nobody can ask for more than the disk gives.
        return [
            .more(
                Self.group, "bulk load of leaves with the sync, at least", "GB/s", ours: median(ours),
                peer: ("disk", median(disk)), least: min(1, 0.9 * median(disk)))
        ]
    }

    private func writePlainFile() throws {
        let chunk = [UInt8](repeating: 7, count: Self.leavesEachCommit * Self.leafBytes)
        let descriptor = Glibc.open(path("plain"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer {
            close(descriptor)
            remove("plain")
        }
        var status = descriptor < 0 ? -1 : 0
        for commit in 0..<commitsEachLoad where status == 0 {
            let offset = commit * chunk.count
            let written = chunk.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
            if written != chunk.count { status = -1 }
        }
        if status == 0 { status = Int(fdatasync(descriptor)) }
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    // MARK: - Opening

    /// A file of nothing, and the one that the bulk load made.
    func opening() throws -> [Row] {
        try fill(open("small"), 10)
        let bytes = (try FileManager.default.attributesOfItem(atPath: path("bulk"))[.size] as? Int) ?? 0
        return [
            .less(Self.group, "open a small file, at most", "ms", ours: try opening("small"), most: 0.2),
            .less(
                Self.group, "open a file of \(bytes >> 20) MB, at most", "ms", ours: try opening("bulk"), most: 0.2),
        ]
    }

    /// Milliseconds from the path to the first snapshot.
    private func opening(_ name: String) throws -> Double {
        var times: [Double] = []
        let clock = ContinuousClock()
        for _ in 0..<(smoke ? 3 : 50) {
            var storage: (any Storage)?
            var snapshot: (any StorageSnapshot)?
            times.append(
                try clock.measure {
                    storage = try open(name)
                    snapshot = try storage?.snapshot()
                }.nanoseconds / 1e6)
            guard snapshot != nil else { continue }
            snapshot = nil
            storage = nil
        }
        return median(times)
    }
}
