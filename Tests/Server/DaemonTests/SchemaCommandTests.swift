import ArgumentParser
import CausewayFolders
import CausewayModel
import CausewayStore
import CausewayStoreEmbedded
import Foundation
import Testing

@testable import CausewayDaemon

@Suite("sync-server schema")
struct SchemaCommandTests {
    private let folder: TemporaryFolder
    private let schema = Schema([
        ClassSchema(
            name: "Task",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true), Property(name: "next", type: .string),
            ]),
        ClassSchema(name: "Junk", properties: [Property(name: "_id", type: .int, isPrimaryKey: true)]),
    ])

    init() throws {
        folder = try TemporaryFolder()
        folder.write(
            """
            tls: {certificate: keys/server.pem, key: keys/server-key.pem}
            databases: [{name: tasks, folder: data}, {name: empty, folder: other}]
            tokens: {keys: [{file: keys/token-public.pem, algorithm: ES256}], issuers: a, audiences: b}
            """, "sync-server.yaml")
        try FileManager.default.createDirectory(atPath: folder.file("data"), withIntermediateDirectories: true)
        let store = try StoreEmbedded.open(folder: folder.file("data"), epochSeed: 7)
        defer { store.close() }
        try store.extendSchema(schema, by: Declarer(user: "eve", time: 1_700_000_000_000))
    }

    private var arguments: [String] { ["--configuration", folder.file("sync-server.yaml"), "--database", "tasks"] }

    private func lines() throws -> [String] { try SchemaCommand.List.parse(arguments).lines() }

    /// What is printed.
    private func drop(_ more: String..., answer: String? = nil) throws -> [String] {
        var printed: [String] = []
        try SchemaCommand.Drop.parse(arguments + more).run(print: { printed.append($0) }, answer: { answer })
        return printed
    }

    @Test("each class and property is a line that says what it is, who added it and when it was declared")
    func list() throws {
        #expect(
            try lines() == [
                #"{"class":"Junk","is":"a class of objects","objects":0,"addedBy":"eve","added":"2023-11-14T22:13:20Z","declared":"2023-11-14"}"#,
                #"{"class":"Junk","property":"_id","is":"int, the primary key","addedBy":"eve","added":"2023-11-14T22:13:20Z","declared":"2023-11-14"}"#,
                #"{"class":"Task","is":"a class of objects","objects":0,"addedBy":"eve","added":"2023-11-14T22:13:20Z","declared":"2023-11-14"}"#,
                #"{"class":"Task","property":"_id","is":"int, the primary key","addedBy":"eve","added":"2023-11-14T22:13:20Z","declared":"2023-11-14"}"#,
                #"{"class":"Task","property":"next","is":"string","addedBy":"eve","added":"2023-11-14T22:13:20Z","declared":"2023-11-14"}"#,
            ])
    }

    @Test("nothing is dropped before its name was written, or --yes")
    func confirmation() throws {
        let before = try lines()
        for answer in [nil, "", "y", "Task"] {
            #expect(try drop("--class", "Task", "--property", "next", answer: answer).last == "Nothing was dropped.")
        }
        #expect(try lines() == before)
        let printed = try drop("--class", "Task", "--property", "next", answer: "Task.next")
        #expect(printed.first == "The property Task.next holds something in 0 objects, which will be lost.")
        #expect(printed[1].contains("2023-11-14"))
        #expect(printed.last == "Task.next was dropped.")
        #expect(try drop("--class", "Junk", "--yes").last == "Junk was dropped.")
        #expect(try lines().count == before.count - 3)
    }

    @Test("under a running server the list is told and nothing is dropped")
    func running() throws {
        let lock = try FolderLock(folder.file("data"))
        #expect(try lines().count == 5)
        let failure = #expect(throws: CommandFailure.self) { try drop("--class", "Junk", "--yes") }
        #expect(failure?.description.contains("end the server") == true)
        _ = consume lock
        #expect(try drop("--class", "Junk", "--yes").last == "Junk was dropped.")
    }

    @Test("an unknown database, one that was never served, an unknown class and a primary key are refused")
    func refusals() throws {
        let file = ["--configuration", folder.file("sync-server.yaml")]
        for database in ["none", "empty"] {
            #expect(throws: CommandFailure.self) {
                try SchemaCommand.List.parse(file + ["--database", database]).run()
            }
        }
        #expect(!FileManager.default.fileExists(atPath: folder.file("other")))
        for more in [["--class", "Nothing"], ["--class", "Task", "--property", "_id"]] {
            #expect(throws: CommandFailure.self) {
                try SchemaCommand.Drop.parse(arguments + more + ["--yes"]).run(print: { _ in }, answer: { nil })
            }
        }
        #expect(try lines().count == 5)
    }
}
