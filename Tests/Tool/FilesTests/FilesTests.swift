import CausewayFiles
import CausewayFolders
import CausewayModel
import CausewayObjectStore
import Testing

@Suite("The tool for files")
struct FilesTests {
    private static let schema = Schema([
        ClassSchema(
            name: "Dog",
            properties: [
                Property(name: "id", type: .int, isPrimaryKey: true), Property(name: "name", type: .string),
                Property(name: "home", type: .object, isOptional: true, target: "Home"),
                Property(name: "weights", type: .double, collection: .list),
            ]),
        ClassSchema(name: "Home", properties: [Property(name: "street", type: .string, isOptional: true)]),
    ])

    private static let key = [UInt8](repeating: 7, count: FileKey.byteCount)

    private func make(_ path: String, key: [UInt8]? = nil, dogs count: Int = 3) throws {
        let store = try ObjectStore.open(path: path, options: ObjectStore.Options(encryptionKey: key))
        defer { store.close() }
        let write = try store.write()
        try write.extendSchema(Self.schema)
        let homes = try #require(write.table("Home"))
        let dogs = try #require(write.table("Dog"))
        let home = try homes.create(nil, row: [.string("Main \u{0}")])
        for number in 1...count {
            let dog = try dogs.create(
                .int(Int64(number)),
                row: [.null, .string("Rex \(number)"), number == 2 ? .object(home) : .null, .null])
            dogs.listReplace(dog, 3, [.double(.nan), .double(-0.0)])
        }
        try write.commit()
    }

    @Test func `a query prints objects in its order, and inspecting writes nothing`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("dogs")
        try make(path)
        let before = folder.read("dogs")
        let file = try OpenedFile.inspect(path, key: nil)
        let query = try ObjectQuery("Dog", "id > 1 SORT(id DESC) LIMIT(2)")
        let lines = try file.read { transaction in
            let line = ObjectLine(transaction)
            return try query.rows(in: transaction).map { try line.text($0, "Dog") }
        }
        #expect(
            lines == [
                #"{"id":3,"name":"Rex 3","home":null,"weights":[{"$numberDouble":"NaN"},-0.0]}"#,
                #"{"id":2,"name":"Rex 2","home":{"$ref":"Home","$row":0},"weights":[{"$numberDouble":"NaN"},-0.0]}"#,
            ])
        let homes = try file.read { try ObjectLine($0).text(ObjectKey(0), "Home") }
        #expect(homes == #"{"$row":0,"street":"Main \u0000"}"#)
        let summary = try FileSummary(file)
        #expect(summary.role == .local)
        #expect(summary.classes.map(\.count) == [3, 1])
        #expect(try FileMaintenance.verify(file).isSound)
        let explanation = try file.read { try query.explanation(in: $0) }
        #expect(!explanation.isEmpty)
        file.close()
        #expect(folder.read("dogs") == before)
    }

    @Test func `an encrypted file opens with its key only, and a copy without a key opens without`() throws {
        let folder = try TemporaryFolder()
        try make(folder.file("dogs"), key: Self.key)
        #expect(throws: FileFailure.self) { try OpenedFile.inspect(folder.file("dogs"), key: nil) }
        let file = try OpenedFile.inspect(folder.file("dogs"), key: Self.key)
        #expect(try FileSummary(file).isEncrypted)
        try FileMaintenance.copy(file, to: folder.file("plain"), key: nil)
        #expect(throws: FileFailure.self) {
            try FileMaintenance.copy(file, to: folder.file("plain"), key: nil)
        }
        file.close()
        let plain = try OpenedFile.inspect(folder.file("plain"), key: nil)
        defer { plain.close() }
        #expect(try !FileSummary(plain).isEncrypted)
        #expect(try FileSummary(plain).classes.map(\.count) == [3, 1])
    }

    @Test func `a file that is not ours, and one that is missing, are refused with a sentence`() throws {
        let folder = try TemporaryFolder()
        folder.write(Array(repeating: 65, count: 9_000), to: "text")
        #expect(throws: FileFailure.self) { try OpenedFile.inspect(folder.file("text"), key: nil) }
        #expect(throws: FileFailure.self) { try OpenedFile.inspect(folder.file("missing"), key: nil) }
        #expect(throws: FileFailure.self) { try FileMaintenance.compact(folder.file("missing"), key: nil) }
        #expect(!folder.names.contains("missing"))
    }

    @Test func `verify finds a changed byte`() throws {
        let folder = try TemporaryFolder()
        // So many that they are in pages, and not in the header.
        try make(folder.file("dogs"), dogs: 2_000)
        let sound = folder.read("dogs")
        var found = 0
        for place in stride(from: 0, to: sound.count, by: 4_001) {
            var damaged = sound
            damaged[place] ^= 0x40
            folder.write(damaged, to: "damaged")
            guard let file = try? OpenedFile.inspect(folder.file("damaged"), key: nil) else {
                found += 1
                continue
            }
            defer { file.close() }
            guard let findings = try? FileMaintenance.verify(file), findings.isSound else {
                found += 1
                continue
            }
        }
        #expect(found > 0)
    }

    @Test func `a key is 64 bytes or their hexadecimal digits`() throws {
        let folder = try TemporaryFolder()
        folder.write(Self.key, to: "raw")
        folder.write(Array((String(repeating: "07", count: 64) + "\n").utf8), to: "digits")
        folder.write(Array("secret".utf8), to: "short")
        #expect(try FileKey.key(fromFile: folder.file("raw")) == Self.key)
        #expect(try FileKey.key(fromFile: folder.file("digits")) == Self.key)
        #expect(throws: FileFailure.self) { try FileKey.key(fromFile: folder.file("short")) }
        #expect(try FileKey.key(in: [:]) == nil)
        #expect(try FileKey.key(in: [FileKey.variable: String(repeating: "07", count: 64)]) == Self.key)
    }
}
