import ArgumentParser
import CausewayFiles
import CausewayFolders
import Foundation
import Testing

@testable import CausewayCommands

@Suite("causeway import")
struct ImportCommandTests {
    private func run(_ arguments: String...) throws {
        var command = try Causeway.parseAsRoot(["import"] + arguments)
        try command.run()
    }

    private static func write(_ text: String, _ path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    /// How many objects each class of a file has.
    private func counts(_ path: String, key: [UInt8]? = nil) throws -> [String: Int] {
        let file = try OpenedFile.inspect(path, key: key)
        defer { file.close() }
        return Dictionary(uniqueKeysWithValues: try FileSummary(file).classes.map { ($0.name, $0.count) })
    }

    @Test(
        "options of another format are refused before anything is read",
        arguments: [
            ["--schema", "x"], ["--format", "csv", "--unmapped", "null"], ["--dry-run"],
            ["--realm-key-file", "k"], ["--format", "realm", "--class", "Dog"],
            ["--format", "realm", "--missing-links", "null"], ["--format", "xml"], ["--existing", "maybe"],
        ])
    func validation(arguments: [String]) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("target")
        let error = #expect(throws: (any Error).self) {
            try Causeway.parseAsRoot(["import", path, "--from", "nothing"] + arguments)
        }
        #expect(error.map { Causeway.exitCode(for: $0) } == .validationFailure)
        #expect(folder.names == [])
    }

    @Test("tables, lines, documents and a dry run")
    func formats() throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        try Self.write(
            #"{"causewayExport":1,"classes":[{"name":"Dog","kind":"object","properties":[{"name":"id","type":"int","primaryKey":true},{"name":"name","type":"string"}]}]}"#
                + "\n" + #"{"class":"Dog","object":{"id":1,"name":"Rex"}}"# + "\n", folder.file("dogs.jsonl"))
        let path = folder.file("target")
        try run(path, "--from", folder.file("dogs.jsonl"))
        #expect(try counts(path) == ["Dog": 1])
        try Self.write("id,name\r\n1,Max\r\n2,Tom\r\n", folder.file("dogs.csv"))
        #expect(throws: FileFailure.self) {
            try run(path, "--from", folder.file("dogs.csv"), "--format", "csv", "--class", "Dog")
        }
        #expect(try counts(path) == ["Dog": 1])
        try run(
            path, "--from", folder.file("dogs.csv"), "--format", "csv", "--class", "Dog", "--existing", "replace")
        #expect(try counts(path) == ["Dog": 2])

        let documents = folder.file("cats.json")
        try Self.write(#"{"_id": 1, "name": "Mia"}"# + "\n" + #"{"_id": 2, "name": "Kim"}"# + "\n", documents)
        let cats = folder.file("cats")
        try run(cats, "--from", documents, "--format", "mongoexport", "--class", "Cat", "--dry-run")
        #expect(!FileManager.default.fileExists(atPath: cats))
        try run(cats, "--from", documents, "--format", "mongoexport", "--class", "Cat")
        #expect(try counts(cats) == ["Cat": 2])
    }

    @Test("a new file is encrypted with the key of the key file")
    func key() throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        let key = [UInt8](repeating: 3, count: FileKey.byteCount)
        try Data(key).write(to: URL(fileURLWithPath: folder.file("key")))
        try Self.write(#"{"_id": 1}"# + "\n", folder.file("cats.json"))
        let path = folder.file("cats")
        try run(
            path, "--from", folder.file("cats.json"), "--format", "mongoexport", "--class", "Cat", "--key-file",
            folder.file("key"))
        #expect(throws: FileFailure.self) { try counts(path) }
        #expect(try counts(path, key: key) == ["Cat": 1])
    }
}
