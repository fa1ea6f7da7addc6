import CausewayJournal
import Testing

@Suite("Journal in memory")
struct MemoryJournalTests {
    private let journal = MemoryJournal(database: 5, incarnation: 11)

    private func append(_ entries: [UInt8]...) throws -> UInt64 {
        try journal.append(entries, in: journal.head().incarnation)
    }

    @Test("positions have no gaps, and each hash follows from the one before")
    func order() throws {
        #expect(try append([1], [2]) == 2)
        #expect(try append([3]) == 3)
        let read = try journal.read(after: 0, limit: 9)
        #expect(read.map(\.position) == [1, 2, 3])
        #expect(read.map(\.bytes) == [[1], [2], [3]])
        var chain = JournalHash.empty(of: 5)
        for entry in read {
            chain = chain.followed(by: entry.bytes, at: entry.position)
            #expect(entry.chain == chain)
        }
        #expect(journal.head() == JournalHead(database: 5, incarnation: 11, position: 3, chain: chain))
        #expect(try journal.read(after: 1, limit: 1).map(\.position) == [2])
        #expect(try journal.read(after: 3, limit: 1).isEmpty)
    }

    @Test("what is behind a snapshot is forgotten, and says so; a snapshot of another past is none")
    func forgets() throws {
        _ = try append([1], [2], [3])
        let chain = try journal.read(after: 1, limit: 1)[0].chain
        #expect(!journal.forget(through: 2, chain: .empty(of: 5)))
        #expect(!journal.forget(through: 4, chain: chain))
        #expect(try journal.read(after: 0, limit: 9).count == 3)
        #expect(journal.forget(through: 2, chain: chain))
        #expect(throws: JournalFailure.self) { try journal.read(after: 1, limit: 1) }
        #expect(try journal.read(after: 2, limit: 1).map(\.bytes) == [[3]])
        #expect(journal.forget(through: 2, chain: chain))
        #expect(!journal.forget(through: 1, chain: chain))
        #expect(try append([4]) == 4)
    }

    @Test("a journal that lost entries goes on under another incarnation, from the hash that it has")
    func loses() throws {
        _ = try append([1], [2], [3])
        let chain = try journal.read(after: 0, limit: 1)[0].chain
        #expect(journal.note(chain, at: 3) == chain)
        journal.lose(2, incarnation: 12)
        #expect(journal.head() == JournalHead(database: 5, incarnation: 12, position: 1, chain: chain))
        #expect { try journal.append([[4]], in: 11) } throws: { ($0 as? JournalFailure)?.code == .otherIncarnation }
        #expect(try append([4]) == 2)
        #expect(try journal.read(after: 1, limit: 1)[0].chain == chain.followed(by: [4], at: 2))
        // Of an entry that is lost nothing is known.
        #expect(journal.note(.empty(of: 1), at: 3) == .empty(of: 1))
    }

    @Test("the first digest of a position stays")
    func digests() throws {
        let (first, second) = (JournalHash.empty(of: 1), JournalHash.empty(of: 2))
        #expect(journal.note(first, at: 8) == first)
        #expect(journal.note(second, at: 8) == first)
        #expect(journal.note(second, at: 16) == second)
    }
}
