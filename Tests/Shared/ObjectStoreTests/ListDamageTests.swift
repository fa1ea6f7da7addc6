import CausewayModel
import CausewayObjectStore
import CausewayObjectStoreReference
import CausewaySeeds
import CausewayStorage
import Testing

@Suite("Lists as they lie in the file")
struct ListDamageTests {
    private static let seeds = SeedList.drawn(for: "list-damage", count: 4)

    private struct Prepared {
        var store: ObjectStore
        var storage: any Storage
        var key: ObjectKey
    }

    private func prepare(_ name: String, count: Int) throws -> Prepared {
        let store = try openInMemory(name)
        let storage = try StorageRegistry.shared.open(path: name, options: StorageOptions(inMemory: true))
        let transaction = try store.write()
        try transaction.extendSchema(ListModels.schema)
        let table = try transaction.existing("Holder")
        let key = try table.create(.int(1))
        for number in 0..<count { table.listInsert(key, ListModels.numbers, number, .int(Int64(number))) }
        try transaction.commit()
        return Prepared(store: store, storage: storage, key: key)
    }

    @Test("a short list is one entry: count, flags, elements")
    func shortVector() throws {
        let prepared = try prepare("short vector", count: 3)
        let entries = ListFile.entries(try prepared.storage.snapshot())
        #expect(entries.map(\.value) == [ListFile.longEntry([0, 1, 2])])
        #expect(entries.map(\.key) == [[0, 0, 0, 0, 0, 0, 0, 0]])
    }

    @Test("a longer list is a head and a chunk; a very long one has groups between them")
    func longVectors() throws {
        let one = try prepare("one chunk", count: 65)
        let entries = ListFile.entries(try one.storage.snapshot())
        #expect(
            entries.map(\.value) == [
                [65, 0, 0, 0, 2, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0] + [1, 0, 0, 0, 65, 0, 0, 0],
                ListFile.longEntry(Array(0..<65)),
            ])
        #expect(entries.map(\.key.count) == [8, 12])
        let groups = try prepare("groups", count: 66_000)
        let head = ListFile.entries(try groups.storage.snapshot())[0]
        #expect(Array(head.value[4..<6]) == [2, 2])
        #expect(head.value.count == 16 + 2 * 8)
    }

    @Test("a long list that was written as one entry is read, and gets chunks with its first change")
    func longEntry() throws {
        let prepared = try prepare("long entry", count: 3)
        let entry = ListFile.entries(try prepared.storage.snapshot())[0]
        try ListFile.put(entry, ListFile.longEntry(Array(0..<70_001)), prepared.storage)
        let transaction = try prepared.store.read()
        let table = try transaction.existing("Holder")
        #expect(table.listCount(prepared.key, ListModels.numbers) == 70_001)
        #expect(table.listValue(prepared.key, ListModels.numbers, 69_999) == .int(69_999))
        try transaction.beginWriting()
        table.listRemove(prepared.key, ListModels.numbers, 35_000)
        try transaction.commit()
        #expect(ListFile.entries(try prepared.storage.snapshot()).count > 130)
        let reader = try prepared.store.read()
        let expected = (0..<70_001).filter { $0 != 35_000 }.map { Value.int(Int64($0)) }
        #expect(try reader.existing("Holder").listValues(prepared.key, ListModels.numbers) == expected)
    }

    @Test("entries with any bytes changed are read, changed and deleted without a trap", arguments: seeds)
    func damaged(seed: UInt64) throws {
        let count = seed % 2 == 0 ? 66_000 : 1_300
        let prepared = try prepare("damaged \(seed)", count: count)
        var numbers = SeededNumbers(seed: seed)
        for entry in ListFile.entries(try prepared.storage.snapshot()).prefix(5) {
            for _ in 0..<12 {
                var value = entry.value
                switch numbers.below(4) {
                case 0: value.removeLast(1 + numbers.below(value.count))
                case 1: value += [1, 2, 3, 4, 5, 6, 7, 8]
                default:
                    for _ in 0..<(1 + numbers.below(3)) {
                        value[numbers.below(min(value.count, 40))] = numbers.one(of: [0, 1, 2, 3, 127, 255])
                    }
                }
                try ListFile.put(entry, value, prepared.storage)
                try use(prepared, count, &numbers)
                try ListFile.put(entry, entry.value, prepared.storage)
            }
            try ListFile.remove(entry, prepared.storage)
            try use(prepared, count, &numbers)
            try ListFile.put(entry, entry.value, prepared.storage)
        }
    }

    private func use(_ prepared: Prepared, _ count: Int, _ numbers: inout SeededNumbers) throws {
        let transaction = try prepared.store.read()
        let table = try transaction.existing("Holder")
        _ = table.listValues(prepared.key, ListModels.numbers)
        let found = table.listCount(prepared.key, ListModels.numbers)
        for _ in 0..<20 { _ = table.listValue(prepared.key, ListModels.numbers, numbers.below(count)) }
        do {
            try transaction.beginWriting()
        } catch {
            #expect(error.code == .damaged)
            return
        }
        for _ in 0..<20 {
            table.listInsert(prepared.key, ListModels.numbers, numbers.below(min(found, count) + 1), .int(1))
        }
        for _ in 0..<20 { table.listRemove(prepared.key, ListModels.numbers, 0) }
        table.delete(prepared.key)
        transaction.abort()
    }

    @Test("a chunk that is missing shows zeros and fails the commit")
    func missingChunk() throws {
        let prepared = try prepare("missing chunk", count: 1_300)
        let entry = ListFile.entries(try prepared.storage.snapshot())[2]
        try ListFile.remove(entry, prepared.storage)
        let transaction = try prepared.store.write()
        let table = try transaction.existing("Holder")
        #expect(table.listValue(prepared.key, ListModels.numbers, 1) == .int(1))
        #expect(table.listCount(prepared.key, ListModels.numbers) == 1_300)
        #expect(table.listValue(prepared.key, ListModels.numbers, 600) == .int(0))
        table.listInsert(prepared.key, ListModels.numbers, 600, .int(3))
        #expect(code { try transaction.commit() } == .damaged)
    }
}
