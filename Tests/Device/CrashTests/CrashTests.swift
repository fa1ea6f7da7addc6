import Causeway
import CausewayBookkeeping
import CausewayObjectStore
import CausewayPrograms
import CausewaySeeds
import Foundation
import Testing

/// [I1]: a crash at any instant loses only transactions whose commit had not returned, and never leaves half of one.
///
/// A process of its own writes numbered transactions and says each number once its commit has returned. It is killed
/// with SIGKILL at a random moment, the file is opened here and compared with what the last number says; then the next
/// process goes on with the same file.
@Suite("A device process is killed while it writes", .serialized)
struct CrashTests {
    private static let seeds = SeedList.drawn(for: "killed-writers", count: 2)
    private static let loggingSeeds = SeedList.drawn(for: "killed-logging-writers", count: 1)

    @Test("objects are all there or not at all, after every one of 120 kills", arguments: seeds)
    func objects(seed: UInt64) throws {
        try killRepeatedly(mode: "local", seed: seed, kills: 120)
    }

    @Test("objects and their operations are there together, after every one of 80 kills", arguments: loggingSeeds)
    func operations(seed: UInt64) throws {
        try killRepeatedly(mode: "logged", seed: seed, kills: 80)
    }

    private func killRepeatedly(mode: String, seed: UInt64, kills: Int) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("book.realm")
        let log = folder.appendingPathComponent("errors.txt")
        var generator = SeededNumbers(seed: seed)
        var known = 0
        var written = 0
        for kill in 1...kills {
            let writer = try ChildProcess(
                name: "CausewayCrashWriter", program: Self.writer, arguments: [file.path, mode], log: log)
            var said = known
            // Every third dies at any moment since its start, opening the file included; the others after some commits,
            // however long a commit takes on this machine, and then at any moment of the next ones.
            let isEarly = kill.isMultiple(of: 3)
            if !isEarly {
                for _ in 0...Int.random(in: 0..<5, using: &generator) {
                    said = number(try writer.nextLine()) ?? said
                }
            }
            usleep(UInt32.random(in: 0..<(isEarly ? 60_000 : 8_000), using: &generator))
            writer.kill()
            while let line = try writer.nextLine() { said = number(line) ?? said }
            let complaint = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            try #require(complaint.isEmpty, "seed \(seed), kill \(kill): the writer stopped by itself: \(complaint)")

            let found = try check(file, mode: mode, "seed \(seed), kill \(kill)")
            // The commit after the last number said may have been on disk already.
            try #require(
                found == said || found == said + 1,
                "seed \(seed), kill \(kill): the file ends with \(found), the process had said \(said)")
            written += max(0, found - known)
            known = found
        }
        #expect(written > kills / 2, "seed \(seed): only \(written) transactions in \(kills) runs are no test")
    }

    private static let writer = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("CausewayCrashWriter").path

    /// What a line of the process says: `7`, or at its beginning `begun at 7`.
    private func number(_ line: String?) -> Int? {
        line?.split(separator: " ").last.flatMap { Int($0) }
    }

    private func check(_ file: URL, mode: String, _ moment: String) throws -> Int {
        guard FileManager.default.fileExists(atPath: file.path) else { return 0 }
        var configuration = Realm.Configuration(fileURL: file, objectTypes: Bookkeeping.types)
        if mode == "logged" { configuration.syncSettings = LoggedSettings(client: 1) }
        do {
            let realm = try Realm(configuration: configuration)
            let last = try Bookkeeping.check(realm)
            if mode == "logged", last > 0 {
                try Bookkeeping.checkLog(of: ObjectStore.open(path: file.path), last: last)
            }
            #expect(try realm.verify().problems == [], "\(moment)")
            return last
        } catch {
            Issue.record("\(moment): \(error)")
            throw error
        }
    }
}
