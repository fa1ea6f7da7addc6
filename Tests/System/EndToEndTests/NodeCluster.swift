import CausewayPrograms
import Foundation

/// A PostgreSQL for nodes of a test, and where they find it.
@MainActor
final class NodeCluster {
    let postgres: PostgreSQLServer
    private let folder: URL

    init() throws {
        postgres = try PostgreSQLServer()
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("causeway-nodes-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try postgres.connection.write(to: folder.appending(path: "connection"), atomically: true, encoding: .utf8)
    }

    func end() {
        postgres.end()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Of a node's configuration.
    var section: String { "journal: {connectionFile: \(folder.path)/connection}\n" }

    func node(_ name: String, _ sections: String = "") throws -> Bench {
        try Bench(name, accounts: section + sections)
    }

    /// Runs `body` with two nodes that administrators can call, and with their ports.
    ///
    /// - Parameter settings: further lines of their database.
    static func withTwo(
        _ sections: String = "", settings: String = "",
        _ body: @MainActor (NodeCluster, _ benches: [Bench], _ ports: [Int]) async throws -> Void
    ) async throws {
        let cluster = try NodeCluster()
        defer { cluster.end() }
        try await Bench.withAdmin("a", accounts: cluster.section + sections, settings: settings) { first, firstPort in
            first.server.kill()
            try first.server.journal("init")
            try first.server.start()
            try await Bench.withAdmin("b", accounts: cluster.section + sections, settings: settings) {
                second, secondPort in
                try await body(cluster, [first, second], [firstPort, secondPort])
            }
        }
    }
}
