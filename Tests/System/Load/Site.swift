import CausewayModel
import Foundation
import NIOPosix
import NIOSSL
import Synchronization

/// The server as devices see it.
struct Site: Sendable {
    let port: Int
    let database: String
    let token: String
    let clock = StampClock()
    private let tls: NIOSSLContext
    private let group: MultiThreadedEventLoopGroup

    init(port: Int, database: String, token: String, authority: String, group: MultiThreadedEventLoopGroup) throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(authority)
        configuration.applicationProtocols = ["h2"]
        tls = try NIOSSLContext(configuration: configuration)
        (self.port, self.database, self.token, self.group) = (port, database, token, group)
    }

    private init(_ other: Site, database: String) {
        (port, token, tls, group) = (other.port, other.token, other.tls, other.group)
        self.database = database
    }

    /// The same server, another of its databases.
    func naming(_ database: String) -> Site { Site(self, database: database) }

    func path(_ call: String) -> String { "/v1/\(database)/\(call)" }

    /// A connection for one device. Devices come from several addresses, because each has only so many ports.
    func connection(for client: ClientID) async throws -> Connection {
        try await Connection.open(
            port: port, tls: tls, token: token, source: "127.0.0.\(2 + client.rawValue % 8)", on: group)
    }
}

/// Stamps that ascend, by the clock of this machine.
final class StampClock: Sendable {
    private let last = Mutex<UInt64>(0)

    func stamp() -> UInt64 {
        let now = UInt64(Date().timeIntervalSince1970 * 1_000) << 16
        return last.withLock { last in
            last = max(last + 1, now)
            return last
        }
    }
}
