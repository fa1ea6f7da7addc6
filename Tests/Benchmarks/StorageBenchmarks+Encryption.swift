import CausewayStorage
import Foundation

/// What encryption costs: the same work on an encrypted file and on a plain one.
extension StorageBenchmarks {
    func encryption() throws -> [Row] {
        let sealed = try encryption("sealed", isEncrypted: true)
        let plain = try encryption("plain-pages", isEncrypted: false)
        func row(_ name: String, _ unit: String, _ part: (Times) -> Double) -> Row {
            .less(Self.group, "encrypted: " + name, unit, ours: part(sealed), peer: ("plain", part(plain)))
        }
        return [
            row("durable commit of one value", "µs", \.commit),
            row("durable insert of \(entries) entries", "ns/entry", \.insert),
            row("first scan after opening", "ns/entry", \.firstScan),
            row("scan", "ns/entry", \.scan),
        ]
    }

    private struct Times {
        var insert = 0.0
        var commit = 0.0
        var firstScan = 0.0
        var scan = 0.0
    }

    private func encryption(_ name: String, isEncrypted: Bool) throws -> Times {
        var times = Times()
        let clock = ContinuousClock()
        do {
            let storage = try open(name, isEncrypted: isEncrypted)
            times.insert = try clock.measure { try fill(storage, entries) }.nanoseconds / Double(entries)
            let commits = try (0..<(smoke ? 10 : 200)).map { index in
                try clock.measure { try Self.commit(500, UInt64(index), to: storage, .durable) }.nanoseconds
            }
            times.commit = median(commits) / 1000
        }
        let firstScans = try (0..<runs).map { _ in
            let storage = try open(name, isEncrypted: isEncrypted)
            let snapshot = try storage.snapshot()
            return clock.measure { Self.scan(snapshot) }.nanoseconds / Double(entries)
        }
        times.firstScan = median(firstScans)
        let snapshot = try open(name, isEncrypted: isEncrypted).snapshot()
        times.scan = medianNanoseconds(runs: runs + 1, operations: entries) { Self.scan(snapshot) }
        return times
    }
}
