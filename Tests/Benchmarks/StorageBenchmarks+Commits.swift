import CausewayMeasuring
import CausewaySeeds
import CausewayStorage
import Foundation
import Glibc

/// What a commit of one value of eight bytes costs, in a storage of a thousand.
extension StorageBenchmarks {
    private static let changed: UInt64 = 500
    private static let filled = 1000

    func durableCommits() throws -> [Row] {
        let storage = try open("commit")
        try fill(storage, Self.filled)
        let lmdb = try filledLMDB("commit.lmdb", isSynced: true)
        let sqlite = try SQLitePeer(file("commit.sqlite"))
        try sqlite.execute("CREATE TABLE entry (key INTEGER PRIMARY KEY, value INTEGER)")
        try sqlite.execute(
            "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.filled - 1)) "
                + "INSERT INTO entry SELECT i, i FROM n")
        let update = try sqlite.prepare("UPDATE entry SET value = ? WHERE key = \(Self.changed)")
        let samples = try Commits.run(
            smoke: smoke,
            [
                { number in try Self.commit(Self.changed, UInt64(number), to: storage, .durable) },
                { number in try lmdb.commit(key: Self.changed, value: UInt64(number)) },
                { number in
                    update.bind(1, number)
                    update.run()
                },
            ])
        return Commits.rows(
            Self.group, "durable commit of one value", ours: samples[0],
            [Commits.Peer("LMDB", samples[1], least: 1.4), Commits.Peer("SQLite", samples[2], least: 1)])
    }

    /// What the disk takes for the writes of a commit, in three shapes. The first is a header that carries the changes.
    /// The second is a commit that a header cannot carry: four pages in one place, and the header in another. The third
    /// writes the same bytes in one piece.
    func shapes() throws -> [Row] {
        let (page, pages) = (4_096, 4)
        let file = file("shapes").path
        let descriptor = Glibc.open(file, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw SQLitePeer.Failure(description: "cannot open \(file)") }
        defer { close(descriptor) }
        let size = smoke ? 1 << 20 : 16 << 20
        var bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 167) }
        guard pwrite(descriptor, bytes, size, 0) == size, fsync(descriptor) == 0 else {
            throw SQLitePeer.Failure(description: "cannot fill \(file)")
        }
        // Behind the header slots, and round the file.
        func place(_ number: Int, of written: Int) -> Int { pages * page + number * written % (size / 2) }
        func write(_ number: Int, _ count: Int, at place: Int) throws {
            bytes[count - 1] = UInt8(truncatingIfNeeded: number)
            guard pwrite(descriptor, bytes, count, off_t(place)) == count else {
                throw SQLitePeer.Failure(description: "cannot write \(file)")
            }
        }
        let samples = try Rotation.run(
            warmUp: smoke ? 0 : 500, count: smoke ? 10 : 2_000, block: 50,
            [
                { number in
                    try write(number, page, at: number % pages * page)
                    fdatasync(descriptor)
                },
                { number in
                    try write(number, pages * page, at: place(number, of: pages * page))
                    try write(number, page, at: number % pages * page)
                    fdatasync(descriptor)
                },
                { number in
                    try write(number, (pages + 1) * page, at: place(number, of: (pages + 1) * page))
                    fdatasync(descriptor)
                },
            ])
        let names = ["a header alone", "four pages and a header", "the same in one piece"]
        return zip(names, samples).map { name, sample in
            .less(
                Self.group, "the disk alone: \(name), fdatasync", "µs", ours: sample.median / 1_000,
                under: .hot(sample))
        }
    }

    /// Eight tasks commit as fast as they are let, and each waits now and then until what it did is on the disk.
    func groupedCommits() async throws -> [Row] {
        let tasks = 8
        let each = smoke ? 64 : 8192
        let waitsEvery = 64
        let storage = try open("grouped")
        try fill(storage, Self.filled)
        let clock = ContinuousClock()
        let duration = try await clock.measure {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<tasks {
                    group.addTask {
                        for index in 1...each {
                            let writer = try storage.write()
                            Self.put(UInt64(task), UInt64(index), to: writer)
                            let version = try writer.commit(.grouped(within: .milliseconds(2))).version
                            if index % waitsEvery == 0 { try await storage.whenDurable(version) }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        let rate = Double(tasks * each) / (duration.nanoseconds / 1e9)
        return [
            .more(
                Self.group, "grouped commits, eight tasks, at least", "/s", ours: rate, least: 30_000,
                under: Conditions(threads: tasks, cache: .hot, runs: 1))
        ]
    }

    func unsyncedCommits() throws -> [Row] {
        let count = smoke ? 100 : 20_000
        let storage = try open("unsynced")
        try fill(storage, Self.filled)
        let lmdb = try filledLMDB("unsynced.lmdb", isSynced: false)
        var random = SeededNumbers(seed: 3)
        let keys = (0..<count).map { _ in random.next() % UInt64(Self.filled) }
        let ours = try measure(runs: runs, operations: count) {
            for (number, key) in keys.enumerated() { try Self.commit(key, UInt64(number), to: storage, .relaxed) }
        }
        let theirs = try measure(runs: runs, operations: count) {
            for (number, key) in keys.enumerated() { try lmdb.commit(key: key, value: UInt64(number)) }
        }
        return [
            .less(
                Self.group, "unsynced commit of one value", "µs", ours: ours.median / 1000,
                peer: ("LMDB", theirs.median / 1000), ratioTarget: 1, under: .hot(ours, theirs))
        ]
    }

    func snapshots() throws -> [Row] {
        let count = smoke ? 1000 : 1_000_000
        let storage = try open("snapshots")
        try fill(storage, Self.filled)
        let lmdb = try filledLMDB("snapshots.lmdb", isSynced: false)
        let ours = try measure(runs: runs, operations: count) {
            for _ in 0..<count { consume(try storage.snapshot()) }
        }
        let theirs = try measure(runs: runs, operations: count) {
            for _ in 0..<count { try lmdb.takeSnapshot() }
        }
        return [
            .less(
                Self.group, "taking a snapshot, at most", "ns", ours: ours.median, peer: ("LMDB", theirs.median),
                most: 50, under: .hot(ours, theirs))
        ]
    }

    private func filledLMDB(_ name: String, isSynced: Bool) throws -> LMDBPeer {
        let peer = try LMDBPeer(file(name), isSynced: isSynced)
        try peer.write { put in
            for number in 0..<UInt64(Self.filled) {
                try withUnsafeBytes(of: number) { try put(number.bigEndian, $0, false) }
            }
        }
        return peer
    }
}
