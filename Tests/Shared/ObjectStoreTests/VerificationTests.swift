import CausewayFolders
import CausewayModel
import CausewayStorage
import Testing

@testable import CausewayObjectStore

/// Plants one kind of damage after the other, where only the store itself can reach, and expects it to be found.
@Suite("Verifying what a file says of its objects")
struct VerificationTests {
    private static let schema = Schema([
        ClassSchema(
            name: "Thing",
            properties: [
                Property(name: "id", type: .int, isPrimaryKey: true),
                Property(name: "number", type: .int, isIndexed: true),
                Property(name: "text", type: .string, isFullTextIndexed: true),
                Property(name: "any", type: .mixed, isOptional: true, isIndexed: true),
                Property(name: "other", type: .object, isOptional: true, target: "Thing"),
                Property(name: "others", type: .object, collection: .list, target: "Thing"),
                Property(name: "numbers", type: .int, collection: .list),
                Property(name: "names", type: .string, collection: .set),
                Property(name: "amounts", type: .double, collection: .map, isOptional: true),
                Property(name: "size", type: .double),
                Property(name: "tag", type: .object, isOptional: true, target: "Tag"),
            ]),
        ClassSchema(name: "Tag", properties: [Property(name: "name", type: .string, isPrimaryKey: true)]),
    ])

    private func prepare(_ path: String, inMemory: Bool = true) throws -> ObjectStore {
        let store = try ObjectStore.open(path: path, options: .init(inMemory: inMemory, mapSizeBytes: 1 << 30))
        let transaction = try store.write()
        try transaction.extendSchema(Self.schema)
        let things = try transaction.existing("Thing")
        for number in Int64(0)..<1500 {
            let key = try things.create(.int(number * 3))
            things.set(key, 1, .int(number % 40))
            things.set(key, 2, .string("text number \(number % 9)"))
            things.set(key, 3, number % 3 == 0 ? .string("s\(number % 5)") : .int(number % 7))
            things.set(key, 4, number > 2 ? .object(ObjectKey(number % 50)) : .null)
            things.set(key, 9, .double(Double(number) / 8))
        }
        for number in Int64(0)..<300 { things.listAppend(ObjectKey(3), 5, .object(ObjectKey(number % 70))) }
        for number in Int64(0)..<2000 { things.listAppend(ObjectKey(4), 6, .int(number)) }
        for name in ["one", "two", "three"] {
            things.setInsert(ObjectKey(5), 7, .string(name))
            things.mapPut(ObjectKey(6), 8, name, .double(Double(name.count)))
        }
        things.set(ObjectKey(9), 10, .link(.string("not here")))
        _ = try transaction.existing("Tag").create(.string("here"))
        for key in things.allKeys where key.rawValue % 11 == 10 { things.delete(key) }
        try transaction.commit()
        transaction.end()
        return store
    }

    private struct Planting {
        var transaction: Transaction
        var things: Table

        /// Takes the first entry of a tree away.
        func removeFirst(_ tree: UInt32) {
            var found: [UInt8]?
            transaction.reader.scan(tree: tree, from: [], upTo: nil, reversed: false) { key, _ in
                found = Array(key)
                return false
            }
            if let found { transaction.writer.remove(tree, found) }
        }

        func write(_ column: Int, _ body: (WritableLeaf) -> Void) {
            body(things.columns[column].write(0, of: things))
            things.changes.modify(ObjectKey(0), column)
        }

        func indexKey(_ value: Int64, _ row: Int64) -> [UInt8] {
            let buffer = KeyBuffer()
            buffer.append(index: .int(value))
            return ChunkTree.key(buffer.array, row)
        }
    }

    private struct Damage: CustomStringConvertible, Sendable {
        var description: String
        var words: String
        var plant: @Sendable (Planting) -> Void

        init(_ description: String, _ words: String, _ plant: @escaping @Sendable (Planting) -> Void) {
            (self.description, self.words, self.plant) = (description, words, plant)
        }
    }

