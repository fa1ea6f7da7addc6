import CausewayWire
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import NIOTLS

/// One HTTP/2 connection of a device, over TLS, with as little around it as there can be: thousands of them fit into one
/// process.
final class Connection: Sendable {
    private let channel: any Channel
    private let streams: NIOHTTP2Handler.StreamMultiplexer
    private let token: String

    struct Lost: Error {}

    /// - Parameter source: the address on this machine that it comes from: one address has only so many ports.
    static func open(
        port: Int, tls: NIOSSLContext, token: String, source: String, on group: any EventLoopGroup
    ) async throws -> Connection {
        let loop = group.next()
        let ready = loop.makePromise(of: NIOHTTP2Handler.StreamMultiplexer.self)
        let channel: any Channel
        do {
            channel = try await ClientBootstrap(group: loop)
                .channelOption(.socketOption(.so_reuseaddr), value: 1)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .connectTimeout(.seconds(120))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let handlers = channel.pipeline.syncOperations
                        try handlers.addHandler(NIOSSLClientHandler(context: tls, serverHostname: "localhost"))
                        let streams = try handlers.configureHTTP2Pipeline(
                            mode: .client, connectionConfiguration: .init(), streamConfiguration: .init()
                        ) { $0.eventLoop.makeSucceededVoidFuture() }
                        try handlers.addHandler(Handshake(ready, streams))
                    }
                }
                .bind(to: SocketAddress(ipAddress: source, port: 0))
                .connect(host: "127.0.0.1", port: port).get()
        } catch {
            ready.fail(error)
            throw error
        }
        return Connection(channel: channel, streams: try await ready.futureResult.get(), token: token)
    }

    private init(channel: any Channel, streams: NIOHTTP2Handler.StreamMultiplexer, token: String) {
        self.channel = channel
        self.streams = streams
        self.token = token
    }

    func close() { channel.close(promise: nil) }

    /// A request with one message, and its answer with another.
    func call<Answer: WireMessage>(
        _ path: String, _ message: some WireMessage, answer: Answer.Type
    ) async throws -> Answer {
        let whole = channel.eventLoop.makePromise(of: (status: String, body: [UInt8]).self)
        try await begin(path, WireCodec.encode(message), Body(whole))
        let (status, body) = try await whole.futureResult.get()
        guard status == "200" else { throw try WireCodec.decode(SyncFailure.self, body: body) }
        return try WireCodec.decode(Answer.self, body: body)
    }

    /// A download: each message is handed over on the connection's thread, as it comes.
    func download(
        _ path: String, _ session: UInt64,
        _ received: @escaping @Sendable (Result<(message: DownloadMessage, bytes: Int), any Error>) -> Void
    ) async throws {
        try await begin(path, WireCodec.encode(DownloadRequest(session: session)), Messages(received))
    }

    /// A request whose answer is counted in bytes, and that may stay open.
    func open(_ path: String, _ received: @escaping @Sendable (Int) -> Void) async throws {
        try await begin(path, [], ByteCount(received))
    }

    private func begin(_ path: String, _ body: [UInt8], _ handler: any ChannelInboundHandler & Sendable) async throws {
        let head = HPACKHeaders([
            (":method", "POST"), (":scheme", "https"), (":path", path), (":authority", "localhost"),
            ("authorization", "Bearer \(token)"), ("content-type", WireProtocol.mediaType),
        ])
        let stream = try await streams.createStreamChannel { $0.pipeline.addHandler(handler) }.get()
        stream.write(HTTP2Frame.FramePayload.headers(.init(headers: head)), promise: nil)
        stream.writeAndFlush(
            HTTP2Frame.FramePayload.data(.init(data: .byteBuffer(ByteBuffer(bytes: body)), endStream: true)),
            promise: nil)
    }
}

/// Waits until TLS is done.
private final class Handshake: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any
    private let ready: EventLoopPromise<NIOHTTP2Handler.StreamMultiplexer>
    private let streams: NIOHTTP2Handler.StreamMultiplexer

    init(_ ready: EventLoopPromise<NIOHTTP2Handler.StreamMultiplexer>, _ streams: NIOHTTP2Handler.StreamMultiplexer) {
        (self.ready, self.streams) = (ready, streams)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { ready.succeed(streams) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) { ready.fail(Connection.Lost()) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        ready.fail(error)
        context.close(promise: nil)
    }
}

/// Collects one answer.
///
/// Unchecked: used on the thread of its channel alone.
private final class Body: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = HTTP2Frame.FramePayload
    private let whole: EventLoopPromise<(status: String, body: [UInt8])>
    private var status = ""
    private var bytes: [UInt8] = []

    init(_ whole: EventLoopPromise<(status: String, body: [UInt8])>) { self.whole = whole }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let head): status = head.headers.first(name: ":status") ?? ""
        case .data(let frame):
            guard case .byteBuffer(let buffer) = frame.data else { return }
            bytes += buffer.readableBytesView
            if frame.endStream { whole.succeed((status, bytes)) }
        default: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) { whole.fail(Connection.Lost()) }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { whole.fail(error) }
}

/// Counts an answer.
private final class ByteCount: ChannelInboundHandler, Sendable {
    typealias InboundIn = HTTP2Frame.FramePayload
    private let received: @Sendable (Int) -> Void

    init(_ received: @escaping @Sendable (Int) -> Void) { self.received = received }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .data(let frame) = unwrapInboundIn(data) else { return }
        received(frame.data.readableBytes)
    }
}

/// Hands over the messages of a download.
///
/// Unchecked: used on the thread of its channel alone.
private final class Messages: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = HTTP2Frame.FramePayload
    private let received: @Sendable (Result<(message: DownloadMessage, bytes: Int), any Error>) -> Void
    private var reader = FrameReader()

    init(_ received: @escaping @Sendable (Result<(message: DownloadMessage, bytes: Int), any Error>) -> Void) {
        self.received = received
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .data(let frame) = unwrapInboundIn(data), case .byteBuffer(let buffer) = frame.data else { return }
        reader.append(Array(buffer.readableBytesView))
        do {
            while let next = try reader.next() {
                received(.success((try WireCodec.decode(DownloadMessage.self, from: next.payload), next.wireBytes)))
            }
        } catch {
            received(.failure(error))
        }
        if frame.endStream { received(.failure(Connection.Lost())) }
    }

    func channelInactive(context: ChannelHandlerContext) { received(.failure(Connection.Lost())) }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { received(.failure(error)) }
}
