import CausewayModel
import CausewayObjectStore
import CausewayQuery
import Glibc
import Testing

/// Files of every catalog format this library has written, kept in `Tests/Vectors/objectstore`: they open for ever, with
/// what was written into them.
@Suite("Files of earlier formats of objects")
struct FormatVectorTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func copyOfVector(_ name: String) throws -> String {
        let vectors = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let source = try #require(fopen("/\(vectors)/Vectors/objectstore/\(name)", "r"))
        defer { fclose(source) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, source)
        let path = folder.file(name)
        let copy = try #require(fopen(path, "w"))
        fwrite(bytes, 1, count, copy)
        fclose(copy)
        return path
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
        try expectFormatOne(try reader.read())
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

    private func expectKeys(_ expected: [Int], _ text: String, _ transaction: Transaction) throws {
        let predicate = try Predicate.parse(text).bound(to: "Person", in: transaction.schema)
        #expect(
            try transaction.keys("Person", matching: predicate) == expected.map { ObjectKey(Int64($0)) }, "\(text)")
        #expect(try transaction.count("Person", matching: predicate) == expected.count, "\(text)")
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
