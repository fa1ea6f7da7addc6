import CausewayDecoderFuzzing
import CausewayJournal
import CausewayOperations
import CausewaySeeds
import CausewayStore
import Testing

/// The bytes of entries: exact, and no input traps.
@Suite("Journal entries")
struct EntryEncodingTests {
    private static let drawn: DrawnSeeds = {
        let drawn = DrawnSeeds("entries", count: 300)
        drawn.tell()
        return drawn
    }()

    private static let seeds = drawn.first..<drawn.first + UInt64(drawn.count)

    @Test("an entry is read as it was written, and equal entries have equal bytes")
    func roundTrip() throws {
        for seed in Self.seeds {
            var entries = RandomEntries(seed: seed)
            let entry = try entries.entry()
            let bytes = entry.encoded
            let read = try JournalEntry(encoded: bytes)
            #expect(read == entry, "seed \(seed)")
            #expect(read.encoded == bytes, "seed \(seed)")
            #expect(Self.marks(of: read) == Self.marks(of: entry), "seed \(seed)")
            #expect(try JournalEntry.oldestGeneration(of: bytes) == entry.oldestGeneration)
        }
    }

    /// What is sent beside changesets, which their equality leaves out.
    private static func marks(of entry: JournalEntry) -> [[UInt64]] {
        guard case .commit(let commit) = entry.body else { return [] }
        return commit.batches.flatMap(\.changesets).map { [$0.opening, $0.run] }
    }

    @Test("an entry that is cut at any byte is refused")
    func truncations() throws {
        for seed in Self.seeds.prefix(60) {
            var entries = RandomEntries(seed: seed)
            let bytes = try entries.entry().encoded
            for end in bytes.indices {
                #expect(throws: EncodingError.self, "seed \(seed), cut at \(end)") {
                    try JournalEntry(encoded: Array(bytes[..<end]))
                }
            }
        }
    }

    @Test("whatever the bytes are, they are read or refused, and what is read is written the same way")
    func noise() throws {
        for seed in Self.seeds {
            var (entries, random) = (RandomEntries(seed: seed), SeededNumbers(seed: seed))
            let bytes = try entries.entry().encoded
            for _ in 0..<40 {
                var changed = bytes
                for _ in 0...random.below(3) { changed[random.below(changed.count)] = UInt8(random.below(256)) }
                guard let read = try? JournalEntry(encoded: changed) else { continue }
                let again = read.encoded
                #expect(try JournalEntry(encoded: again).encoded == again, "seed \(seed)")
            }
        }
    }

    @Test("an entry of a later format is refused, but says which software it needs")
    func laterFormat() throws {
        let bytes: [UInt8] = [9, 3, 0xFF]
        #expect(try JournalEntry.oldestGeneration(of: bytes) == 3)
        #expect { try JournalEntry(encoded: bytes) } throws: { ($0 as? EncodingError)?.code == .unsupportedVersion }
    }
}
