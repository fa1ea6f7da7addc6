import ArgumentParser
import CausewayFolders
import CausewayIdentity
import CausewayModel
import Foundation
import Testing

@testable import CausewayDaemon
@testable import CausewayObjectStore

@Suite("sync-server verify")
struct VerifyTests {
    @Test("a folder that is not there, and both a folder and a configuration, are refused")
    func refusals() throws {
        let folder = try TemporaryFolder()
        #expect(throws: CommandFailure.self) { try Verify.parse([folder.file("nothing")]).run() }
        #expect(throws: CommandFailure.self) { try Verify.parse([]).run() }
        #expect(throws: CommandFailure.self) {
            try Verify.parse([folder.path, "--configuration", "sync-server.yaml"]).run()
        }
    }

    @Test("a file that is no database ends with 1, a folder that was never served does not")
    func ends() throws {
        let folder = try TemporaryFolder()
        try Verify.parse([folder.path]).run()
        folder.write([UInt8](repeating: 7, count: 20_000), to: "database.causeway")
        #expect(throws: ExitCode.failure) { try Verify.parse([folder.path]).run() }
    }

    /// A file of objects that is sound, or one whose count is not that of its objects.
    private func make(_ path: String, contradicting: Bool) throws {
        let store = try ObjectStore.open(path: path)
        defer { store.close() }
        let transaction = try store.write()
        defer { transaction.end() }
        try transaction.extendSchema(
            CausewayModel.Schema([
                ClassSchema(name: "Note", properties: [.init(name: "id", type: .int, isPrimaryKey: true)])
            ]))
        let notes = try #require(transaction.table("Note"))
        for id in 0..<1_200 { _ = try notes.create(.int(Int64(id))) }
        try transaction.commit()
        guard contradicting else { return }
        try transaction.beginWriting()
        transaction.tree("planted").put([1], [1])
        let counters = [Int64(1_200), 7].flatMap { number in withUnsafeBytes(of: number.littleEndian) { Array($0) } }
        transaction.writer.put(FixedTree.catalog, CatalogKey.counters(table: notes.record.table), counters)
        try transaction.commit()
    }

    @Test("a sound database is sound, and one that contradicts itself ends with 1")
    func contents() throws {
        let (sound, contradictory) = (try TemporaryFolder(), try TemporaryFolder())
        try make(sound.file("database.causeway"), contradicting: false)
        try Verify.parse([sound.path]).run()
        try Verify.parse([sound.file("database.causeway")]).run()
        try make(contradictory.file("database.causeway"), contradicting: true)
        #expect(throws: ExitCode.failure) { try Verify.parse([contradictory.path]).run() }
    }

    @Test("the accounts of a database are read too, by its folder and by the configuration")
    func accounts() throws {
        let folder = try TemporaryFolder()
        let data = folder.file("data")
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: false)
        try make(data + "/database.causeway", contradicting: false)
        let configuration = """
            tls: {certificate: a.pem, key: b.pem}
            databases: [{name: flights, folder: data}]
            tokens:
              keys: [{file: t.pem, algorithm: ES256}]
            """
        folder.write(Array(configuration.utf8), to: "sync-server.yaml")
        let commands = [[data], ["--configuration", folder.file("sync-server.yaml")]]
        for command in commands { try Verify.parse(command).run() }
        try make(data + "/" + Accounts.fileName, contradicting: true)
        for command in commands {
            #expect(throws: ExitCode.failure) { try Verify.parse(command).run() }
        }
    }
}