    private static let kinds: [Damage] = [
        Damage("an entry of an index is missing", "is not in the index of 'Thing.number'") {
            $0.removeFirst($0.things.columns[1].indexTree)
        },
        Damage("an index has a row under another value", "which has another value") {
            $0.transaction.writer.put($0.things.columns[1].indexTree, $0.indexKey(1234, 5), [])
        },
        Damage("an index has a row that is not there", "which is not there") {
            $0.transaction.writer.put($0.things.columns[1].indexTree, $0.indexKey(1234, 10), [])
        },
        Damage("a column changed without its index", "which has another value") {
            $0.write(1) { $0.setInteger(3, 999) }
        },
        Damage("a mixed column changed without its index", "object 4 of class 'Thing'") {
            $0.write(3) { leaf in
                "new".utf8.withContiguousStorageIfAvailable { leaf.setBytes(4, UnsafeRawBufferPointer($0)) }
            }
        },
        Damage("words are missing", "The words of") { $0.removeFirst($0.things.columns[2].wordsTree) },
        Damage("a text changed without its words", "The words of object 7 of class 'Thing'") {
            $0.write(2) { leaf in
                "new".utf8.withContiguousStorageIfAvailable { leaf.setBytes(7, UnsafeRawBufferPointer($0)) }
            }
        },
        Damage("backlinks are missing", "are not the links to it") { $0.removeFirst($0.things.record.backlinks) },
        Damage("a link was set without a backlink", "object 30 of class 'Thing' from 'Thing.other'") {
            $0.write(4) { $0.setInteger(3, 30) }
        },
        Damage("a link leads to a row that was deleted", "links to object 21 of class 'Thing', which is not there") {
            $0.write(4) { $0.setInteger(3, 21) }
        },
        Damage("a link leads to a row that never was", "links to object 99999 of class 'Thing', which is not there") {
            $0.write(4) { $0.setInteger(3, 99_999) }
        },
        Damage("elements of a list of links are missing", "from 'Thing.others' are not the links to it") {
            let list = ListBytes.encode([.object(ObjectKey(1))], .object)
            for part in UInt32(1)...3 {
                $0.transaction.writer.remove($0.things.columns[5].listTree, ListKey.part(ObjectKey(3), part))
            }
            $0.transaction.writer.put($0.things.columns[5].listTree, ListKey.head(ObjectKey(3)), list)
        },
        Damage("a chunk of a list is missing", "of object 4 of class 'Thing' contradict themselves") {
            $0.transaction.writer.remove($0.things.columns[6].listTree, ListKey.part(ObjectKey(4), 1))
        },
        Damage("a chunk belongs to no list", "has a chunk that belongs to nothing") {
            let list = ListBytes.encode([.int(1)], .int)
            $0.transaction.writer.put($0.things.columns[6].listTree, ListKey.part(ObjectKey(4), 77), list)
        },
        Damage("a list is that of an object that was deleted", "has elements of object 10") {
            let list = ListBytes.encode([.int(1)], .int)
            $0.transaction.writer.put($0.things.columns[6].listTree, ListKey.head(ObjectKey(10)), list)
        },
        Damage("a set has an element twice", "The elements of the set 'names'") {
            let list = ListBytes.encode([.string("one"), .string("one")], .string)
            $0.transaction.writer.put($0.things.columns[7].listTree, ListKey.head(ObjectKey(5)), list)
        },
        Damage("a map has more keys than values", "other numbers of keys and values") {
            let list = ListBytes.encode([.double(1)], .double)
            $0.transaction.writer.put($0.things.columns[8].listTree, ListKey.head(ObjectKey(6)), list)
        },
        Damage("a map has no keys", "has values without keys") { $0.removeFirst($0.things.columns[8].keysTree) },
        Damage("the count is another", "counts 7 objects") {
            let counters = [$0.things.nextKey, 7].flatMap { number in
                withUnsafeBytes(of: number.littleEndian) { Array($0) }
            }
            $0.transaction.writer.put(
                FixedTree.catalog, CatalogKey.counters(table: $0.things.record.table), counters)
        },
        Damage("a primary key is missing", "is not among the class's primary keys") {
            $0.removeFirst($0.things.record.primaryKeys)
        },
        Damage("a primary key changed in its column", "which has another one") { $0.write(0) { $0.setInteger(3, 77) } },
        Damage("a row is dead to itself alone", "leads to object 8 of class 'Thing', which is not there") { planting in
            planting.things.absent.write(0, of: planting.things).setBit(8, true)
            planting.things.changes.modify(ObjectKey(0), 1)
        },
        Damage("a row is an object and a ghost", "is an object and a ghost") { planting in
            planting.things.ghosts.write(0, of: planting.things).setBit(8, true)
            planting.things.changes.modify(ObjectKey(0), 1)
        },
        Damage("a ghost is missing", "which is not there") { planting in
            guard let tags = planting.transaction.table("Tag"), let ghost = tags.keyOrGhost(for: .string("not here"))
            else { return }
            tags.ghosts.write(0, of: tags).setBit(ghost.slot, false)
            tags.changes.modify(ghost, 0)
        },
        Damage("a required property is null", "has null where the property takes none") {
            $0.write(9) { $0.setNull(2) }
        },
        Damage("the range of a leaf is too small", "below its minimum or above its maximum") { planting in
            let column = planting.things.columns[9].id
            guard var leaf = planting.transaction.reader.leaf(column: column, number: 0).map({ Array($0) }) else {
                return
            }
            withUnsafeBytes(of: 1.5) { leaf.replaceSubrange(LeafLayout.maximum..<LeafLayout.maximum + 8, with: $0) }
            leaf.withUnsafeBytes { planting.transaction.writer.replaceLeaf(column: column, number: 0, $0) }
        },
        Damage("a leaf is of another kind", "contradicts itself") { planting in
            let column = planting.things.columns[9].id
            guard var leaf = planting.transaction.reader.leaf(column: column, number: 1).map({ Array($0) }) else {
                return
            }
            leaf[LeafLayout.kind] = 1
            leaf.withUnsafeBytes { planting.transaction.writer.replaceLeaf(column: column, number: 1, $0) }
        },
        Damage("a text lies outside of its leaf", "lies outside of it") { planting in
            let column = planting.things.columns[3].id
            guard var leaf = planting.transaction.reader.leaf(column: column, number: 1).map({ Array($0) }) else {
                return
            }
            // The code of one slot, beyond the dictionary.
            leaf[LeafLayout.headerBytes + 5] = 200
            leaf.withUnsafeBytes { planting.transaction.writer.replaceLeaf(column: column, number: 1, $0) }
        },
        Damage("a number may be given out again", "was never given out") {
            $0.transaction.writer.put(FixedTree.catalog, CatalogKey.nextNumber, [20, 0, 0, 0])
        },
        Damage("a chunk of an index cannot be read", "A chunk of the index of 'Thing.number' contradicts itself") {
            $0.transaction.writer.put($0.things.columns[1].indexTree, $0.indexKey(1234, 5), [1, 2, 3])
        },
        Damage("the catalog cannot be read", "The list of classes contradicts itself") {
            $0.transaction.writer.put(FixedTree.catalog, CatalogKey.classes, [Catalog.format, 1, 0xFF])
        },
        Damage("a record of changes cannot be read", "The record of recent changes") {
            $0.transaction.writer.put(FixedTree.changes, ObjectStore.changesKey(1), [0xFF])
        },
    ]

