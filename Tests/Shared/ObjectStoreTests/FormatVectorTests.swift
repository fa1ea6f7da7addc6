import CausewayFolders
import CausewayMerge
import CausewayModel
import CausewayQuery
import CausewayStorage
import Glibc
import Testing

@testable import CausewayObjectStore

/// Files of every catalog format this library has written, kept in `Tests/Vectors/objectstore`: they open for ever, with
/// what was written into them.
@Suite("Files of earlier formats of objects")
struct FormatVectorTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func vector(_ name: String) -> String {
        let tests = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return "/\(tests)/Vectors/objectstore/\(name)"
    }

    private func copyOfVector(_ name: String, as other: String? = nil) throws -> String {
        try copy(vector(name), to: folder.file(other ?? name))
        return folder.file(other ?? name)
    }

    private func expectReadable(_ name: String) throws {
        let path = try copyOfVector(name, as: "read only")
        try VectorThings.expect(try ObjectStore.open(path: path, options: .init(readOnly: true)).read())
    }

    private func copy(_ path: String, to other: String) throws {
        let source = try #require(fopen(path, "r"))
        defer { fclose(source) }
        var bytes = [UInt8](repeating: 0, count: 1 << 23)
        let count = fread(&bytes, 1, bytes.count, source)
        #expect(count < bytes.count)
        let copy = try #require(fopen(other, "w"))
        fwrite(bytes, 1, count, copy)
        fclose(copy)
    }

    @Test("a file of format 1 is upgraded when it is opened, and says so when it may not be")
    func formatOne() throws {
        let path = try copyOfVector("1.causeway")
        #expect(code { _ = try ObjectStore.open(path: path, options: .init(readOnly: true)) } == .unsupportedVersion)
        for _ in 0..<2 {
            let store = try ObjectStore.open(path: path)
            try expectFormatOne(try store.read())
            let writing = try store.write()
            try expectWritable(writing)
            writing.abort()
            store.close()
        }
        let reader = try ObjectStore.open(path: path, options: .init(readOnly: true))
        #expect(try reader.verify().problems == [])
        try expectFormatOne(try reader.read())
    }

    @Test("a file of format 2 can be read as it is, and is upgraded when it is opened for writing")
    func formatTwo() throws {
        try expectReadable("2.causeway")
        let path = try copyOfVector("2.causeway")
        for round in 0..<2 {
            let store = try ObjectStore.open(path: path)
            let transaction = try store.write()
            try VectorThings.expect(transaction)
            // It was declared, and format 2 had no such index.
            #expect(try explanation("`any` == 3", transaction) == (round == 0 ? "row by row" : "index on Thing.any"))
            try transaction.extendSchema(VectorThings.schema)
            #expect(try explanation("`any` == 3", transaction) == "index on Thing.any")
            #expect(try explanation("note TEXT 'red'", transaction) == "full-text index on Thing.note")
            try VectorThings.expect(transaction)
            try transaction.commit()
            store.close()
        }
    }

    @Test("a file of format 3 holds what was written into it, indexes of mixed values and of words too")
    func formatThree() throws {
        try expectReadable("3.causeway")
        let path = try copyOfVector("3.causeway")
        let store = try ObjectStore.open(path: path)
        let transaction = try store.write()
        #expect(try explanation("`any` == 3", transaction) == "index on Thing.any")
        #expect(try explanation("note TEXT 'red'", transaction) == "full-text index on Thing.note")
        try VectorThings.expect(transaction)
        let things = try transaction.existing("Thing")
        things.set(ObjectKey(1), 2, .string("nothing but new words"))
        things.set(ObjectKey(1), 11, .string("new"))
        for key in things.allKeys.dropFirst(2) { things.delete(key) }
        try expectKeys([1], "note TEXT 'new'", transaction, "Thing")
        try expectKeys([1], "`any` == 'new'", transaction, "Thing")
        try expectKeys([], "note TEXT 'number' OR `any` > 0", transaction, "Thing")
        transaction.abort()
    }

    @Test("a file of format 3 loses its leaves of dead objects when it is opened for writing")
    func deadLeaves() throws {
        let path = folder.file("dead")
        let store = try ObjectStore.open(path: path)
        let transaction = try store.write()
        try transaction.extendSchema(VectorThings.schema)
        let things = try transaction.existing("Thing")
        for number in Int64(0)..<5000 { _ = try things.create(.int(number)) }
        things.delete(things.allKeys.filter { $0.rawValue / 1000 != 2 && $0.rawValue != 4500 })
        try transaction.commit()
        #expect(things.deadLeaves.ranges == [0..<2, 3..<4])
        // As format 3 has it.
        try transaction.beginWriting()
        let full = WritableLeaf(.bits)
        for slot in 0..<slotsPerLeaf { full.setBit(slot, true) }
        for number in [UInt32(0), 1, 3] {
            transaction.packer.pack(full) {
                transaction.writer.replaceLeaf(column: things.absent.id, number: number, $0)
            }
        }
        transaction.writer.remove(FixedTree.catalog, CatalogKey.deadLeaves(table: things.number))
        var older = transaction.catalog.encoded
        older[0] = 3
        transaction.writer.put(FixedTree.catalog, CatalogKey.classes, older)
        transaction.noteTreeChange()
        try transaction.commit()
        let leaves = try store.statistics().leaves
        transaction.end()
        store.close()

        let reader = try ObjectStore.open(path: path, options: .init(readOnly: true))
        #expect(try reader.verify().problems == [])
        let reading = try reader.read()
        #expect(try reading.existing("Thing").count == 1001)
        reading.end()
        reader.close()
        let upgraded = try ObjectStore.open(path: path)
        #expect(try upgraded.statistics().leaves == leaves - 3)
        #expect(try upgraded.verify().problems == [])
        let again = try upgraded.read()
        #expect(try again.existing("Thing").deadLeaves.ranges == [0..<2, 3..<4])
        #expect(try again.existing("Thing").allKeys.count == 1001)
    }

    @Test("a file of format 4 holds what was written into it, without leaves of dead objects")
    func formatFour() throws {
        try expectReadable("4.causeway")
        let store = try ObjectStore.open(path: try copyOfVector("4.causeway"))
        #expect(try store.verify().problems == [])
        let transaction = try store.write()
        try VectorThings.expect(transaction)
        transaction.abort()
    }

    @Test(
        "a file of format 5 has its long values outside of their leaves; one of format 4 gets them there when it is written"
    )
    func formatFive() throws {
        try expectReadable("5.causeway")
        let store = try ObjectStore.open(path: try copyOfVector("5.causeway"))
        #expect(try store.verify().problems == [])
        let transaction = try store.write()
        try VectorThings.expect(transaction)
        try VectorThings.expectTexts(transaction)
        transaction.abort()

        let older = try ObjectStore.open(path: try copyOfVector("4.causeway"))
        let writing = try older.write()
        let things = try writing.existing("Thing")
        things.set(ObjectKey(2), 11, .string(String(repeating: "long", count: 2_000)))
        try writing.commit()
        #expect(things.value(ObjectKey(2), 11) == .string(String(repeating: "long", count: 2_000)))
        #expect(writing.reader.count(tree: FixedTree.longValues, from: [], upTo: nil) == 1)
        #expect(try older.verify().problems == [])
    }

    @Test("a file of format 6 has edited texts in chunks; one of format 5 gets them with the first edit")
    func formatSix() throws {
        try expectReadable("6.causeway")
        let store = try ObjectStore.open(path: try copyOfVector("6.causeway"))
        #expect(try store.verify().problems == [])
        let transaction = try store.write()
        try VectorThings.expect(transaction)
        try VectorThings.expectEdited(transaction)
        transaction.abort()

        let older = try ObjectStore.open(path: try copyOfVector("5.causeway"))
        let writing = try older.write()
        try VectorThings.writeEdited(to: writing)
        let essays = try writing.existing("Essay")
        essays.set(ObjectKey(0), 0, .string(VectorThings.texts[3]))
        try writing.commit()
        #expect(writing.reader.count(tree: FixedTree.longValues, from: [], upTo: nil) == 2 + 1)
        try writing.beginWriting()
        essays.edit(ObjectKey(0), text: 0, .insert("größer", at: 5_000))
        try writing.commit()
        try VectorThings.expectEdited(writing)
        #expect(try older.verify().problems == [])
    }

    @Test("a long value that a file of format 4 has in its leaf does not outlive its object")
    func longValueOfDeletedObject() throws {
        let store = try ObjectStore.open(path: folder.file("deleted"))
        let transaction = try store.write()
        try VectorThings.writeTexts(to: transaction)
        let notes = try transaction.existing("Note")
        // As format 4 has them.
        let leaf = WritableLeaf(.bytes)
        for (slot, text) in VectorThings.texts.enumerated() { leaf.set(slot, .string(text)) }
        try transaction.commit()
        try transaction.beginWriting()
        transaction.packer.pack(leaf) {
            transaction.writer.replaceLeaf(column: notes.columns[0].id, number: 0, $0)
        }
        for row in Int64(2)...3 {
            transaction.writer.remove(FixedTree.longValues, LongValues.key(notes.columns[0].id, row))
        }
        transaction.noteTreeChange()
        try transaction.commit()
        try transaction.beginWriting()
        notes.delete(ObjectKey(3))
        notes.set(ObjectKey(0), 0, .string("other"))
        try transaction.commit()
        #expect(transaction.reader.count(tree: FixedTree.longValues, from: [], upTo: nil) == 1)
        #expect(notes.value(ObjectKey(2), 0) == .string(VectorThings.texts[2]))
        #expect(try store.verify().problems == [])
    }

    @Test("a file of a later format, or with what this version does not know, is refused with words that say so")
    func laterFormats() throws {
        let catalog = Catalog(classes: [
            .init(
                schema: ClassSchema(name: "Dog", properties: [Property(name: "a", type: .int)]), table: 1,
                primaryKeys: 2, backlinks: 3, absent: 4, ghosts: 5, containers: 6,
                columns: [.init(id: 7, index: 0, list: 0)])
        ])
        let known = catalog.encoded
        var later = known
        later[0] = Catalog.format + 1
        // The last byte counts the further trees.
        let otherTree = Array(known.dropLast()) + [1, 200, 9]
        for (bytes, isKnown) in [(known, true), (later, false), (otherTree, false)] {
            let path = folder.file("\(bytes.count) \(bytes[0])")
            let store = try ObjectStore.open(path: path)
            let transaction = try store.write()
            try transaction.extendSchema(VectorThings.schema)
            _ = try transaction.existing("Thing").create(.int(1))
            transaction.writer.put(FixedTree.catalog, CatalogKey.classes, bytes)
            try transaction.commit()
            store.close()
            let found = code { _ = try ObjectStore.open(path: path).read().schema }
            #expect(found == (isKnown ? nil : .unsupportedVersion))
        }
    }

    private func explanation(_ text: String, _ transaction: Transaction) throws -> String {
        let predicate = try Predicate.parse(text).bound(to: "Thing", in: transaction.schema)
        return transaction.explain("Thing", matching: predicate)
    }

    /// Writes the vector of the current format anew, when that is wanted.
    @Test("the vector of the current format can be written anew")
    func writing() throws {
        guard getenv("CAUSEWAY_WRITE_VECTORS") != nil else { return }
        let name = "\(Catalog.format).causeway"
        let path = folder.file(name)
        let store = try ObjectStore.open(path: path)
        let transaction = try store.write()
        try VectorThings.write(to: transaction)
        try VectorThings.writeTexts(to: transaction)
        try VectorThings.writeEdited(to: transaction)
        try transaction.commit()
        store.close()
        try copy(path, to: vector(name))
    }

    /// Object `number` of 300 has these values; every sixth from the eighth on was deleted, half of those to ghosts
    /// where something links to them.
    private func expectFormatOne(_ transaction: Transaction) throws {
        let persons = try transaction.existing("Person")
        let tags = try transaction.existing("Tag")
        let ids = (0..<200).map(Int64.init) + (0..<100).map { Int64(1000 - 7 * $0) }
        let isDeleted = (0..<300).map { $0 % 6 == 1 && $0 >= 7 }
        let alive = (0..<300).filter { !isDeleted[$0] }
        #expect(persons.count == alive.count)
        #expect(persons.allKeys == alive.map { ObjectKey(Int64($0)) })
        for number in 0..<300 {
            let key = ObjectKey(Int64(number))
            #expect(persons.key(for: .int(ids[number])) == (isDeleted[number] ? nil : key), "\(number)")
            guard !isDeleted[number] else { continue }
            #expect(persons.value(key, 0) == .int(ids[number]))
            #expect(persons.value(key, 2) == .int(Int64(number % 20) - 3))
            #expect(persons.value(key, 3) == .double(Double(number) / 4))
            #expect(persons.value(key, 5).isNull == (number % 10 != 0))
        }
        #expect(persons.isGhost(ObjectKey(300)) && persons.keyOrGhost(for: .int(5000)) == ObjectKey(300))
        for name in ["name 0", "name 5", String(repeating: "long", count: 60)] {
            let expected = alive.filter { number in
                number % 11 != 0 && (number == 5 ? name.hasPrefix("long") : name == "name \(number % 13)")
            }
            try expectKeys(expected, "name == '\(name)'", transaction)
        }
        try expectKeys(alive.filter { $0 % 11 == 0 }, "name == nil", transaction)
        try expectKeys(alive.filter { $0 % 20 == 7 }, "age == 4", transaction)
        try expectKeys(alive.filter { $0 % 20 < 5 }, "age < 2", transaction)
        // Backlinks say what the links say.
        for target in alive + [300] {
            let key = ObjectKey(Int64(target))
            let linked = alive.filter { persons.value(ObjectKey(Int64($0)), 4) == .object(key) }
            #expect(persons.backlinks(to: key, from: persons, 4) == linked.map { ObjectKey(Int64($0)) }, "\(target)")
            let listed = alive.flatMap { number in
                persons.listValues(ObjectKey(Int64(number)), 6).filter { $0 == .object(key) }.map { _ in number }
            }
            #expect(persons.backlinks(to: key, from: persons, 6) == listed.map { ObjectKey(Int64($0)) }, "\(target)")
        }
        for number in 0..<5 {
            let key = try #require(tags.keyOrGhost(for: .string("tag \(number)")))
            #expect(tags.exists(key) == (number == 0))
            let linked = alive.filter { $0 % 4 == 0 && $0 % 5 == number }
            #expect(tags.backlinks(to: key, from: persons, 7) == linked.map { ObjectKey(Int64($0)) })
        }
        #expect(try transaction.existing("Address").count == alive.count { $0 % 10 == 0 })
    }

    private func expectKeys(
        _ expected: [Int], _ text: String, _ transaction: Transaction, _ className: String = "Person"
    ) throws {
        let predicate = try Predicate.parse(text).bound(to: className, in: transaction.schema)
        #expect(
            try transaction.keys(className, matching: predicate) == expected.map { ObjectKey(Int64($0)) }, "\(text)")
        #expect(try transaction.count(className, matching: predicate) == expected.count, "\(text)")
    }

    private func expectWritable(_ transaction: Transaction) throws {
        let persons = try transaction.existing("Person")
        #expect(code { _ = try persons.create(.int(1000)) } == .duplicatePrimaryKey)
        #expect(try persons.create(.int(5000)) == ObjectKey(300))
        for key in persons.allKeys { persons.delete(key) }
        #expect(persons.count == 0 && persons.allKeys.isEmpty)
        try expectKeys([], "age < 100", transaction)
    }
}
