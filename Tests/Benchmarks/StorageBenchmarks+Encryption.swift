import CausewayMeasuring
import CausewayStorage
import Foundation

/// What encryption costs: the same work on an encrypted file and on a plain one.
extension StorageBenchmarks {
    func encryption() throws -> [Row] {
        let sealed = try encryption("sealed", isEncrypted: true)
        let plain = try encryption("plain-pages", isEncrypted: false)
        func row(_ name: String, _ unit: String, _ part: (Times) -> Sample) -> Row {
            let (ours, theirs) = (part(sealed), part(plain))
            return .less(
                Self.group, "encrypted: " + name, unit, ours: ours.median, peer: ("plain", theirs.median),
                under: .hot(ours, theirs))
        }
        return [
            row("durable commit of one value", "µs", \.commit),
            row("durable insert of \(entries) entries", "ns/entry", \.insert),
            row("first scan after opening", "ns/entry", \.firstScan),
            row("scan", "ns/entry", \.scan),
        ]
    }

    private struct Times {
        var insert: Sample
        var commit: Sample
        var firstScan: Sample
        var scan: Sample
    }

    private func encryption(_ name: String, isEncrypted: Bool) throws -> Times {
        var (inserts, commits, firstScans) = (Stopwatch(), Stopwatch(), Stopwatch())
        do {
            let storage = try open(name, isEncrypted: isEncrypted)
            try inserts.time { try fill(storage, entries) }
            for index in 0..<(smoke ? 10 : 200) {
                try commits.time { try Self.commit(500, UInt64(index), to: storage, .durable) }
            }
        }
        for _ in 0..<runs {
            let storage = try open(name, isEncrypted: isEncrypted)
            let snapshot = try storage.snapshot()
            firstScans.time { Self.scan(snapshot) }
        }
        let snapshot = try open(name, isEncrypted: isEncrypted).snapshot()
        return Times(
            insert: inserts.sample(operations: entries), commit: commits.sample(operations: 1_000),
            firstScan: firstScans.sample(operations: entries),
            scan: measure(runs: runs + 1, operations: entries) { Self.scan(snapshot) })
    }
}
