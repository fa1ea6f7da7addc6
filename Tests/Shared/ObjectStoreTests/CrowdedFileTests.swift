import CausewayFolders
import CausewayModel
import CausewayQuery
import CausewaySeeds
import Testing

@testable import CausewayObjectStore
@testable import CausewayStorage

/// An encrypted file that is many times as large as what may lie decrypted in memory.
@Suite("Crowded files")
struct CrowdedFileTests {
    private static let seeds = SeedList.drawn(for: "crowded-files", count: 1)

    private static let limitBytes = 512 << 10
    private static let rows = 40_000
    private static let textBytes = 200
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder(waitsForDisk: false)
    }

    private static let schema = Schema([
        ClassSchema(
            name: "Row",
            properties: [
                Property(name: "id", type: .int, isPrimaryKey: true), Property(name: "text", type: .string),
            ])
    ])

    private static func text(_ number: Int) -> String {
        // Different from row to row, so that leaves are as long as their texts.
        let text = "\(UInt64(number) &* 0x9E37_79B9_7F4A_7C15)"
        return String(String(repeating: text, count: textBytes / text.utf8.count + 1).prefix(textBytes))
    }

    private func open() throws -> ObjectStore {
        var options = ObjectStore.Options(mapSizeBytes: 1 << 28, encryptionKey: (0..<64).map { UInt8($0 * 3) })
        options.decryptedBytesMaximum = Self.limitBytes
        return try ObjectStore.open(path: folder.file("a.realm"), options: options)
    }

    private func filled() throws -> ObjectStore {
        let store = try open()
        let transaction = try store.write()
        try transaction.extendSchema(Self.schema)
        let table = try transaction.existing("Row")
        for number in 0..<Self.rows {
            let id = PrimaryKey.int(Int64(number))
            _ = try table.create(id, row: [.int(Int64(number)), .string(Self.text(number))])
        }
        try transaction.commit(.relaxed)
        transaction.end()
        return store
    }

    private func contains(_ text: String) -> BoundPredicate {
        let step = BoundPath.Step(className: "Row", property: 1, type: .string, collection: .none, target: nil)
        return .comparison(
            BoundComparison(
                quantifier: .implied, path: BoundPath(steps: [step]), comparator: .contains, options: [],
                operand: .value(.string(text))))
    }

    private func pages(_ store: ObjectStore) throws -> DecryptedPages {
        try #require((store.storage as? PageStorage)?.file.space.decrypted)
    }

    @Test("a scan of the whole file finds what is there, and keeps little of it", arguments: seeds, [false, true])
    func scans(seed: UInt64, isShared: Bool) throws {
        let store = try filled()
        let transaction = try store.read()
        transaction.leastSharedScanCost = isShared ? 0 : .infinity
        var numbers = SeededNumbers(seed: seed)
        let pages = try pages(store)
        for _ in 0..<6 {
            let part = "\(numbers.number(10...99))"
            let expected = (0..<Self.rows).filter { Self.text($0).contains(part) }.map { ObjectKey(Int64($0)) }
            #expect(try transaction.keys("Row", matching: contains(part)) == expected, "seed \(seed), \(part)")
            #expect(try transaction.count("Row", matching: contains(part)) == expected.count, "seed \(seed), \(part)")
            // The transaction's own snapshot holds what it read before there was too much, and 16 leaves more.
            let most = 2 * Self.limitBytes + 16 * slotsPerLeaf * Self.textBytes
            if !isShared { #expect(pages.bytes <= most, "seed \(seed)") }
        }
        transaction.end()
        try store.read().end()
        _ = try store.write().commit(.relaxed)
    }

    @Test("a transaction that lets go of its pages reads every row of its version, and keeps little of them")
    func lettingGo() throws {
        let store = try filled()
        let transaction = try store.read()
        let version = transaction.version
        let table = try transaction.existing("Row")
        let pages = try pages(store)
        let other = try store.write()
        for number in stride(from: 0, to: Self.rows, by: 500) {
            try other.existing("Row").set(ObjectKey(Int64(number)), 1, .string("changed"))
        }
        try other.commit(.relaxed)
        other.end()
        var most = 0
        for number in 0..<Self.rows {
            let key = ObjectKey(Int64(number))
            if !table.hasAskedFor(1, of: key) { transaction.letGoOfPages() }
            #expect(table.value(key, 1) == .string(Self.text(number)))
            if number % 1000 == 0 { most = max(most, pages.bytes) }
        }
        #expect(transaction.version == version)
        #expect(most <= 2 * Self.limitBytes)
    }

    @Test("the long values of one leaf, read one after another, are each right, and few of them are kept")
    func longValues() throws {
        let store = try open()
        let writing = try store.write()
        try writing.extendSchema(Self.schema)
        let rows = try writing.existing("Row")
        // Beyond what lies in a leaf; all of it is 40 times the limit, in one leaf.
        func long(_ number: Int) -> Value { .string(String(repeating: Self.text(number), count: 100)) }
        for number in 0..<slotsPerLeaf {
            _ = try rows.create(.int(Int64(number)), row: [.int(Int64(number)), long(number)])
        }
        try writing.commit(.relaxed)
        writing.end()
        let transaction = try store.read()
        let table = try transaction.existing("Row")
        let pages = try pages(store)
        var most = 0
        for number in 0..<slotsPerLeaf {
            let key = ObjectKey(Int64(number))
            #expect(!table.hasAskedFor(1, of: key), "row \(number)")
            if !table.hasAskedFor(1, of: key) { transaction.letGoOfPages() }
            #expect(table.value(key, 1) == long(number), "row \(number)")
            #expect(table.hasAskedFor(1, of: key), "row \(number)")
            most = max(most, pages.bytes)
        }
        #expect(most <= 2 * Self.limitBytes)
    }

    @Test("a write that begins where a reader stood reads on after others pushed the reader's pages out")
    func writingAfterReading() throws {
        let store = try filled()
        let transaction = try store.read()
        let table = try transaction.existing("Row")
        let key = ObjectKey(Int64(Self.rows - 1))
        #expect(table.value(key, 1) == .string(Self.text(Self.rows - 1)))
        // Another transaction reads so much that the storage hands out another snapshot of the same version.
        let other = try store.read()
        let otherTable = try other.existing("Row")
        for number in stride(from: 0, to: Self.rows, by: 1000) { _ = otherTable.value(ObjectKey(Int64(number)), 1) }
        let third = try store.read()
        try transaction.beginWriting()
        other.end()
        third.end()
        let fourth = try store.read()
        for number in stride(from: 0, to: Self.rows, by: 1000) {
            fourth.letGoOfPages()
            _ = try fourth.existing("Row").value(ObjectKey(Int64(number)), 1)
        }
        #expect(table.value(key, 1) == .string(Self.text(Self.rows - 1)))
        table.set(key, 1, .string("written"))
        try transaction.commit(.relaxed)
        #expect(table.value(key, 1) == .string("written"))
        #expect(table.value(ObjectKey(0), 1) == .string(Self.text(0)))
    }
}
