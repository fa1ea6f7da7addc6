import CausewayModel
import CausewayObjectStoreReference
import CausewaySeeds
import CausewayQuery
import CausewayStorage
import Testing

@testable import CausewayObjectStore

@Suite("Packed chunks")
struct ChunkTests {
    private static let seeds = SeedList.drawn(for: "chunks", count: 6)

    @Test("entries of every width come back as they were")
    func roundTrip() throws {
        for span in [1, 2, 200, 300, 70_000, 20_000_000, 1 << 33, 1 << 62] as [Int64] {
            for values in [[1, 1, 1], [5, 6, 7], [0, 300, 2], [7, 7, 9], [0, Int64.max, -5]] as [[Int64]] {
                let entries = zip([-3, -2, -3 + max(span, 2)], values).map { PackedChunk.Entry(key: $0, value: $1) }
                for count in 1...3 {
                    var bytes: [UInt8] = []
                    PackedChunk.encode(entries[..<count], into: &bytes)
                    bytes.withUnsafeBytes { bytes in
                        guard let chunk = PackedChunk(first: -3, bytes) else {
                            Issue.record("span \(span), values \(values), count \(count)")
                            return
                        }
                        let found = (0..<chunk.count).map {
                            PackedChunk.Entry(key: chunk.key($0), value: chunk.value($0))
                        }
                        #expect(found == Array(entries[..<count]), "span \(span), values \(values)")
                        var keys: [Int64] = []
                        chunk.forEachKey { keys.append($0) }
                        #expect(keys == entries[..<count].map(\.key))
                        let copied = [Int64](unsafeUninitializedCapacity: chunk.count) { copy, initialized in
                            copy.baseAddress.map { chunk.copyKeys(to: $0) }
                            initialized = chunk.count
                        }
                        #expect(copied == keys)
                        for (index, key) in keys.enumerated() { #expect(chunk.index(of: key) == index) }
                        #expect(chunk.index(of: -4) == nil && chunk.index(of: .max) == nil)
                        #expect(chunk.index(of: chunk.last + 1) == nil)
                    }
                }
            }
        }
    }

    @Test("bytes of any kind are refused or read within their bounds", arguments: seeds)
    func anyBytes(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<20_000 {
            let bytes = (0..<numbers.below(60)).map { place in
                UInt8(place < 4 ? numbers.one(of: [0, 1, 2, 3, 4, 5, 8, 20, 255]) : numbers.below(256))
            }
            // In memory of its own size, so that the sanitizer sees a read beyond.
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
            memory.copyBytes(from: bytes)
            if let chunk = PackedChunk(first: .max - 3, UnsafeRawBufferPointer(memory)) {
                for index in 0..<chunk.count { _ = (chunk.key(index), chunk.value(index)) }
                _ = chunk.index(of: .max)
                chunk.forEachKey { _ in }
            }
            let first = Int64(numbers.below(100_000)) - 10
            if let chunk = PackedChunk(first: first, UnsafeRawBufferPointer(memory)), chunk.keysLie(below: 90_000) {
                let keys = [Int64](unsafeUninitializedCapacity: chunk.count) { copy, initialized in
                    copy.baseAddress.map { chunk.copyKeys(to: $0) }
                    initialized = chunk.count
                }
                #expect(keys == (0..<chunk.count).map(chunk.key))
                #expect(keys.allSatisfy { 0 <= $0 && $0 < 90_000 })
            }
            memory.deallocate()
        }
    }

    @Test("chunks split, join and vanish as entries come and go in any order", arguments: seeds)
    func chunkTree(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let storage = try StorageRegistry.shared.open(path: "chunks \(seed)", options: StorageOptions(inMemory: true))
        let writer = try storage.write()
        let tree = ChunkTree(tree: 30, limit: 16, meaning: seed % 2 == 0 ? .count : .row)
        let prefixes: [[UInt8]] = [[1], [2, 0], [2, 1], [255]]
        var reference: [[UInt8]: [Int64: Int64]] = [:]
        for round in 0..<400 {
            let isShrinking = round / 50 % 2 == 1
            var batch = ChunkBatch()
            let touched = numbers.one(of: [[0], [1], [0, 3], [0, 1, 2, 3]]).map { prefixes[$0] }
            for prefix in touched {
                var changes: [Int64: ChunkTree.Change] = [:]
                for _ in 0..<numbers.one(of: [1, 1, 2, 5, 60]) {
                    let key = Int64(numbers.below(400)) - 100
                    let isRemoval = isShrinking ? !numbers.once(in: 4) : numbers.once(in: 4)
                    let present = Int64(numbers.below(3)) + 1
                    let isRelative = tree.meaning == .count && numbers.once(in: 3)
                    let value = isRemoval ? (tree.meaning == .count ? (isRelative ? -1 : 0) : -1) : present
                    changes[key] = .init(key: key, value: value, isRelative: isRelative)
                }
                for change in changes.values.sorted(by: { $0.key < $1.key }) { batch.append(change) }
                prefix.withUnsafeBytes { batch.end($0, isAscending: true) }
            }
            #expect(tree.apply(batch, writer, isEmpty: false))
            for (index, prefix) in touched.enumerated() {
                for change in batch.changes(index) {
                    let before = reference[prefix, default: [:]][change.key] ?? 0
                    let value = change.isRelative ? before + change.value : change.value
                    let isStored = tree.meaning == .count ? value > 0 : value >= 0
                    reference[prefix, default: [:]][change.key] = isStored ? value : nil
                }
            }
            for prefix in prefixes {
                expectChunks(of: tree, prefix, reference[prefix, default: [:]], writer, "seed \(seed), round \(round)")
            }
        }
        writer.abort()
    }

    private func expectChunks(
        of tree: ChunkTree, _ prefix: [UInt8], _ expected: [Int64: Int64], _ writer: any StorageWriter, _ when: String
    ) {
        var found: [Int64: Int64] = [:]
        var last = Int64.min
        var sizes: [Int] = []
        let isSound = tree.scan(prefix, writer) { chunk in
            for index in 0..<chunk.count {
                #expect(chunk.key(index) > last, "\(when)")
                last = chunk.key(index)
                found[last] = chunk.value(index)
            }
            sizes.append(chunk.count)
            return true
        }
        #expect(isSound)
        #expect(found == expected, "\(when)")
        #expect(sizes.allSatisfy { $0 <= 16 }, "\(when)")
    }

    @Test(
        "a value with any number of rows is counted and listed", arguments: [0, 1, 2, 511, 512, 513, 1024, 1025, 5000])
    func counts(count: Int) throws {
        let store = try openInMemory("counts \(count)")
        let transaction = try store.write()
        try transaction.extendSchema(Models.schema)
        let table = try transaction.existing("Everything")
        func row(_ number: Int64) -> [Value] {
            Models.everything.properties.map { $0.name == "indexedNumber" ? .int(number) : .null }
        }
        for number in 0..<count { _ = try table.create(.int(Int64(number)), row: row(7)) }
        let predicate = try Predicate.parse("indexedNumber == 7").bound(to: "Everything", in: transaction.schema)
        func check(_ expected: [Int], _ when: String) throws {
            let plan = QueryPlan(table, predicate, scanCost: .infinity)
            #expect(plan.count() == expected.count, "\(when)")
            #expect(plan.keys().map(\.rawValue) == expected.map(Int64.init), "\(when)")
        }
        try check(Array(0..<count), "while writing")
        try transaction.commit()
        try check(Array(0..<count), "committed")
        try transaction.beginWriting()
        for number in 0..<count where number % 3 != 0 { table.set(ObjectKey(Int64(number)), 3, .int(8)) }
        try check((0..<count).filter { $0 % 3 == 0 }, "changed")
        transaction.abort()
        try check(Array(0..<count), "aborted")
        try transaction.beginWriting()
        for number in 0..<count { table.delete(ObjectKey(Int64(number))) }
        try check([], "deleted")
        try transaction.commit()
        try check([], "all gone")
    }
}
