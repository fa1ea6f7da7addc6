import CausewayModel
import CausewayOperations
import CausewaySync
import CausewayTransport
import CausewayWire
import Foundation
import Synchronization
import Testing

@Suite("One connection for many, over real TLS on loopback", .serialized)
struct SharedConnectionTests {
    /// One Realm's way to the server, with its download.
    final class Peer: Sendable {
        let transport: HTTPTransport
        private let state = Mutex(State())

        private struct State {
            var received = 0
            var failure: TransportFailure?
            var download: Task<Void, Never>?
        }

        init(_ transport: HTTPTransport) {
            self.transport = transport
        }

        /// Messages of the download, and why it is over.
        var received: Int { state.withLock(\.received) }
        var failure: TransportFailure? { state.withLock(\.failure) }

        func hello() async throws(TransportFailure) {
            let hello = Hello(
                client: ClientID(9), protocolVersions: 1...1, schema: Schema(),
                checkpoint: Checkpoint(epoch: 3, version: .zero, querySet: 0, acknowledged: 12), held: .empty,
                wanted: .empty)
            _ = try await transport.hello(hello, token: "good")
        }

        func mark() async throws(TransportFailure) {
            try await transport.mark(1, session: 7, token: "good")
        }

        /// Begins the download; `isRead` says whether its messages are taken.
        func download(isRead: Bool = true) {
            let task = Task { [self] in
                do throws(TransportFailure) {
                    try await transport.download(session: 7, token: "good") { [self] _, _ in
                        state.withLock { $0.received += 1 }
                        if !isRead { try? await Task.sleep(for: .seconds(3_600)) }
                    }
                } catch {
                    state.withLock { $0.failure = error }
                }
            }
            state.withLock { $0.download = task }
        }

        /// As a conversation hangs up.
        func hangUp(inDoubt: Bool = false) {
            state.withLock { $0.download }?.cancel()
            transport.disconnect(inDoubt: inDoubt)
        }
    }

    /// A server and peers of it, until the body is done.
    private func withPeers(
        _ count: Int, streamsMax: Int = 100, lingerMilliseconds: Int64 = 30_000, isShared: Bool = true,
        _ body: (LoopbackServer, [Peer]) async throws -> Void
    ) async throws {
        let server = try await LoopbackServer(streamsMax: streamsMax)
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("causeway-authorities-\(UInt64.random(in: 0 ... .max)).pem").path
        try TestCertificates.authority.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        var address = try ServerAddress(
            base: "https://localhost:\(server.port)", database: "flights of today", trust: .authorities(path: path))
        address.lingerMilliseconds = lingerMilliseconds
        address.sharesConnection = isShared
        let peers = try (0..<count).map { _ in Peer(try HTTPTransport(address)) }
        do {
            try await body(server, peers)
        } catch {
            try? await server.stop()
            throw error
        }
        for peer in peers { peer.hangUp() }
        try await server.stop()
    }

    /// All at once, as Realms come back after an outage.
    private func connect(_ peers: [Peer], to server: LoopbackServer) async throws {
        try await withThrowingTaskGroup { group in
            for peer in peers { group.addTask { try await peer.hello() } }
            try await group.waitForAll()
        }
        for peer in peers { peer.download() }
        #expect(await eventually { server.downloadsOpen == peers.count })
    }

    private static let heartbeat = WireCodec.encode(DownloadMessage.heartbeat(serverTime: 1))

    @Test("ten Realms of one server have one connection")
    func shared() async throws {
        try await withPeers(10) { server, peers in
            try await connect(peers, to: server)
            for peer in peers { try await peer.mark() }
            server.push(Self.heartbeat)
            #expect(await eventually { peers.allSatisfy { $0.received == 1 } })
            #expect(server.connections == 1)
        }
    }

    @Test("Realms of an app without multiplexing have one each")
    func apart() async throws {
        try await withPeers(3, isShared: false) { server, peers in
            try await connect(peers, to: server)
            for peer in peers { try await peer.mark() }
            #expect(server.connections == 3)
        }
    }

