package import CausewayEnvironment
import CausewayHTTP
package import CausewayLimits
import CausewayModel
package import CausewayWire
package import Logging
import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

/// The server's network endpoint: HTTP/2 over TLS on one address, for all its databases.
///
/// It finds out who calls and which database is meant, reads one message from a body, and hands it on. It does not
/// promise that an answer arrives: clients ask again.
package final class Endpoint: Sendable {
    package struct Configuration: Sendable {
        package var host: String
        /// Zero takes a free port; `start` returns it.
        package var port: Int
        /// The server's certificate and those of its signers, in PEM form.
        package var certificateChain: String
        package var privateKey: String
        package var limits: EndpointLimits
        /// Event loops; zero takes one for each processor.
        package var threads: Int

        package init(
            host: String, port: Int, certificateChain: String, privateKey: String,
            limits: EndpointLimits = .standard, threads: Int = 0
        ) {
            self.host = host
            self.port = port
            self.certificateChain = certificateChain
            self.privateKey = privateKey
            self.limits = limits
            self.threads = threads
        }
    }

    private let configuration: Configuration
    private let desk: Desk
    private let connections: Connections
    /// For new connections.
    private let tls: Mutex<NIOSSLContext>
    private let group: MultiThreadedEventLoopGroup
    private let listener = Mutex<(any Channel)?>(nil)
    private let ending = Mutex<Task<Void, Never>?>(nil)

    /// Creates an endpoint, which listens from `start` on.
    ///
    /// - Parameter rates: what addresses may do in a time; also told of limits on connections.
    /// - Throws: `certificateUnusable` when the certificate or its key cannot be used.
    package init(
        _ configuration: Configuration, directory: any SyncDirectory, authenticator: any Authenticator,
        rates: RateGate = .unlimited, clock: any WallClock, logger: Logger,
        observer: any EndpointObserver = NoEndpointObserver()
    ) throws(EndpointError) {
        self.configuration = configuration
        tls = Mutex(try Self.tls(configuration.certificateChain, configuration.privateKey))
        desk = Desk(
            directory: directory, authenticator: authenticator, limits: configuration.limits, rates: rates,
            clock: clock, logger: logger, observer: observer)
        connections = Connections(configuration.limits.ofConnections)
        group = MultiThreadedEventLoopGroup(
            numberOfThreads: configuration.threads > 0 ? configuration.threads : System.coreCount)
    }

    /// Creates an endpoint for databases that stay.
    package convenience init(
        _ configuration: Configuration, services: [String: any SyncService],
        accounts: [String: any AccountService] = [:], authenticator: any Authenticator,
        rates: RateGate = .unlimited, clock: any WallClock, logger: Logger,
        observer: any EndpointObserver = NoEndpointObserver()
    ) throws(EndpointError) {
        try self.init(
            configuration, directory: FixedDirectory(services: services, accounts: accounts),
            authenticator: authenticator, rates: rates, clock: clock, logger: logger, observer: observer)
    }

    package var connectionCount: Int { connections.count }
    /// Whether it takes connections.
    package var isListening: Bool { desk.isReady.load(ordering: .relaxed) }
    /// The names of the calls that devices make.
    package static let callNames = Set(Route.Call.allCases.map(\.rawValue))

    /// Shows another certificate on new connections; open ones go on.
    ///
    /// - Throws: `certificateUnusable` when it cannot be used. Then the old one stays.
    package func replaceCertificate(chain: String, key: String) throws(EndpointError) {
        let context = try Self.tls(chain, key)
        tls.withLock { $0 = context }
    }

    /// Other limits on connections, for new ones, and other rates of addresses. Open connections stay.
    package func take(_ limits: EndpointLimits, _ rates: Rates) {
        connections.take(limits.ofConnections)
        desk.rates.replace(by: rates)
    }

    /// Starts to listen, and returns the port.
    ///
    /// - Throws: `addressUnusable` when the address cannot be listened on.
    package func start() async throws(EndpointError) -> Int {
        let channel: any Channel
        do {
            channel = try await bootstrap().bind(host: configuration.host, port: configuration.port).get()
        } catch {
            throw EndpointError(
                .addressUnusable,
                "Devices cannot be served on \(configuration.host):\(configuration.port): "
                    + "\(TransportTrouble(error).words). Choose another address in the section listen of the configuration, "
                    + "or stop what else uses this one.")
        }
        listener.withLock { $0 = channel }
        desk.isReady.store(true, ordering: .relaxed)
        watchLoops()
        let port = channel.localAddress?.port ?? configuration.port
        desk.logger.info("listening", metadata: ["host": "\(configuration.host)", "port": .stringConvertible(port)])
        return port
    }

    /// Measures once a second how late each event loop runs what is due.
    private func watchLoops() {
        for loop in group.makeIterator() {
            let due = NIOLoopBoundBox.makeBoxSendingValue(NIODeadline.now() + Self.lagPause, eventLoop: loop)
            loop.scheduleRepeatedTask(initialDelay: Self.lagPause, delay: Self.lagPause) { [desk] _ in
                let now = NIODeadline.now()
                let lag = max(0, (now - due.value).nanoseconds)
                due.value = now + Self.lagPause
                desk.observer.observe(.loopLag(nanoseconds: UInt64(lag)))
            }
        }
    }

    private static let lagPause = TimeAmount.seconds(1)

    /// Stops accepting, tells every download `reason` and ends it, and lets other requests finish within the grace
    /// period. A second call waits for the first.
    package func shutdown(_ reason: SyncFailure = .serverEnding) async {
        let ending = ending.withLock { ending in
            let task = ending ?? Task { await end(reason) }
            ending = task
            return task
        }
        await ending.value
    }

    private func end(_ reason: SyncFailure) async {
        desk.isReady.store(false, ordering: .relaxed)
        desk.ending.withLock { $0 = reason }
        try? await listener.withLock { $0 }?.close().get()
        let open = connections.all
        for connection in open { connection.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
        await withTaskGroup(of: Void.self) { group in
            for service in desk.directory.services { group.addTask { await service.end(reason) } }
        }
        let grace = group.next().scheduleTask(in: .milliseconds(configuration.limits.graceMilliseconds)) {
            [connections, desk] in
            let left = connections.all
            desk.logger.info("closing what is still open", metadata: ["connections": .stringConvertible(left.count)])
            for connection in left { connection.close(promise: nil) }
        }
        try? await EventLoopFuture.andAllComplete(open.map(\.closeFuture), on: group.next()).get()
        grace.cancel()
        // Requests whose client has gone may still be worked on, and what they use is closed next.
        if !(await desk.work.idle(within: .milliseconds(configuration.limits.workMilliseconds))) {
            desk.logger.error("requests are still being worked on: they are given up")
        }
        try? await group.shutdownGracefully()
        desk.logger.info("stopped")
    }
}

extension SyncFailure {
    package static let serverEnding = SyncFailure(
        .serverEnding, "The server is being stopped. Connect again after a pause; nothing is lost.")
}

// MARK: - A connection

extension Endpoint {
    private func bootstrap() -> ServerBootstrap {
        var bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // Without it small messages wait 40 ms for a delayed acknowledgement.
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.socketOption(.so_keepalive), value: 1)
            .childChannelOption(
                .writeBufferWaterMark,
                value: .init(low: configuration.limits.outboundBytes / 4, high: configuration.limits.outboundBytes)
            )
            .childChannelInitializer { [self] channel in accept(channel) }
        #if os(Linux)
            // A device that vanished silently: heartbeats stay unacknowledged, and the kernel gives up on it.
            let userTimeout = ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: 18))
            let milliseconds = Int(configuration.limits.stalledMilliseconds)
            bootstrap = bootstrap.childChannelOption(userTimeout, value: .init(milliseconds))
        #endif
        return bootstrap
    }

    private func accept(_ channel: any Channel) -> EventLoopFuture<Void> {
        if let crowd = connections.admit(channel) {
            refuse(channel, crowd)
            return channel.close()
        }
        let handshake = channel.eventLoop.scheduleTask(
            in: .milliseconds(configuration.limits.handshakeMilliseconds)
        ) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in handshake.cancel() }
        do {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls.withLock { $0 }))
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return channel.configureHTTP2SecureUpgrade(
            h2ChannelConfigurator: { [desk, connections] channel in
                connections.established(channel)
                return channel.eventLoop.makeCompletedFuture { try Self.configure(channel, desk, handshake) }
            },
            // A client that does not offer h2 by ALPN is none of ours.
            http1ChannelConfigurator: { $0.close() })
    }

    /// Notes a connection for which there is no room. Nothing can be told to its client yet.
    private func refuse(_ channel: any Channel, _ crowd: Connections.Crowd) {
        let address = PeerAddress(channel.remoteAddress).group
        desk.observer.observe(.connectionRefused(address: address))
        let limit: Limit
        switch crowd.kind {
        case .connections: limit = .connections
        case .connectionsOfAddress: limit = .connectionsOfAddress
        case .handshakes: limit = .handshakes
        case .handshakesOfAddress: limit = .handshakesOfAddress
        }
        desk.rates.note(
            LimitReached(
                limit, value: crowd.limit, subject: limit.scope == .address ? address : "", address: address,
                waitMilliseconds: 0))
    }

    /// Configures a connection, on its event loop.
    ///
    /// - Parameter handshake: closes the connection unless its first request comes before.
    private static func configure(_ connection: any Channel, _ desk: Desk, _ handshake: Scheduled<Void>) throws {
        let limits = desk.limits
        let goodbye = NIOHTTP2ServerConnectionManagementHandler(
            eventLoop: connection.eventLoop,
            configuration: .init(
                maxIdleTime: nil, maxAge: nil, maxGraceTime: .milliseconds(limits.graceMilliseconds), keepalive: nil))
        var http2 = NIOHTTP2Handler.ConnectionConfiguration()
        http2.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: limits.streamsPerConnection),
            HTTP2Setting(parameter: .maxHeaderListSize, value: limits.headerListBytes),
            HTTP2Setting(parameter: .initialWindowSize, value: limits.streamWindowBytes),
        ]
        http2.targetWindowSize = 4 * limits.streamWindowBytes
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.targetWindowSize = limits.streamWindowBytes
        stream.outboundBufferSizeHighWatermark = limits.outboundBytes
        stream.outboundBufferSizeLowWatermark = limits.outboundBytes / 4
        let watch = ClientWatch(
            connection, goodbye: goodbye.http2StreamDelegate, handshake: handshake, limits: limits)
        let unread = UnreadAnswers(connection, watch, desk)
        try connection.pipeline.syncOperations.addHandler(
            IdleFrames(limits) { [address = PeerAddress(connection.remoteAddress).group] in
                desk.observer.observe(.flooded(address: address))
            })
        _ = try connection.pipeline.syncOperations.configureHTTP2Pipeline(
            mode: .server, connectionConfiguration: http2, streamConfiguration: stream,
            streamDelegate: watch
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(
                    RequestHandler(desk: desk, unread: unread, watch: watch))
            }
        }
        try connection.pipeline.syncOperations.addHandler(goodbye)
        try connection.pipeline.syncOperations.addHandler(ConnectionErrors(logger: desk.logger))
    }

    private static func tls(_ chain: String, _ key: String) throws(EndpointError) -> NIOSSLContext {
        do throws(ServerTLS.Failure) {
            return try ServerTLS.context(chain: chain, key: key, protocols: ["h2"])
        } catch {
            throw EndpointError(
                .certificateUnusable,
                "\(error.message) `sync-server keys` makes a certificate with its key for development.")
        }
    }
}

/// The last handler of a connection: an error on it ends the connection, and nothing else.
private final class ConnectionErrors: ChannelInboundHandler {
    typealias InboundIn = Any

    private let logger: Logger

    init(logger: Logger) {
        self.logger = logger
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        logger.debug("a connection broke", metadata: ["error": "\(error)"])
        // HTTP/2's own goodbye, with its reason, was flushed before the error came here.
        context.channel.cut()
    }
}
