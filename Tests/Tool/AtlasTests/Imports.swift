import CausewayAtlas
import CausewayFiles
import CausewayFolders
import Foundation
import Testing

/// A folder with documents, and the file that they are imported into.
struct Imports {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder(waitsForDisk: false)
    }

    var names: [String] { folder.names }

    func file(_ name: String) -> String { folder.file(name) }

    func write(_ text: String, to name: String) { write(Array(text.utf8), to: name) }

    func write(_ bytes: [UInt8], to name: String) {
        let parent = URL(fileURLWithPath: folder.file(name)).deletingLastPathComponent()
        try? FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        folder.write(bytes, to: name)
    }

    /// Plans and runs an import.
    @discardableResult
    func run(
        _ source: String, _ format: DocumentFormat = .mongoexport, _ options: AtlasImport? = nil,
        to name: String = "file"
    ) throws -> AtlasReport {
        let documents = options ?? AtlasImport(format)
        let plan = try documents.plan(from: folder.file(source))
        return try documents.run(plan, to: folder.file(name), key: nil)
    }

    /// The message with which an import fails. Nothing is left of it.
    func failure(
        _ source: String, _ format: DocumentFormat = .mongoexport, _ options: AtlasImport? = nil,
        location: SourceLocation = #_sourceLocation
    ) throws -> String {
        let before = Set(folder.names)
        let failure = try #require(throws: FileFailure.self, sourceLocation: location) {
            try run(source, format, options)
        }
        #expect(
            Set(folder.names).subtracting(["file-lock"]) == before.subtracting(["file-lock"]), sourceLocation: location)
        #expect(failure.description.hasSuffix(" Nothing was imported."), sourceLocation: location)
        return failure.description
    }

    /// The classes of the file, as `causeway schema` prints them.
    func schema(_ name: String = "file") throws -> String {
        let file = try OpenedFile.inspect(folder.file(name), key: nil)
        defer { file.close() }
        return try SchemaText.text(of: file)
    }

    /// The lines of the objects, as an export has them.
    func lines(_ name: String = "file") throws -> [String] {
        let file = try OpenedFile.inspect(folder.file(name), key: nil)
        defer { file.close() }
        #expect(try FileMaintenance.verify(file).isSound)
        let path = folder.file("lines")
        defer { try? FileManager.default.removeItem(atPath: path) }
        let output = try ExportOutput(path: path)
        try ObjectExport().write(file, to: output)
        try output.finish()
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        return text.split(separator: "\n").dropFirst().map(String.init)
    }
}