    @Test("a file is sound while nothing is planted", arguments: [true, false])
    func sound(inMemory: Bool) throws {
        let folder = try TemporaryFolder()
        let store = try prepare(folder.file("sound"), inMemory: inMemory)
        var steps: [Double] = []
        let report = try store.verify { steps.append($0) }
        #expect(report.problems == [])
        #expect(report.isSound && report.objects == 1500 - 136 + 1 && report.pages > 10)
        #expect(steps.last == 1 && steps == steps.sorted())
    }

    @Test("each kind of damage is found and named", arguments: kinds.indices)
    func found(kind: Int) throws {
        let damage = Self.kinds[kind]
        let store = try prepare("damage \(kind)")
        let transaction = try store.write()
        damage.plant(Planting(transaction: transaction, things: try transaction.existing("Thing")))
        transaction.noteTreeChange()
        try transaction.commit()
        let report = try store.verify()
        #expect(!report.isSound, "\(damage)")
        #expect(report.problems.contains { $0.contains(damage.words) }, "\(damage): \(report.problems.prefix(3))")
        #expect(report.problems.count <= VerificationReport.problemsMax)
    }

    @Test("a page that is not what was written is named, and nothing is told or thrown")
    func damagedPage() throws {
        let folder = try TemporaryFolder()
        try prepare(folder.file("page"), inMemory: false).close()
        var bytes = folder.read("page")
        // The first page with a leaf of the texts: any page that is in use would do.
        let place = try #require(bytes.firstRange(of: Array("text number 3".utf8)))
        bytes[place.lowerBound] ^= 1
        folder.write(bytes, to: "page")
        let store = try ObjectStore.open(path: folder.file("page"), options: .init(readOnly: true))
        let report = try store.verify()
        #expect(!report.isSound)
        #expect(report.problems.allSatisfy { $0.contains("Page") }, "\(report.problems)")
    }
}
