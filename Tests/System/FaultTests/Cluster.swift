import CausewayFaultyNetwork
import CausewayPrograms
import CausewaySeeds
import Foundation

/// PostgreSQL with a standby, for the nodes of a fleet.
final class Cluster {
    private let connectionFile: URL
    private(set) var primary: PostgreSQLServer
    private var standby: PostgreSQLServer
    /// How often the standby took over without the newest entries.
    private(set) var lostTails = 0

    init(_ folder: URL) throws {
        connectionFile = folder.appendingPathComponent("connection")
        primary = try PostgreSQLServer()
        standby = try PostgreSQLServer(standbyOf: primary)
        try tellNodes()
    }

    /// Of a node's configuration.
    var section: String { "journal: {connectionFile: \(connectionFile.path), snapshotEntries: 100}\n" }

    func end() {
        primary.end()
        standby.end()
    }

    /// Nodes read it whenever they connect.
    private func tellNodes() throws {
        let text = "host=127.0.0.1,127.0.0.1 port=\(primary.port),\(standby.port) dbname=postgres user=causeway"
        try text.write(to: connectionFile, atomically: true, encoding: .utf8)
    }

    /// The standby stops following.
    func beginLosing() throws { try standby.stopFollowing() }

    /// The primary is gone for good, and the standby takes its place. It gets a standby of its own.
    func failOver() throws {
        primary.end()
        try standby.promote()
        primary = standby
        standby = try PostgreSQLServer(standbyOf: primary)
        try tellNodes()
        lostTails += 1
    }
}

extension Fleet {
    /// What happens to nodes and their journal alone.
    func strike(_ cluster: Cluster, _ server: SyncServer, _ device: FleetDevice) async throws {
        switch numbers.below(7) {
        case 0:
            for server in servers { server.kill() }
            for server in servers { try server.start() }
        case 1:
            cluster.primary.kill()
            try await pause(milliseconds: 1_500)
            try cluster.primary.start()
        case 2:
            // Connections end in the middle of whatever they carry.
            for _ in 0..<3 {
                _ = try cluster.primary.query(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND "
                        + "backend_type = 'client backend'")
                try await pause(milliseconds: 200)
            }
        case 3:
            try cluster.beginLosing()
            try await pause(milliseconds: 500)
            try cluster.failOver()
        case 4:
            server.kill()
            // A node that has not reached PostgreSQL yet has none.
            try? FileManager.default.removeItem(atPath: server.dataFolder + "/database.causeway")
            try server.start()
        case 5:
            cluster.primary.kill()
            server.kill()
            try cluster.primary.start()
            try server.start()
        default: device.proxy.lead(to: server.port)
        }
    }
}
