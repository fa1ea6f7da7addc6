import CausewayPrograms
import CausewaySeeds
import CausewayStorage
import Foundation
import Testing

/// [I1] for several processes at once: whoever is killed, and when, the others go on with a file that adds up.
@Suite("Processes that share a file and are killed", .serialized)
struct KilledProcessesTests {
    private static let seeds = SeedList.drawn(for: "killed-processes", count: 1)

    private static let peerCount = 4

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test("after many kills the file adds up, nothing is pinned and no page is lost", arguments: seeds, [false, true])
    func kills(seed: UInt64, isEncrypted: Bool) throws {
        let seconds = Double(Self.number("CAUSEWAY_STORAGE_KILL_SECONDS") ?? 10) / 2
        let file = try PeerFile(isEncrypted: isEncrypted)
        var run = KillRun(file, seed: seed)
        try run.begin(Self.peerCount)
        let end = Date().addingTimeInterval(seconds)
        while Date() < end { try run.killOne() }
        let promised = try run.endAll()
        #expect(run.kills > 0 && promised > 1, "seed \(seed)")
        try checkAfterwards(file, promised: promised, seed)
        print("seed \(seed): \(run.kills) kills, \(promised) commits")
    }

    private func checkAfterwards(_ file: PeerFile, promised: UInt64, _ seed: UInt64) throws {
        #expect(file.complaints == "", "seed \(seed)")
        let storage = try file.open()
        #expect(try storage.newestVersion() >= promised, "seed \(seed)")
        #expect(try storage.verify { _, _ in }.problems == [], "seed \(seed)")
        // What is pinned now is pinned by this process alone, and so after the next commit nothing is.
        let writer = try storage.write()
        writer.put(tree: 9, key: UnsafeRawBufferPointer(start: nil, count: 0), value: .init(start: nil, count: 0))
        _ = try writer.commit(.durable)
        let oldest = try storage.statistics().oldestSnapshot
        #expect(oldest?.commitsBehind ?? 0 == 0 && oldest?.processID ?? getpid() == getpid(), "seed \(seed)")
        try storage.compact()
        let statistics = try storage.statistics()
        #expect(statistics.pinnedBytes <= 64 << 10, "seed \(seed): \(statistics)")
        #expect(statistics.sizeBytes <= statistics.usedBytes + statistics.usedBytes / 4 + 128 << 10, "seed \(seed)")
        #expect(try storage.verify { _, _ in }.problems == [], "seed \(seed)")
    }
}

/// Peers that live and die.
private struct KillRun {
    private let file: PeerFile
    private let seed: UInt64
    private var random: SeededNumbers
    private var peers: [ChildProcess] = []
    private(set) var kills = 0
    private var started: UInt64 = 0
    /// The largest number of a commit that returned.
    private var said: UInt64 = 0

    init(_ file: PeerFile, seed: UInt64) {
        self.file = file
        self.seed = seed
        random = SeededNumbers(seed: seed)
    }

    mutating func begin(_ count: Int) throws {
        let first = try file.start("begin")
        #expect(try file.line(of: first) == "begun at 1")
        _ = try first.nextLine()
        for _ in 0..<count { try startOne() }
    }

    private mutating func startOne() throws {
        started += 1
        peers.append(try file.start("live", String(seed &* 1000 &+ started)))
    }

    /// Lets them live for a moment and kills one, mostly; now and then all at once, so that the next one is the first.
    mutating func killOne() throws {
        usleep(UInt32(random.number(100_000...400_000)))
        for peer in peers { try #require(peer.isRunning, "seed \(seed): a peer stopped by itself: \(file.complaints)") }
        let count = random.once(in: 8) ? peers.count : 1
        for _ in 0..<count {
            let victim = peers.remove(at: random.below(peers.count))
            victim.kill()
            kills += 1
            try listen(to: victim)
        }
        if count > 1, random.once(in: 2) { try checkAlone() }
        for _ in 0..<count { try startOne() }
    }

    private mutating func listen(to peer: ChildProcess) throws {
        while let line = try peer.nextLine() {
            said = max(said, line.split(separator: " ").last.flatMap { UInt64($0) } ?? 0)
        }
    }

    /// Nobody has the file open.
    private mutating func checkAlone() throws {
        let checker = try file.start("check")
        let line = try file.line(of: checker)
        let version = try #require(
            line.split(separator: " ").last.flatMap { UInt64($0) }, "seed \(seed): \(line), \(file.complaints)")
        #expect(version >= said, "seed \(seed): a commit that had returned is gone")
        _ = try checker.nextLine()
    }

    /// Half of them are killed, the others end as they should. Answers the number of a commit that must be there.
    mutating func endAll() throws -> UInt64 {
        for (index, peer) in peers.enumerated() where index.isMultiple(of: 2) { peer.kill() }
        for (index, peer) in peers.enumerated() {
            if !index.isMultiple(of: 2) { peer.send("end") }
            try listen(to: peer)
        }
        peers = []
        try checkAlone()
        return said
    }
}
