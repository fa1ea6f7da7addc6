import CausewayFolders
import CausewayJournal
import CausewayJournalPostgreSQL
import CausewayPostgreSQL
import CausewayPrograms
import CausewaySeeds
import Foundation
import Testing

@Suite("Snapshots in PostgreSQL", .serialized)
struct JournalSnapshotTests {
    /// Larger than a part, and not by whole parts.
    private static let bytes = Data((0..<2_500_001).map { UInt8(truncatingIfNeeded: $0 &* 167) })

    private func mark(_ journal: PostgreSQLJournal, _ position: UInt64) throws -> JournalMark {
        let entry = try #require(try journal.read(after: position - 1, limit: 1).first)
        return JournalMark(position: position, chain: entry.chain, generation: JournalGeneration.first)
    }

    private func keep(
        _ journal: PostgreSQLJournal, _ position: UInt64, _ folder: TemporaryFolder, _ bytes: Data = Self.bytes
    ) throws -> JournalSnapshot? {
        let (file, mark) = (folder.file("copy"), try mark(journal, position))
        try bytes.write(to: URL(filePath: file))
        return try journal.keepSnapshot { (file, mark) }
    }

    @Test("a snapshot comes back byte by byte; one of a past that was lost is not kept, nor one twice")
    func whole() throws {
        let (bench, folder) = (try JournalBench(), try TemporaryFolder())
        let journal = try bench.journal()
        _ = try journal.append([1], [2])
        let kept = try #require(try keep(journal, 2, folder))
        #expect(try journal.snapshots() == [kept] && kept.sizeBytes == UInt64(Self.bytes.count))
        #expect(try keep(journal, 2, folder) == nil)
        let lost = JournalMark(position: 1, chain: .empty(of: 7), generation: JournalGeneration.first)
        #expect(try journal.keepSnapshot { (folder.file("copy"), lost) } == nil)
        try journal.load(kept, into: folder.file("loaded"))
        #expect(try Data(contentsOf: URL(filePath: folder.file("loaded"))) == Self.bytes)
        // A copy that cannot be made leaves nothing behind, and the connection works on.
        #expect(throws: JournalFailure.self) { try journal.keepSnapshot { throw CocoaError(.fileNoSuchFile) } }
        #expect(try journal.snapshots() == [kept])
    }

    @Test("of nodes that would keep one at once, one does")
    func oneNode() throws {
        let (bench, folder) = (try JournalBench(), try TemporaryFolder())
        let journal = try bench.journal()
        _ = try journal.append([1])
        let other = try bench.journal(journal.name)
        let (file, mark) = (folder.file("copy"), try mark(journal, 1))
        try Self.bytes.write(to: URL(filePath: file))
        var ofOther: JournalSnapshot?
        let kept = try journal.keepSnapshot {
            ofOther = try other.keepSnapshot { (file, mark) }
            return (file, mark)
        }
        #expect(kept != nil && ofOther == nil)
    }

    private static let seeds = SeedList.drawn(for: "forgetting", count: 2)

    @Test("a hundred days: every moment that is promised can be made, and what nobody needs is gone", arguments: seeds)
    func forgetting(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let (bench, folder, days) = (try JournalBench(), try TemporaryFolder(), random.number(0...20))
        let journal = try bench.journal()
        let connection = try PostgreSQLConnection(bench.server.connection)
        /// Of each entry, in days since the beginning.
        var (written, today): ([Double], Double) = ([], 0)
        while today < 100 {
            for _ in 0..<random.number(1...4) {
                written.append(today)
                _ = try journal.append([UInt8(truncatingIfNeeded: written.count)])
                _ = try journal.note(.empty(of: 1), at: UInt64(written.count))
            }
            if random.once(in: 3) { _ = try keep(journal, UInt64(written.count), folder, Data([1, 2, 3])) }
            while try journal.forget(keepingDays: days) > 0 {}

            let kept = try journal.snapshots().map(\.position)
            let first = UInt64(try #require(try bench.server.query("SELECT min(position) FROM causeway.journal").first))
            let entries = try #require(first)
            #expect(kept.count <= 8)
            let promised = today - Double(days) + 0.01
            for (index, time) in written.enumerated() {
                // As of the last moment before the next entry.
                let ends = index + 1 < written.count ? written[index + 1] : .infinity
                guard ends > max(promised, time) else { continue }
                let position = UInt64(index + 1)
                let base = kept.first { $0 <= position } ?? 0
                #expect(
                    position == base || entries <= base + 1, "the moment of entry \(position), of \(time), on \(today)")
            }
            // A base is at most a quarter older than promised, and the time to the next snapshot.
            if let base = kept.last, base > entries { #expect(written[Int(base) - 1] > promised - 0.02) }
            #expect(try bench.server.query("SELECT min(position) FROM causeway.digest") == ["\(entries)"])

            let step = Double(random.number(1...40)) / 10
            today += step
            for column in ["journal SET appended = appended", "snapshot SET made = made"] {
                try connection.execute("UPDATE causeway.\(column) - interval '\(step) days'")
            }
        }
        #expect(try journal.position(at: Date.now.timeIntervalSince1970 + 60) == UInt64(written.count))
    }

    @Test("a time is that of the last entry by then, and the oldest one is told")
    func times() throws {
        let bench = try JournalBench()
        let journal = try bench.journal()
        #expect(try journal.oldestTime() == nil)
        for number in 0..<3 { _ = try journal.append([UInt8(number)]) }
        try PostgreSQLConnection(bench.server.connection).execute(
            "UPDATE causeway.journal SET appended = appended - interval '1 day' * (3 - position)")
        let now = Date.now.timeIntervalSince1970
        #expect(try journal.position(at: now + 60) == 3)
        #expect(try journal.position(at: now - 86_400 / 2) == 2)
        #expect(try journal.position(at: now - 3 * 86_400) == 0)
        #expect(abs(try #require(try journal.oldestTime()) - (now - 2 * 86_400)) < 600)
    }

    @Test("a role with the rights that the page names does all that a node does")
    func leastRights() throws {
        let (bench, folder) = (try JournalBench(), try TemporaryFolder())
        let admin = try PostgreSQLConnection(bench.server.connection)
        for statement in [
            "CREATE ROLE node LOGIN", "GRANT USAGE ON SCHEMA causeway TO node",
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA causeway TO node",
        ] { try admin.execute(statement) }
        let settings: PostgreSQLSettings = { [connection = bench.server.connection] () throws(PostgreSQLFailure) in
            connection.replacing("user=causeway", with: "user=node")
        }
        let journal = try PostgreSQLJournal.open("fleet", settings) { .random(in: 1...UInt64.max) }
        let listener = JournalListener(settings)
        #expect(try listener.next(within: 0).isEmpty)
        #expect(try journal.append([1], [2]) == 2)
        #expect(try listener.next(within: 5_000).map(\.position) == [2])
        #expect(try journal.note(.empty(of: 1), at: 2) == .empty(of: 1))
        let kept = try #require(try keep(journal, 2, folder))
        try journal.load(kept, into: folder.file("loaded"))
        #expect(try journal.forget(keepingDays: 1) == 0)
        bench.server.kill()
        try bench.server.start()
        // Another incarnation, drawn under this role.
        #expect(try journal.append([3]) == 3)
    }
}
