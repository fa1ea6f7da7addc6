import CausewayFolders
import CausewayMerge
import CausewayModel
import CausewayQuery
import CausewaySeeds
import CausewayStorage
import Testing

@testable import CausewayObjectStore

@Suite("Texts too long for their leaf")
struct LongTextTests {
    private static let seeds = SeedList.drawn(for: "long-texts", count: 8)

    private static let schema = Schema([
        ClassSchema(
            name: "Note",
            properties: [
                Property(name: "id", type: .int, isPrimaryKey: true),
                Property(name: "body", type: .string, isText: true),
                Property(name: "size", type: .int),
            ])
    ])

    private static func open(_ path: String) throws -> ObjectStore {
        let store = try ObjectStore.open(path: path)
        let transaction = try store.write()
        try transaction.extendSchema(schema)
        try transaction.commit()
        transaction.end()
        return store
    }

    private static func longEntries(_ transaction: Transaction) -> Int {
        transaction.reader.count(tree: FixedTree.longValues, from: [], upTo: nil)
    }

    /// Texts of one to four bytes a scalar, with scalars that combine with the one before.
    private static func text(_ scalars: Int, _ numbers: inout SeededNumbers) -> String {
        let alphabet: [Unicode.Scalar] = numbers.once(in: 2) ? ["a", "b", " "] : ["a", "é", "日", "👍", "\u{0301}", "z"]
        var view = String.UnicodeScalarView()
        for _ in 0..<scalars { view.append(numbers.one(of: alphabet)) }
        return String(view)
    }

    /// What the edit makes of a text, said with the scalars of a Swift array.
    private static func apply(_ edit: TextEdit, to scalars: inout [Unicode.Scalar]) {
        switch edit {
        case .insert(let text, let place): scalars.insert(contentsOf: Array(text.unicodeScalars), at: place)
        case .remove(let range): scalars.removeSubrange(range)
        }
    }

    private static func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    private static func edit(_ count: Int, _ numbers: inout SeededNumbers) -> TextEdit {
        if count > 0, numbers.happens(percent: 40) {
            let start = numbers.below(count)
            let most = numbers.one(of: [1, 3, 40, 3_000, 30_000])
            return .remove(start..<min(count, start + numbers.number(1...most)))
        }
        let length = numbers.one(of: [1, 2, 7, 500, 5_000, 20_000])
        return .insert(
            text(numbers.number(1...length), &numbers), at: numbers.one(of: [0, count, numbers.number(0...count)]))
    }

    @Test(
        "drawn edits do what they do to an array of scalars, in the write, after it, and after reopening",
        arguments: seeds)
    func drawn(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let folder = try TemporaryFolder()
        var store = try Self.open(folder.file("notes"))
        var transaction = try store.write()
        var notes = try transaction.existing("Note")
        var expected: [Int64: [Unicode.Scalar]] = [:]
        var next: Int64 = 0
        for step in 0..<30 {
            let before = expected
            for _ in 0..<numbers.number(1...15) {
                let place = "seed \(seed), step \(step)"
                if expected.isEmpty || numbers.once(in: 8) {
                    next += 1
                    expected[try notes.create(.int(next)).rawValue] = []
                    continue
                }
                let row = numbers.one(of: expected.keys.sorted())
                let key = ObjectKey(row)
                switch numbers.below(12) {
                case 0:
                    notes.delete(key)
                    expected[row] = nil
                case 1:
                    let text = Self.text(numbers.one(of: [0, 10, 3_000, 9_000]), &numbers)
                    notes.set(key, 1, .string(text))
                    expected[row] = Array(text.unicodeScalars)
                case 2: notes.set(key, 2, .int(Int64(step)))
                case 3: try expect(expected, notes, transaction, place, &numbers)
                default:
                    let edit = Self.edit(expected[row]?.count ?? 0, &numbers)
                    notes.edit(key, text: 1, edit)
                    Self.apply(edit, to: &expected[row, default: []])
                }
            }
            try expect(expected, notes, transaction, "seed \(seed), step \(step), in the write", &numbers)
            if numbers.once(in: 5) {
                transaction.abort()
                expected = before
            } else {
                try transaction.commit(.relaxed)
            }
            if numbers.once(in: 6) {
                transaction.end()
                store.close()
                store = try ObjectStore.open(path: folder.file("notes"))
                transaction = try store.read()
                notes = try transaction.existing("Note")
            }
            try expect(expected, notes, transaction, "seed \(seed), step \(step)", &numbers)
            #expect(try store.verify().problems == [], "seed \(seed), step \(step)")
            try transaction.beginWriting()
        }
        for key in notes.allKeys { notes.delete(key) }
        try transaction.commit(.relaxed)
        #expect(Self.longEntries(transaction) == 0, "seed \(seed)")
    }

