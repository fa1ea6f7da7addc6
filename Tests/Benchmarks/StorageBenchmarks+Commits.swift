import CausewaySeeds
import CausewayStorage
import Foundation

/// What a commit of one value of eight bytes costs, in a storage of a thousand.
extension StorageBenchmarks {
    private static let changed: UInt64 = 500
    private static let filled = 1000

    func durableCommits() throws -> [Row] {
        let count = smoke ? 10 : 400
        let storage = try open("commit")
        try fill(storage, Self.filled)
        let lmdb = try filledLMDB("commit.lmdb", isSynced: true)
        let sqlite = try SQLitePeer(file("commit.sqlite"))
        try sqlite.execute("CREATE TABLE entry (key INTEGER PRIMARY KEY, value INTEGER)")
        try sqlite.execute(
            "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.filled - 1)) "
                + "INSERT INTO entry SELECT i, i FROM n")
        let update = try sqlite.prepare("UPDATE entry SET value = ? WHERE key = \(Self.changed)")
        // One commit of each in turn, so that a busy moment of the disk falls on all of them.
        var (ours, theirs, raw): ([Double], [Double], [Double]) = ([], [], [])
        let clock = ContinuousClock()
        for index in 0..<count {
            ours.append(
                try clock.measure { try Self.commit(Self.changed, UInt64(index), to: storage, .durable) }.nanoseconds)
            raw.append(try clock.measure { try lmdb.commit(key: Self.changed, value: UInt64(index)) }.nanoseconds)
            theirs.append(
                clock.measure {
                    update.bind(1, index)
                    _ = update.step()
                    update.reset()
                }.nanoseconds)
        }
        let name = "durable commit of one value"
        return [
            .less(
                Self.group, name, "µs", ours: median(ours) / 1000, peer: ("LMDB", median(raw) / 1000),
                ratioTarget: 1.4),
            .less(
                Self.group, name, "µs", ours: median(ours) / 1000, peer: ("SQLite", median(theirs) / 1000),
                ratioTarget: 1),
        ]
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
        return [.more(Self.group, "grouped commits, eight tasks, at least", "/s", ours: rate, least: 30_000)]
    }

    func unsyncedCommits() throws -> [Row] {
        let count = smoke ? 100 : 20_000
        let storage = try open("unsynced")
        try fill(storage, Self.filled)
        let lmdb = try filledLMDB("unsynced.lmdb", isSynced: false)
        var random = SeededNumbers(seed: 3)
        let keys = (0..<count).map { _ in random.next() % UInt64(Self.filled) }
        let ours = try medianNanoseconds(runs: runs, operations: count) {
            for (number, key) in keys.enumerated() { try Self.commit(key, UInt64(number), to: storage, .relaxed) }
        }
        let theirs = try medianNanoseconds(runs: runs, operations: count) {
            for (number, key) in keys.enumerated() { try lmdb.commit(key: key, value: UInt64(number)) }
        }
        return [
            .less(
                Self.group, "unsynced commit of one value", "µs", ours: ours / 1000, peer: ("LMDB", theirs / 1000),
                ratioTarget: 1)
        ]
    }

    func snapshots() throws -> [Row] {
        let count = smoke ? 1000 : 1_000_000
        let storage = try open("snapshots")
        try fill(storage, Self.filled)
        let lmdb = try filledLMDB("snapshots.lmdb", isSynced: false)
        let ours = try medianNanoseconds(runs: runs, operations: count) {
            for _ in 0..<count { consume(try storage.snapshot()) }
        }
        let theirs = try medianNanoseconds(runs: runs, operations: count) {
            for _ in 0..<count { try lmdb.takeSnapshot() }
        }
        return [.less(Self.group, "taking a snapshot, at most", "ns", ours: ours, peer: ("LMDB", theirs), most: 50)]
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
