import CausewayPrograms
import Foundation
import Testing

/// A file is damaged while it is closed, and worked with through the public interface: every answer is right, a call
/// that can throw throws, or a read that cannot stops the program with a sentence. Never a wrong answer, never a trap.
@Suite("Realms whose files are damaged", .serialized)
struct DamagedRealmTests {
    private static let seeds =
        ProcessInfo.processInfo.environment["CAUSEWAY_DAMAGE_SEEDS"].flatMap(UInt64.init) ?? 96
    private static let firstSeed =
        ProcessInfo.processInfo.environment["CAUSEWAY_DAMAGE_SEED"].flatMap(UInt64.init) ?? 1

    @Test("bits, pages and ends of a file", arguments: ["plain", "encrypted"])
    func damaged(kind: String) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let log = folder.appendingPathComponent("errors.txt")
        let end = Self.firstSeed + (kind == "plain" ? Self.seeds : Self.seeds / 3)
        var counts: [Substring: Int] = [:]
        var next = Self.firstSeed
        while next < end {
            let reader = try ChildProcess(
                name: "CausewayDamageReader", program: Self.reader,
                arguments: [folder.path, kind, String(next), String(end - next)],
                // A trap is a failure whose sentence is enough; its backtrace would take half a minute.
                environment: ["SWIFT_BACKTRACE": "enable=no"], log: log)
            var hasStopped = false
            while let line = try reader.nextLine() {
                let words = line.split(separator: " ")
                let verdict = Self.verdicts.first { verdict in words.contains { $0.hasPrefix(verdict) } } ?? "?"
                counts[verdict, default: 0] += 1
                if verdict == "wrong" || verdict == "?" { Issue.record("\(kind), seed \(line)") }
                next += 1
                hasStopped = verdict == "stopped"
            }
            if next < end, !hasStopped {
                let complaint = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
                Issue.record("\(kind), seed \(next): the program ended by itself: \(complaint.suffix(3000))")
                try? FileManager.default.removeItem(at: log)
                next += 1
            }
        }
        print("\(kind): \(counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))")
        if Self.seeds >= 48 {
            // All three outcomes were met, or the test shows nothing.
            #expect(Self.verdicts.dropFirst().allSatisfy { counts[$0, default: 0] > 0 }, "\(counts)")
        }
    }

    private static let verdicts: [Substring] = ["wrong", "stopped", "told", "right"]

    private static let reader = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("CausewayDamageReader").path
}
