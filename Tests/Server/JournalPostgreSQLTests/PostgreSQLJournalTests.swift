import CausewayJournal
import CausewayJournalPostgreSQL
import CausewayPostgreSQL
import CausewayPrograms
import Foundation
import Synchronization
import Testing

@Suite("Journal in PostgreSQL", .serialized)
struct PostgreSQLJournalTests {
    private func code(_ body: () throws -> Void) -> JournalFailure.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? JournalFailure)?.code
        }
    }

    @Test("positions have no gaps, and the hashes of PostgreSQL are those of the nodes")
    func order() throws {
        let bench = try JournalBench()
        let journal = try bench.journal()
        let empty = JournalHash.empty(of: journal.database)
        #expect(try journal.head().position == 0 && journal.head().chain == empty)
        #expect(try journal.append([1], [2]) == 2)
        let large = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(try journal.append(large, []) == 4)
        let read = try journal.read(after: 0, limit: 9)
        #expect(read.map(\.position) == [1, 2, 3, 4] && read.map(\.bytes) == [[1], [2], large, []])
        var chain = empty
        for entry in read {
            chain = chain.followed(by: entry.bytes, at: entry.position)
            #expect(entry.chain == chain)
        }
        let head = try journal.head()
        #expect(head.position == 4 && head.chain == chain && head.database == journal.database)
        #expect(try journal.read(after: 1, limit: 1).map(\.position) == [2])
        #expect(try journal.read(after: 4, limit: 1).isEmpty)
        // Another node finds the same, and another database is another journal.
        #expect(try bench.journal(journal.name).head() == head)
        #expect(try bench.journal().head().position == 0)
    }

    @Test("entries of 16 MiB at most are read at once, but one at least")
    func bytesAtOnce() throws {
        let bench = try JournalBench()
        defer { withExtendedLifetime(bench) {} }
        let journal = try bench.journal()
        let entry = [UInt8](repeating: 7, count: 6 << 20)
        #expect(try journal.append([[UInt8]](repeating: entry, count: 4), in: journal.head().incarnation) == 4)
        #expect(try journal.append([UInt8](repeating: 8, count: 20 << 20)) == 5)
        #expect(try journal.read(after: 0, limit: 9).map(\.position) == [1, 2, 3])
        #expect(try journal.read(after: 3, limit: 9).map(\.position) == [4, 5])
        #expect(try journal.read(after: 4, limit: 9).map(\.bytes.count) == [20 << 20])
    }

    @Test("appends of many connections come one after the other, each once")
    func manyNodes() throws {
        let bench = try JournalBench()
        let name = try bench.journal().name
        let journals = try (0..<4).map { _ in try bench.journal(name) }
        let places = Mutex<[UInt64: [UInt8]]>([:])
        DispatchQueue.concurrentPerform(iterations: journals.count) { node in
            for number in 0..<50 {
                let bytes = [UInt8(node), UInt8(number)]
                guard let position = try? journals[node].append(bytes) else { continue }
                places.withLock { $0[position] = bytes }
            }
        }
        let read = try journals[0].read(after: 0, limit: 1_000)
        #expect(read.count == 200)
        let told = places.withLock { $0 }
        #expect(told.count == 200 && read.allSatisfy { told[$0.position] == $0.bytes })
        var chain = JournalHash.empty(of: journals[0].database)
        for entry in read {
            chain = chain.followed(by: entry.bytes, at: entry.position)
            #expect(entry.chain == chain)
        }
    }

    @Test("after a restart, which may have lost entries, the journal goes on under another incarnation")
    func restart() throws {
        let bench = try JournalBench()
        let (journal, other) = (try bench.journal("fleet"), try bench.journal("fleet"))
        #expect(try journal.append([1]) == 1)
        let before = try journal.head()
        bench.server.kill()
        #expect(code { _ = try journal.head() } == .away)
        #expect(code { _ = try journal.append([[2]], in: before.incarnation) } == .away)
        try bench.server.start()
        // Nobody has looked yet, and nobody may append under the incarnation that may have lost something.
        #expect(code { _ = try other.append([[2]], in: before.incarnation) } == .otherIncarnation)
        let after = try other.head()
        #expect(after.incarnation != before.incarnation)
        #expect(after.position == 1 && after.chain == before.chain)
        #expect(try journal.head() == after)
        #expect(try journal.append([2]) == 2)
        #expect(try other.head().incarnation == after.incarnation)
    }

    @Test("a connection that breaks while an append is answered leaves it open what happened")
    func uncertain() throws {
        let bench = try JournalBench()
        let journal = try bench.journal()
        #expect(try journal.append([1]) == 1)
        // The append waits for the row, and its connection is ended meanwhile.
        let holder = try PostgreSQLConnection(bench.server.connection)
        try holder.execute("BEGIN")
        try holder.execute("SELECT * FROM causeway.head FOR UPDATE")
        let incarnation = try bench.journal(journal.name).head().incarnation
        let ended = Mutex<JournalFailure.Code?>(nil)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            do throws(JournalFailure) {
                _ = try journal.append([[2]], in: incarnation)
            } catch {
                ended.withLock { $0 = error.code }
            }
            done.signal()
        }
        var killed: [String] = []
        for _ in 0..<500 where killed.isEmpty {
            killed = try bench.server.query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%causeway.append%' AND "
                    + "wait_event_type = 'Lock'")
            usleep(10_000)
        }
        #expect(killed == ["t"])
        done.wait()
        #expect(ended.withLock { $0 } == .uncertain)
        try holder.execute("ROLLBACK")
        #expect(try journal.append([3]) == 2)
    }

    @Test("what is not kept any more is forgotten, and the first digest of a position stays")
    func forgottenAndDigests() throws {
        let bench = try JournalBench()
        let journal = try bench.journal()
        _ = try journal.append([1], [2], [3])
        try PostgreSQLConnection(bench.server.connection).execute("DELETE FROM causeway.journal WHERE position < 3")
        #expect(code { _ = try journal.read(after: 1, limit: 1) } == .forgotten)
        #expect(try journal.read(after: 2, limit: 1).map(\.bytes) == [[3]])
        try PostgreSQLConnection(bench.server.connection).execute("DELETE FROM causeway.journal")
        #expect(code { _ = try journal.read(after: 2, limit: 1) } == .forgotten)
        #expect(try journal.read(after: 3, limit: 1).isEmpty)
        let (first, second) = (JournalHash.empty(of: 1), JournalHash.empty(of: 2))
        #expect(try journal.note(first, at: 8) == first)
        #expect(try journal.note(second, at: 8) == first)
        #expect(try journal.note(second, at: 16) == second)
    }

    @Test("nodes hear of what others append, also after PostgreSQL was away")
    func listening() throws {
        let bench = try JournalBench()
        let (journal, listener) = (try bench.journal(), JournalListener(bench.settings))
        #expect(try listener.next(within: 0).isEmpty)
        _ = try journal.append([1], [2])
        #expect(try listener.next(within: 5_000) == [.init(database: journal.database, position: 2)])
        #expect(try listener.next(within: 10).isEmpty)
        bench.server.kill()
        #expect(code { while true { _ = try listener.next(within: 100) } } == .away)
        #expect(code { _ = try listener.next(within: 100) } == .away)
        try bench.server.start()
        #expect(try listener.next(within: 0).isEmpty)
        _ = try journal.append([3])
        #expect(try listener.next(within: 5_000) == [.init(database: journal.database, position: 3)])
    }

    @Test("a server without tables, or with newer ones, is refused with a sentence")
    func tables() throws {
        let bench = try JournalBench()
        let connection = try PostgreSQLConnection(bench.server.connection)
        #expect(try JournalTables.make(connection) == .unchanged)
        try connection.execute("UPDATE causeway.version SET number = 99, oldest = 99")
        #expect { try bench.journal() } throws: { "\(($0 as? JournalFailure)?.message ?? "")".contains("version 99") }
        try connection.execute("DROP SCHEMA causeway CASCADE")
        #expect { try bench.journal() } throws: {
            "\(($0 as? JournalFailure)?.message ?? "")".contains("sync-server journal init")
        }
    }
}