    private func expect(
        _ expected: [Int64: [Unicode.Scalar]], _ notes: Table, _ transaction: Transaction, _ place: String,
        _ numbers: inout SeededNumbers
    ) throws {
        #expect(notes.allKeys.map(\.rawValue) == expected.keys.sorted(), "\(place)")
        for (row, scalars) in expected {
            let key = ObjectKey(row)
            #expect(notes.textCount(key, 1) == scalars.count, "\(place), row \(row)")
            let start = numbers.number(0...scalars.count)
            let range = start..<numbers.number(start...scalars.count)
            let part = notes.text(key, 1, in: range)
            #expect(part.utf8.elementsEqual(Self.string(scalars[range]).utf8), "\(place), row \(row), \(range)")
            // Before and after the reading of the whole, which may change how a part is read.
            guard numbers.once(in: 2) else { continue }
            guard case .string(let whole) = notes.value(key, 1) else {
                Issue.record("no text, \(place)")
                continue
            }
            #expect(whole.utf8.elementsEqual(Self.string(scalars).utf8), "\(place), row \(row)")
        }
        let predicate = try Predicate.parse("body CONTAINS 'ab a'").bound(to: "Note", in: transaction.schema)
        let found = try transaction.keys("Note", matching: predicate).map(\.rawValue)
        let wanted = expected.filter { Self.contains(Array("ab a".unicodeScalars), $0.value) }.keys.sorted()
        #expect(found == wanted, "\(place)")
    }

    private static func contains(_ part: [Unicode.Scalar], _ whole: [Unicode.Scalar]) -> Bool {
        guard whole.count >= part.count else { return false }
        return (0...whole.count - part.count).contains { start in
            (0..<part.count).allSatisfy { whole[start + $0] == part[$0] }
        }
    }

    @Test("a keystroke in a text of a million characters writes a few pages")
    func keystroke() throws {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder.file("notes"))
        let transaction = try store.write()
        let notes = try transaction.existing("Note")
        let key = try notes.create(.int(1))
        notes.edit(key, text: 1, .insert(String(repeating: "0123456789", count: 100_000), at: 0))
        try transaction.commit(.relaxed)
        func usedBytes() throws -> Int {
            let statistics = try store.statistics()
            return statistics.sizeBytes - statistics.freeBytes
        }
        let before = try usedBytes()
        // A snapshot of each version is held, so no page is written twice.
        var readers: [Transaction] = []
        for number in 0..<200 {
            try transaction.beginWriting()
            notes.edit(key, text: 1, .insert("x", at: number * 5_003))
            try transaction.commit(.relaxed)
            readers.append(try store.read())
        }
        // Two pages of the text, and those of the trees above them.
        #expect(try usedBytes() - before <= 200 * 12 * 4_096)
        for reader in readers { reader.end() }
        #expect(notes.textCount(key, 1) == 1_000_200)
        #expect(notes.text(key, 1, in: 999_998..<1_000_003).count == 5)
        #expect(try store.verify().problems == [])
    }

    @Test("a chunk gets a new number with every change, so equal numbers mean equal content")
    func numbers() throws {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder.file("notes"))
        let transaction = try store.write()
        let notes = try transaction.existing("Note")
        let key = try notes.create(.int(1))
        notes.edit(key, text: 1, .insert(String(repeating: "word ", count: 4_000), at: 0))
        var seen: [UInt64: String] = [:]
        for round in 0..<30 {
            try transaction.commit(.relaxed)
            let text = try #require(transaction.openText(notes.columns[1].id, key.rawValue))
            var start = 0
            for chunk in text.chunks {
                let content = text.string(in: start..<start + chunk.scalars)
                #expect(seen[chunk.id, default: content] == content, "round \(round)")
                seen[chunk.id] = content
                start += chunk.scalars
            }
            try transaction.beginWriting()
            if round % 10 == 9 { notes.set(key, 1, .string(String(repeating: "other", count: 3_000))) }
            notes.edit(key, text: 1, .insert("\(round)", at: round * 97))
            notes.edit(key, text: 1, .remove(5_000..<5_000 + round))
        }
        transaction.abort()
        #expect(seen.count > 60)
    }

    @Test("verify finds a chunk that is missing, and one that belongs to no text")
    func verification() throws {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder.file("notes"))
        let transaction = try store.write()
        let notes = try transaction.existing("Note")
        let key = try notes.create(.int(1))
        notes.edit(key, text: 1, .insert(String(repeating: "word ", count: 4_000), at: 0))
        try transaction.commit(.relaxed)
        #expect(try store.verify().problems == [])
        let column = notes.columns[1].id
        let chunk = try #require(transaction.openText(column, key.rawValue)?.chunks.first)
        let chunkKey = LongValues.key(column, key.rawValue, chunk: chunk.id)
        let bytes = try #require(transaction.reader.get(FixedTree.longValues, chunkKey).map { Array($0) })

        try transaction.beginWriting()
        transaction.writer.put(FixedTree.longValues, LongValues.key(column, key.rawValue, chunk: 7), bytes)
        transaction.noteTreeChange()
        try transaction.commit(.relaxed)
        #expect(try store.verify().problems.count == 1)

        try transaction.beginWriting()
        transaction.writer.remove(FixedTree.longValues, LongValues.key(column, key.rawValue, chunk: 7))
        transaction.writer.remove(FixedTree.longValues, chunkKey)
        transaction.noteTreeChange()
        try transaction.commit(.relaxed)
        #expect(try store.verify().problems.count == 1)
        // The rest can be read, and the damage is told.
        #expect(notes.text(key, 1, in: 0..<notes.textCount(key, 1)).hasSuffix("word "))
        #expect(code { try transaction.throwDamage() } != nil)
    }
}
