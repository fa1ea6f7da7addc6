import CausewayPrograms
import Foundation

/// Nodes of one database, with a PostgreSQL whose commits wait for the disk.
final class NodeGroup {
    let postgres: PostgreSQLServer
    private(set) var servers: [SyncServer] = []
    private let program: String
    private let folder: URL
    private let sections: String

    /// - Parameters:
    ///   - count: of nodes that start at once.
    ///   - journal: further settings of the section `journal`.
    init(_ count: Int, program: String, folder: URL, journal: String = "") throws {
        (self.program, self.folder) = (program, folder.appendingPathComponent(UUID().uuidString))
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
        postgres = try PostgreSQLServer(isDurable: true)
        let connection = self.folder.appendingPathComponent("connection")
        try postgres.connection.write(to: connection, atomically: true, encoding: .utf8)
        sections = Figures.sections("journal: {connectionFile: \(connection.path)\(journal)}")
        for _ in 0..<count { try add().start() }
    }

    /// Another node, with an empty folder.
    func add() throws -> SyncServer {
        let server = try SyncServer(
            program: program, folder: folder.appendingPathComponent("node-\(servers.count)"), database: "load",
            sections: sections, keysOf: servers.first)
        if servers.isEmpty { try server.journal("init") }
        servers.append(server)
        return server
    }

    /// The last entry of the journal.
    func position() throws -> Int {
        Int(try postgres.query("SELECT position FROM causeway.head").first ?? "") ?? 0
    }

    /// The last entry of which a snapshot is kept.
    func snapshotPosition() throws -> Int {
        Int(try postgres.query("SELECT coalesce(max(position), 0) FROM causeway.snapshot").first ?? "") ?? 0
    }

    func end() {
        for server in servers { server.stop() }
        postgres.end()
        try? FileManager.default.removeItem(at: folder)
    }
}
