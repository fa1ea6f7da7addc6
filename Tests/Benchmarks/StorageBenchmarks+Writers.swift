import CausewayMeasuring
import CausewayStorage
import Foundation
import Synchronization

/// Writers that want durable commits at the same time: what a group commit would give them. Each waits for the disk in its turn to
/// write, as a durable commit does, or behind it, where one fsync serves all who wait. The latter shows others what a loss of power
/// may still take away.
extension StorageBenchmarks {
    func writersTogether() throws -> [Row] {
        let writers = 4
        let (each, rounds) = smoke ? (8, 1) : (500, 5)
        let storage = try open("writers")
        try fill(storage, smoke ? writers : 1_000)
        var watches = [Stopwatch(), Stopwatch()]
        let ways: [@Sendable (_ key: UInt64, _ value: UInt64) throws -> Void] = [
            { key, value in try Self.commit(key, value, to: storage, .durable) },
            { key, value in
                try Self.commit(key, value, to: storage, .relaxed)
                try storage.synchronize()
            },
        ]
        for way in ways { try Self.atOnce(writers, each, way) }
        for round in 0..<rounds {
            for number in [round % 2, 1 - round % 2] {
                try watches[number].time { try Self.atOnce(writers, each, ways[number]) }
            }
        }
        let names = ["each syncs in its turn", "they sync together behind it"]
        return zip(names, watches.map { $0.sample() }).map { name, sample in
            .more(
                Self.group, "durable commits of four writers: \(name)", "/s",
                ours: Double(writers * each) / sample.median * 1e9,
                under: Conditions(threads: writers, cache: .hot, runs: rounds))
        }
    }

    /// Runs so many threads, each of which commits so often to a key of its own.
    private static func atOnce(
        _ writers: Int, _ each: Int, _ commit: @escaping @Sendable (_ key: UInt64, _ value: UInt64) throws -> Void
    ) throws {
        let failure = Mutex<(any Error)?>(nil)
        let all = DispatchGroup()
        for writer in 0..<writers {
            all.enter()
            Thread.detachNewThread {
                defer { all.leave() }
                do {
                    for number in 0..<each { try commit(UInt64(writer), UInt64(number)) }
                } catch {
                    failure.withLock { $0 = error }
                }
            }
        }
        all.wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}
