package import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
package import NIOSSL
import Synchronization

/// Serves HTTP/1.1 on one address: for people with a browser or curl, for monitoring, and for back ends. Devices have
/// `Endpoint` of their own.
///
/// One task per connection reads a request, has it answered, and reads the next.
package final class HTTPListener: Sendable {
    package let host: String
    private let port: Int
    /// As the configuration has it.
    package var address: String { "\(host):\(port)" }
    let service: any HTTPService
    let limits: HTTPLimits
    let logger: Logger
    /// For new connections; nil serves without TLS.
    private let tls: Mutex<NIOSSLContext?>
    private let connections: Connections
    /// Answers that wait for their clients to read them, by address.
    let unread: BodyMemory
    private let group: MultiThreadedEventLoopGroup
    private let state = Mutex(State())

    private struct State {
        var listener: (any Channel)?
        var accepting: Task<Void, Never>?
        var isEnding = false
    }

    typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPPart<HTTPResponseHead, ByteBuffer>>

    /// - Parameters:
    ///   - port: zero takes a free port; `start` returns it.
    ///   - tls: nil serves without TLS, for an address of this machine only.
    package init(
        host: String, port: Int, tls: NIOSSLContext?, service: any HTTPService, limits: HTTPLimits = HTTPLimits(),
        threads: Int = 1, logger: Logger
    ) {
        self.host = host
        self.port = port
        self.tls = Mutex(tls)
        self.service = service
        self.limits = limits
        self.logger = logger
        connections = Connections(
            .init(connections: limits.connections, connectionsOfAddress: limits.connectionsOfAddress))
        unread = BodyMemory(limitBytes: limits.unreadBytes, limitBytesOfOwner: limits.unreadBytesOfAddress)
        group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
    }

    package var connectionCount: Int { connections.count }
    /// The bytes of answers that wait for their clients to read them.
    package var unreadBytes: Int { unread.heldBytes }

    /// Shows another certificate on new connections; open ones go on.
    package func replaceTLS(_ context: NIOSSLContext) {
        tls.withLock { if $0 != nil { $0 = context } }
    }

    /// Closes the connections that are open now, so long after: there is time for an answer that is on its way.
    package func closeConnections(after time: Duration) {
        let open = connections.all
        Task {
            try? await Task.sleep(for: time)
            for channel in open { channel.close(promise: nil) }
        }
    }

    /// Starts to listen, and returns the port.
    ///
    /// - Throws: what the system says when the address cannot be listened on.
    package func start() async throws -> Int {
        let server = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 128)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(
                .writeBufferWaterMark, value: .init(low: limits.outboundBytes / 4, high: limits.outboundBytes)
            )
            .bind(host: host, port: port) { [self] channel in
                channel.eventLoop.makeCompletedFuture { try configured(channel) }
            }
        let accepting = Task<Void, Never> {
            await withDiscardingTaskGroup { tasks in
                do {
                    try await server.executeThenClose { arrivals in
                        for try await case let connection? in arrivals {
                            tasks.addTask { await HTTPConversation(connection, self).run() }
                        }
                    }
                } catch {
                    logger.error("no connections are accepted any more", metadata: ["error": "\(error)"])
                }
            }
        }
        state.withLock { ($0.listener, $0.accepting) = (server.channel, accepting) }
        return server.channel.localAddress?.port ?? port
    }

    /// Nil for a connection that is refused.
    private func configured(_ channel: any Channel) throws -> Connection? {
        guard connections.admit(channel) == nil else {
            if let count = connections.refusalsToReport() {
                logger.warning(
                    "too many connections: the newest are closed",
                    metadata: [
                        "closed": .stringConvertible(count), "open": .stringConvertible(connections.count),
                        "peer": "\(PeerAddress(channel.remoteAddress).group)",
                    ])
            }
            channel.close(promise: nil)
            return nil
        }
        if let tls = tls.withLock({ $0 }) {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
        }
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
        try channel.pipeline.syncOperations.addHandler(ResponseBytes())
        return try Connection(wrappingChannelSynchronously: channel)
    }

    var isEnding: Bool { state.withLock { $0.isEnding } }

    /// Stops accepting, lets requests finish within the grace period, and closes what is left.
    package func shutdown() async {
        let (listener, accepting) = state.withLock { state in
            state.isEnding = true
            return (state.listener, state.accepting)
        }
        try? await listener?.close().get()
        let grace = group.next().scheduleTask(in: .milliseconds(limits.graceMilliseconds)) { [connections] in
            for connection in connections.all { connection.close(promise: nil) }
        }
        // Those that wait for a request have nothing to finish.
        for connection in connections.all {
            connection.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
        await accepting?.value
        grace.cancel()
        try? await group.shutdownGracefully()
    }
}
