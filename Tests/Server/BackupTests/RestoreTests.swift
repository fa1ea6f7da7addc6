import CausewayFolders
import CausewayModel
import CausewayObjectStore
import CausewayStoreEmbedded
import Foundation
import Testing

@testable import CausewayBackup

@Suite("Restoring")
struct RestoreTests {
    let folder: TemporaryFolder
    let source: Backup.Source
    private let backup: String

    init() throws {
        folder = try TemporaryFolder()
        source = Backup.Source(name: "tasks", folder: folder.file("data"))
        try FileManager.default.createDirectory(atPath: source.folder, withIntermediateDirectories: true)
        let writer = try Writer(folder: source.folder, seed: 5)
        for _ in 0..<30 { try writer.write() }
        backup = try Backup.run(database: source, to: .path(folder.file("one.backup")), pace: .unhindered).path
        for _ in 0..<5 { try writer.write() }
        writer.store.close()
    }

    private func restore(replaces: Bool = false, to folder: String? = nil) throws -> Restore.Facts {
        try Restore.run(from: backup, to: .init(name: "tasks", folder: folder ?? source.folder), replaces: replaces)
    }

    /// What lies beside the backup.
    private var names: [String] { folder.names.filter { !$0.hasPrefix("one.backup") }.sorted() }

    @Test("keeps the files that it is told to keep: who was shut out stays so")
    func kept() throws {
        let list = Array("the list of today".utf8)
        folder.write(list, to: "data/shut-out.json")
        let facts = try Restore.run(
            from: backup, to: source, replaces: true, keeps: ["shut-out.json", "no-such-file"])
        #expect(folder.read("data/shut-out.json") == list)
        #expect(folder.names.contains(URL(filePath: try #require(facts.replaced)).lastPathComponent))
        #expect(!FileManager.default.fileExists(atPath: folder.file("data/no-such-file")))
    }

    @Test("puts aside what is there, whole, and only when asked to")
    func replaced() throws {
        let before = try contents(of: source.folder)
        let refusal = #expect(throws: BackupError.self) { try restore() }
        #expect(refusal?.code == .taken && refusal?.message.contains("--replace") == true)
        #expect(names == ["data"])
        let facts = try restore(replaces: true)
        let replaced = try #require(facts.replaced)
        #expect(try contents(of: replaced) == before)
        #expect(try contents(of: source.folder) != before)
        #expect(names == ["data", URL(filePath: replaced).lastPathComponent])
        #expect(
            Set(try FileManager.default.contentsOfDirectory(atPath: source.folder)).isSubset(of: [
                "database.causeway", "database.causeway-lock",
            ]))
    }

    @Test("into a folder that holds nothing leaves nothing beside it")
    func empty() throws {
        let target = folder.file("new")
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        folder.write([], to: "new/server.lock")
        let facts = try restore(to: target)
        #expect(facts.replaced == nil)
        #expect(names == ["data", "new"])
        #expect(facts.manifest.version == 30)
    }

    @Test("by another way to the folder replaces the folder and not the way")
    func link() throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link"), withDestinationPath: source.folder)
        _ = try restore(replaces: true, to: folder.file("link"))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("link")) == source.folder)
        #expect(try contents(of: source.folder).contains { $0.hasPrefix("Task ") })
    }

    @Test("what is damaged is refused with a sentence, and nothing changes", arguments: Damage.allCases)
    func damaged(damage: Damage) throws {
        let before = try contents(of: source.folder)
        try damage.apply(to: backup)
        let failure = #expect(throws: BackupError.self) { try restore(replaces: true) }
        #expect(failure?.message.contains(damage.words) == true, "\(failure?.message ?? "")")
        #expect(names == ["data"])
        #expect(try contents(of: source.folder) == before)
        #expect(throws: BackupError.self) { try RestoreDrill.run(from: backup, scratch: folder.path) }
        #expect(names == ["data"])
    }

    enum Damage: CaseIterable {
        case changedByte
        case truncated
        case longer
        case missingFile
        case noManifest
        case noJSON
        case strangeName
        case strangeText
        case otherVersion
        case newerFormat
        case soundHashes

        var words: String {
            switch self {
            case .changedByte: "another SHA-256"
            case .truncated: "by its manifest"
            case .longer: "more bytes"
            case .missingFile: "Cannot open"
            case .noManifest: "is no backup"
            case .noJSON: "cannot be read"
            case .strangeName: "other files"
            case .strangeText: "a text in it"
            case .otherVersion: "by its manifest"
            case .newerFormat: "knows 1 at most"
            case .soundHashes: "is not sound"
            }
        }

        func apply(to backup: String) throws {
            let (file, manifest) = (backup + "/database.causeway", backup + "/manifest.json")
            switch self {
            case .changedByte: try change(file) { $0[$0.count / 2] ^= 1 }
            case .truncated: try change(file) { $0.removeLast() }
            case .longer: try change(file) { $0.append(0) }
            case .missingFile: try FileManager.default.removeItem(atPath: file)
            case .noManifest: try FileManager.default.removeItem(atPath: manifest)
            case .noJSON: try change(manifest) { $0 = Data("{}".utf8) }
            case .strangeName: try replace("database.causeway", by: "../data/database.causeway", in: manifest)
            case .strangeText: try replace(#""tasks""#, by: #""tasks\u001B[2J""#, in: manifest)
            case .otherVersion: try replace(#""version" : 30"#, by: #""version" : 31"#, in: manifest)
            case .newerFormat: try replace(#""format" : 1"#, by: #""format" : 2"#, in: manifest)
            case .soundHashes:
                let old = try FileDigest.read(file) { _, _ in }
                // Pages behind the headers, as a disk may have changed them before the hash was made.
                try change(file) { bytes in
                    for page in 16..<bytes.count / 4_096 { bytes[page * 4_096 + 100] ^= 0x5A }
                }
                let new = try FileDigest.read(file) { _, _ in }
                try replace(old.sha256, by: new.sha256, in: manifest)
            }
        }

        private func change(_ path: String, _ body: (inout Data) -> Void) throws {
            var bytes = try Data(contentsOf: URL(filePath: path))
            body(&bytes)
            try bytes.write(to: URL(filePath: path))
        }

        private func replace(_ old: String, by new: String, in path: String) throws {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.contains(old))
            try text.replacingOccurrences(of: old, with: new).write(toFile: path, atomically: true, encoding: .utf8)
        }
    }

    @Test("a drill opens the backup as a server would, counts, and leaves nothing")
    func drill() throws {
        let facts = try RestoreDrill.run(from: backup, scratch: folder.path)
        #expect(facts.version.rawValue == 30 && facts.manifest.version == 30)
        #expect(facts.classes.map(\.name).sorted() == ["Place", "Task"])
        let tasks = try contents(of: backup).count { $0.hasPrefix("Task ") }
        #expect(facts.classes.first { $0.name == "Task" }?.objects == tasks)
        #expect(tasks > 0 && facts.users == nil)
        #expect(names == ["data"])
    }
}
