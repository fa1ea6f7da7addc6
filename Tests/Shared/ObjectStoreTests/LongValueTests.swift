import CausewayFolders
import CausewayModel
import CausewayQuery
import CausewaySeeds
import CausewayStorage
import Testing

@testable import CausewayObjectStore

@Suite("Values too long for their leaf")
struct LongValueTests {
    private static let seeds = SeedList.drawn(for: "long-values", count: 6)

    private static let schema = Schema([
        ClassSchema(
            name: "Photo",
            properties: [
                Property(name: "id", type: .int, isPrimaryKey: true),
                Property(name: "image", type: .data, isOptional: true),
                Property(name: "title", type: .string, isIndexed: true),
                Property(name: "note", type: .string, isFullTextIndexed: true),
                Property(name: "any", type: .mixed, isOptional: true, isIndexed: true),
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

    /// Bytes that say whose they are.
    private static func bytes(_ number: Int, _ count: Int) -> [UInt8] {
        Array(repeating: UInt8(truncatingIfNeeded: number), count: count)
    }

    @Test("a photo among a thousand is changed without the others being written")
    func oneAmongMany() throws {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder.file("photos"))
        let transaction = try store.write()
        let photos = try transaction.existing("Photo")
        for number in 0..<200 {
            let key = try photos.create(.int(Int64(number)))
            photos.set(key, 1, .bytes(Self.bytes(number, 100_000)))
        }
        try transaction.commit(.relaxed)
        let size = try store.statistics().sizeBytes
        for number in 0..<20 {
            try transaction.beginWriting()
            photos.set(ObjectKey(Int64(number)), 1, .bytes(Self.bytes(number + 1, 100_000)))
            try transaction.commit(.relaxed)
        }
        // Each of these commits would write twenty megabytes, were they in one piece.
        #expect(try store.statistics().sizeBytes < size + (10 << 20))
        #expect(photos.value(ObjectKey(3), 1) == .bytes(Self.bytes(4, 100_000)))
        #expect(photos.value(ObjectKey(199), 1) == .bytes(Self.bytes(199, 100_000)))
        #expect(try store.verify().problems == [])
    }

    @Test(
        "drawn values of all lengths are what was written, found by queries, and leave nothing behind", arguments: seeds
    )
    func drawn(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let folder = try TemporaryFolder()
        var store = try Self.open(folder.file("drawn"))
        var expected: [Int64: [Int: Value]] = [:]
        var transaction = try store.write()
        var photos = try transaction.existing("Photo")
        for step in 0..<25 {
            let before = expected
            for _ in 0..<numbers.number(1...12) {
                let alive = expected.keys.sorted()
                if alive.isEmpty || numbers.once(in: 3) {
                    let key = try photos.create(.int(Int64(step * 100 + expected.count) + Int64(numbers.next() >> 20)))
                    expected[key.rawValue] = [1: .null, 2: .string(""), 3: .string(""), 4: .null]
                    continue
                }
                let row = numbers.one(of: alive)
                if numbers.once(in: 6) {
                    photos.delete(ObjectKey(row))
                    expected[row] = nil
                    continue
                }
                let column = numbers.number(1...4)
                let value = Self.value(column, &numbers)
                photos.set(ObjectKey(row), column, value)
                expected[row]?[column] = value
            }
            for (row, values) in expected {
                for (column, value) in values {
                    #expect(photos.value(ObjectKey(row), column) == value, "seed \(seed), step \(step), in the write")
                }
            }
            if numbers.once(in: 5) {
                transaction.abort()
                expected = before
            } else {
                try transaction.commit(.relaxed)
            }
            if numbers.once(in: 6) {
                transaction.end()
                store.close()
                store = try ObjectStore.open(path: folder.file("drawn"))
                transaction = try store.read()
                photos = try transaction.existing("Photo")
            }
            try expect(expected, photos, transaction, "seed \(seed), step \(step)")
            #expect(try store.verify().problems == [], "seed \(seed), step \(step)")
            try transaction.beginWriting()
        }
        for key in photos.allKeys { photos.delete(key) }
        try transaction.commit(.relaxed)
        let left = transaction.reader.count(tree: FixedTree.longValues, from: [], upTo: nil)
        #expect(left == 0, "seed \(seed)")
        #expect(try store.verify().problems == [], "seed \(seed)")
    }

    private static func value(_ column: Int, _ numbers: inout SeededNumbers) -> Value {
        let length = numbers.one(of: [0, 3, 4095, 4096, 4097, 5000, 20_000])
        let text = String(repeating: numbers.one(of: ["red ", "blue"]), count: length / 4 + 1).prefix(length)
        switch column {
        case 1: return numbers.once(in: 5) ? .null : .bytes(bytes(numbers.below(9), length))
        case 4:
            return numbers.one(of: [.null, .int(3), .string(String(text)), .bytes(bytes(numbers.below(9), length))])
        default: return .string(String(text))
        }
    }

    private func expect(
        _ expected: [Int64: [Int: Value]], _ photos: Table, _ transaction: Transaction, _ place: String
    ) throws {
        #expect(photos.allKeys.map(\.rawValue) == expected.keys.sorted(), "\(place)")
        for (row, values) in expected {
            for (column, value) in values {
                #expect(photos.value(ObjectKey(row), column) == value, "\(place), row \(row), column \(column)")
            }
        }
        func keys(_ text: String) throws -> [Int64] {
            let predicate = try Predicate.parse(text).bound(to: "Photo", in: transaction.schema)
            return try transaction.keys("Photo", matching: predicate).map(\.rawValue)
        }
        func rows(_ column: Int, _ holds: (Value) -> Bool) -> [Int64] {
            expected.filter { holds($0.value[column] ?? .null) }.keys.sorted()
        }
        func text(_ value: Value) -> String? { if case .string(let text) = value { text } else { nil } }
        // One that the index answers, and others that look at the values.
        for length in [0, 3, 4097, 20_000] {
            let wanted = String(String(repeating: "red ", count: length / 4 + 1).prefix(length))
            #expect(try keys("title == '\(wanted)'") == rows(2) { text($0) == wanted }, "\(place)")
            #expect(try keys("note == '\(wanted)'") == rows(3) { text($0) == wanted }, "\(place)")
        }
        #expect(try keys("note TEXT 'red'") == rows(3) { text($0)?.hasPrefix("red") == true }, "\(place)")
        #expect(try keys("note BEGINSWITH 'blue'") == rows(3) { text($0)?.hasPrefix("blue") == true }, "\(place)")
        #expect(try keys("note CONTAINS 'd r'") == rows(3) { text($0)?.contains("d r") == true }, "\(place)")
        #expect(
            try keys("note == title") == expected.filter { $0.value[2] == $0.value[3] }.keys.sorted(), "\(place)")
        #expect(try keys("image == nil") == rows(1) { $0 == .null }, "\(place)")
        #expect(try keys("`any` == 3") == rows(4) { $0 == .int(3) }, "\(place)")
        let note = BoundPath(steps: [
            .init(className: "Photo", property: 3, type: .string, collection: .none, target: nil)
        ])
        let order = transaction.sorted(photos.allKeys, "Photo", by: [BoundSortKey(path: note, ascending: true)])
        let texts = order.compactMap { text(photos.value($0, 3)).map { Array($0.utf8) } }
        #expect(
            texts
                == expected.values.compactMap { $0[3].flatMap(text).map { Array($0.utf8) } }.sorted {
                    $0.lexicographicallyPrecedes($1)
                }, "\(place)")
        let each = transaction.distinct(photos.allKeys, "Photo", by: [note]).map { photos.value($0, 3) }
        #expect(each.count == Set(texts).count && Set(each.compactMap(text)).count == each.count, "\(place)")
    }

    @Test("a property that a migration removes takes its long values with it")
    func migration() throws {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder.file("migrated"))
        let transaction = try store.write()
        let photos = try transaction.existing("Photo")
        for number in 0..<3 {
            let key = try photos.create(.int(Int64(number)))
            photos.set(key, 1, .bytes(Self.bytes(number, 10_000)))
            photos.set(key, 3, .string(String(repeating: "word ", count: 2_000)))
        }
        try transaction.commit(.relaxed)
        transaction.end()
        let migrating = try store.write()
        let before = try migrating.frozenCopy()
        var wanted = Self.schema.classes
        wanted[0].properties.remove(at: 1)
        try migrating.restructure(to: Schema(wanted), before: before)
        try migrating.finishRestructuring(to: Schema(wanted))
        before.end()
        try migrating.commit(.relaxed)
        #expect(migrating.reader.count(tree: FixedTree.longValues, from: [], upTo: nil) == 3)
        #expect(try store.verify().problems == [])
        migrating.end()
        let removing = try store.write()
        removing.removeClass("Photo")
        try removing.commit(.relaxed)
        #expect(removing.reader.count(tree: FixedTree.longValues, from: [], upTo: nil) == 0)
        #expect(try store.verify().problems == [])
    }

    @Test("verify finds a long value that is missing, and one that belongs to nobody")
    func verification() throws {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder.file("checked"))
        let transaction = try store.write()
        let photos = try transaction.existing("Photo")
        let key = try photos.create(.int(1))
        photos.set(key, 1, .bytes(Self.bytes(1, 10_000)))
        try transaction.commit(.relaxed)
        #expect(try store.verify().problems == [])
        let column = photos.columns[1].id
        try transaction.beginWriting()
        transaction.writer.put(FixedTree.longValues, LongValues.key(column, 7), Self.bytes(1, 5_000))
        transaction.noteTreeChange()
        try transaction.commit(.relaxed)
        #expect(try store.verify().problems.count == 1)
        try transaction.beginWriting()
        transaction.writer.remove(FixedTree.longValues, LongValues.key(column, 7))
        transaction.writer.remove(FixedTree.longValues, LongValues.key(column, key.rawValue))
        transaction.noteTreeChange()
        try transaction.commit(.relaxed)
        #expect(try store.verify().problems.count == 1)
        // It reads as nothing, and is told.
        #expect(photos.value(key, 1) == .bytes([]))
        #expect(code { try transaction.throwDamage() } != nil)
    }
}
