import CausewayMeasuring
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
        var (ours, theirs) = (Stopwatch(), Stopwatch())
        for _ in 0..<(smoke ? 1 : 3) {
            remove("insert")
            remove("insert.lmdb")
            let storage = try open("insert")
            try ours.time {
                let writer = try storage.write()
                for key in keys { Self.put(key, key, to: writer) }
                _ = try writer.commit(.durable)
            }
            let lmdb = try LMDBPeer(file("insert.lmdb"))
            try theirs.time {
                try lmdb.write { put in
                    for key in keys { try withUnsafeBytes(of: key) { try put(key.bigEndian, $0, isSorted) } }
                }
            }
        }
        let (here, there) = (ours.sample(operations: keys.count), theirs.sample(operations: keys.count))
        return .less(
            Self.group, "\(name) of \(keys.count) entries", "ns/entry", ours: here.median,
            peer: ("LMDB", there.median), ratioTarget: 1, under: .hot(here, there))
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
        var (ours, disk) = (Stopwatch(), Stopwatch())
        for load in 0..<loads {
            try disk.time { try writePlainFile() }
            try ours.time {
                for commit in 0..<commitsEachLoad {
                    let writer = try storage.write()
                    for number in 0..<Self.leavesEachCommit {
                        let number = UInt32(commit * Self.leavesEachCommit + number)
                        leaf.withUnsafeBytes { writer.replaceLeaf(column: UInt32(load), number: number, $0) }
                    }
                    _ = try writer.commit(commit == commitsEachLoad - 1 ? .durable : .relaxed)
                }
            }
        }
        let (here, plain) = (ours.sample(), disk.sample())
        // Nobody can ask for more than the disk gives.
        return [
            .more(
                Self.group, "bulk load of leaves with the sync, at least", "GB/s", ours: bytes / here.median,
                peer: ("disk", bytes / plain.median), least: min(1, 0.9 * bytes / plain.median),
                under: .hot(here, plain))
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
            try opening("small", "open a small file, at most"),
            try opening("bulk", "open a file of \(bytes >> 20) MB, at most"),
        ]
    }

    /// From the path to the first snapshot.
    private func opening(_ name: String, _ words: String) throws -> Row {
        var watch = Stopwatch()
        for _ in 0..<(smoke ? 3 : 50) {
            // What was opened is given out, so that closing it is not measured.
            let opened = try watch.time {
                let storage = try open(name)
                return (storage, try storage.snapshot())
            }
            withExtendedLifetime(opened) {}
        }
        let sample = watch.sample(operations: 1_000_000)
        return .less(Self.group, words, "ms", ours: sample.median, most: 0.2, under: .hot(sample))
    }
}
