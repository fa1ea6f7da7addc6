import CausewayPrograms
import CausewaySeeds
import Foundation
import Testing

/// A file is damaged while it is closed, and worked with through the public interface: every answer is right, a call
/// that can throw throws, or a read that cannot stops the program with a sentence. Never a wrong answer, never a trap.
@Suite("Realms whose files are damaged", .serialized)
struct DamagedRealmTests {
    private static let seeds = SeedList.drawn(for: "damage", count: 96)

    @Test("bits, pages and ends of a file", arguments: ["plain", "encrypted"])
    func damaged(kind: String) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let log = folder.appendingPathComponent("errors.txt")
        var left = kind == "plain" ? Self.seeds[...] : Self.seeds.prefix((Self.seeds.count + 1) / 2)
        let count = left.count
        var counts: [Substring: Int] = [:]
        while !left.isEmpty {
            let reader = try ChildProcess(
                name: "CausewayDamageReader", program: Self.reader,
                arguments: [folder.path, kind, left.map { "\($0)" }.joined(separator: ",")],
                // A trap is a failure whose sentence is enough; its backtrace would take half a minute.
                environment: ["SWIFT_BACKTRACE": "enable=no"], log: log)
            var hasStopped = false
            while let line = try reader.nextLine() {
                let words = line.split(separator: " ")
                let verdict = Self.verdicts.first { verdict in words.contains { $0.hasPrefix(verdict) } } ?? "?"
                counts[verdict, default: 0] += 1
                if verdict == "wrong" || verdict == "?" { Issue.record("\(kind), seed \(line)") }
                left = left.dropFirst()
                hasStopped = verdict == "stopped"
            }
            if let next = left.first, !hasStopped {
                let complaint = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
                Issue.record("\(kind), seed \(next): the program ended by itself: \(complaint.suffix(3000))")
                try? FileManager.default.removeItem(at: log)
                left = left.dropFirst()
            }
        }
        print("\(kind): \(counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))")
        // Eight seeds in a row draw every kind of damage. All outcomes are met by some, or the test shows nothing.
        if count >= 48 {
            #expect(Self.verdicts.dropFirst().allSatisfy { counts[$0, default: 0] > 0 }, "\(counts)")
        }
    }

    private static let verdicts: [Substring] = ["wrong", "stopped", "told", "right"]

    private static let reader = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("CausewayDamageReader").path
}