    @Test("when the connection ends all hear of it, and all come back on one")
    func killed() async throws {
        try await withPeers(10) { server, peers in
            try await connect(peers, to: server)
            server.kill()
            #expect(
                await eventually {
                    peers.allSatisfy { if case .unreachable = $0.failure { true } else { false } }
                })
            try await connect(peers, to: server)
            #expect(server.connections == 2)
            #expect(server.connectionsOpen == 1)
        }
    }

    @Test("one that hangs up takes nobody along, and comes back on the same connection")
    func suspended() async throws {
        try await withPeers(3) { server, peers in
            try await connect(peers, to: server)
            peers[0].hangUp()
            #expect(await eventually { server.downloadsOpen == 2 })
            server.push(Self.heartbeat)
            #expect(await eventually { peers[1...].allSatisfy { $0.received == 1 } })
            try await peers[0].hello()
            #expect(peers[1...].allSatisfy { $0.failure == nil })
            #expect(server.connections == 1)
        }
    }

    @Test("a connection that nobody uses closes after a while, and the next call makes another")
    func linger() async throws {
        try await withPeers(2, lingerMilliseconds: 300) { server, peers in
            try await connect(peers, to: server)
            let connections = server.connections
            peers[0].hangUp()
            try await Task.sleep(for: .milliseconds(900))
            #expect(server.connectionsOpen == 1)
            #expect(peers[1].failure == nil)
            peers[1].hangUp()
            #expect(await eventually { server.connectionsOpen == 0 })
            try await peers[0].hello()
            #expect(server.connections == connections + 1)
        }
    }

    @Test("where the server allows few streams, there are as many connections as that takes")
    func fewStreams() async throws {
        try await withPeers(10, streamsMax: 4) { server, peers in
            try await connect(peers, to: server)
            for peer in peers { try await peer.mark() }
            server.push(Self.heartbeat)
            #expect(await eventually { peers.allSatisfy { $0.received == 1 } })
            // Three downloads and a place for other calls on each.
            #expect(server.connections == 4)
        }
    }

    @Test("a download that nobody reads blocks itself and nobody else")
    func unread() async throws {
        try await withPeers(2) { server, peers in
            try await peers[0].hello()
            peers[0].download(isRead: false)
            #expect(await eventually { server.downloadsOpen == 1 })
            let count = 200_000
            let much = Array(repeating: WireCodec.encode(DownloadMessage.heartbeat(serverTime: .max)), count: count)
                .flatMap(\.self)
            // Twice that is more than all windows of a connection.
            for _ in 0..<2 { server.push(much, to: 0..<1) }
            #expect(await eventually { peers[0].received == 1 })
            peers[1].download()
            #expect(await eventually { server.downloadsOpen == 2 })
            for _ in 0..<2 { server.push(much, to: 1..<2) }
            #expect(await eventually { peers[1].received == 2 * count })
            try await peers[1].mark()
            #expect(peers[0].received == 1)
            #expect(server.connections == 1)
        }
    }

    @Test("a connection in doubt that lives goes on for the others")
    func doubtedAlive() async throws {
        try await withPeers(2) { server, peers in
            try await connect(peers, to: server)
            peers[0].hangUp(inDoubt: true)
            try await Task.sleep(for: .seconds(7))
            server.push(Self.heartbeat)
            #expect(await eventually { peers[1].received == 1 })
            #expect(peers[1].failure == nil)
            #expect(server.connections == 1)
        }
    }

    @Test("a connection that fell silent ends for all as soon as one has waited in vain, who goes another way at once")
    func doubtedDead() async throws {
        try await withPeers(3) { server, peers in
            try await connect(peers, to: server)
            try await server.fallSilent()
            peers[0].hangUp(inDoubt: true)
            try await peers[0].hello()
            #expect(server.connections == 2)
            #expect(
                await eventually {
                    peers[1...].allSatisfy { if case .unreachable = $0.failure { true } else { false } }
                })
            try await peers[1].hello()
            #expect(server.connections <= 3)
        }
    }
}

/// Waits for what other threads bring about; gives up after a minute.
private func eventually(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<6_000 {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(10))
    }
    return condition()
}
