import CausewayOperations
import CausewayWire
import Foundation
import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

/// Speaks the protocol's HTTP/2 over TLS on loopback and knows nothing of databases: it answers as a test says.
final class LoopbackServer: Sendable {
    let port: Int
    private let channel: any Channel
    private let downloads: Downloads
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// What a test may want to see or change.
    final class Downloads: Sendable {
        let open = Mutex<[any Channel]>([])
        let credits = Mutex<[UInt64]>([])
        let connections = Mutex<Int>(0)
        let connected = Mutex<[any Channel]>([])
        let heads = Mutex<[HTTPHeaders]>([])
    }

    /// - Parameters:
    ///   - streamsMax: how many calls at a time a connection takes.
    ///   - certificate: one of `TestCertificates` for the server's key.
    init(
        streamsMax: Int = 100, certificate: String = TestCertificates.server,
        answering isTokenGood: @escaping @Sendable (String) -> Bool = { $0 == "good" }
    ) async throws {
        let downloads = Downloads()
        self.downloads = downloads
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: [
                .certificate(try NIOSSLCertificate(bytes: Array(certificate.utf8), format: .pem))
            ],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(TestCertificates.serverKey.utf8), format: .pem)))
        tls.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: tls)
        channel = try await ServerBootstrap(group: group)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                downloads.connections.withLock { $0 += 1 }
                downloads.connected.withLock { $0.append(channel) }
                channel.closeFuture.whenComplete { _ in
                    downloads.connected.withLock { $0.removeAll { $0 === channel } }
                }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                }.flatMap {
                    channel.configureHTTP2Pipeline(
                        mode: .server,
                        initialLocalSettings: [HTTP2Setting(parameter: .maxConcurrentStreams, value: streamsMax)]
                    ) { stream in
                        stream.eventLoop.makeCompletedFuture {
                            try stream.pipeline.syncOperations.addHandler(HTTP2FramePayloadToHTTP1ServerCodec())
                            try stream.pipeline.syncOperations.addHandler(
                                RequestHandler(downloads: downloads, isTokenGood: isTokenGood))
                        }
                    }.map { _ in }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        // A bound TCP channel has an address with a port.
        port = channel.localAddress!.port!
    }

    /// How many there have been.
    var connections: Int { downloads.connections.withLock { $0 } }
    /// How many are open.
    var connectionsOpen: Int { downloads.connected.withLock { $0.count } }
    var downloadsOpen: Int { downloads.open.withLock { $0.count } }
    /// The headers of every request.
    var heads: [HTTPHeaders] { downloads.heads.withLock { $0 } }
    var credits: [UInt64] { downloads.credits.withLock { $0 } }

    /// Sends bytes to every open download, or to some of them, in pieces of the size given.
    func push(_ bytes: [UInt8], piecesOf size: Int = .max, to chosen: Range<Int>? = nil) {
        let open = downloads.open.withLock { $0 }
        for channel in chosen.map({ Array(open[$0]) }) ?? open {
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(size)
                rest = rest.dropFirst(size)
                channel.writeAndFlush(
                    HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: piece))), promise: nil)
            }
        }
    }

    /// As a network does that swallows what it is given.
    func fallSilent() async throws {
        for channel in downloads.connected.withLock({ $0 }) {
            try await channel.setOption(.autoRead, value: false).get()
        }
    }

    /// Ends every connection.
    func kill() {
        for channel in downloads.connected.withLock({ $0 }) { channel.close(promise: nil) }
    }

    func endDownloads() {
        for channel in downloads.open.withLock({ $0 }) {
            channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
        }
    }

    func stop() async throws {
        try await channel.close().get()
        try await group.shutdownGracefully()
    }
}

/// One request: collects the body, answers by path.
private final class RequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let downloads: LoopbackServer.Downloads
    private let isTokenGood: @Sendable (String) -> Bool
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    init(downloads: LoopbackServer.Downloads, isTokenGood: @escaping @Sendable (String) -> Bool) {
        self.downloads = downloads
        self.isTokenGood = isTokenGood
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            downloads.heads.withLock { $0.append(head.headers) }
        case .body(let buffer): body += buffer.readableBytesView
        case .end:
            do throws(SyncFailure) {
                try answer(context)
            } catch {
                respond(context, .unauthorized, WireCodec.encode(error))
            }
        }
    }

    private func answer(_ context: ChannelHandlerContext) throws(SyncFailure) {
        guard let head, let token = head.headers.first(name: "authorization"), token.hasPrefix("Bearer "),
            isTokenGood(String(token.dropFirst("Bearer ".count)))
        else {
            throw SyncFailure(.tokenInvalid, "The token is not one of ours. Get another.")
        }
        guard head.uri.hasPrefix("/v1/flights%20of%20today/") else {
            respond(context, .notFound, Array("<html>no such page</html>".utf8))
            return
        }
        switch head.uri.split(separator: "/").last {
        case "session":
            let hello = try WireCodec.decode(Hello.self, body: body)
            let welcome = Welcome(
                session: 7, protocolVersion: 1, epoch: 3, serverTime: 4, limits: .standard,
                committed: hello.checkpoint.acknowledged, ingested: 0)
            respond(context, .ok, WireCodec.encode(welcome))
        case "upload":
            let request = try WireCodec.decode(UploadRequest.self, body: body)
            respond(
                context, .ok, WireCodec.encode(UploadAnswer(committed: request.changesets.last?.sequence ?? 0)))
        case "credit":
            let request = try WireCodec.decode(CreditRequest.self, body: body)
            downloads.credits.withLock { $0.append(request.bytes) }
            respond(context, .ok, WireCodec.encode(Accepted()))
        case "mark", "resync", "subscriptions":
            respond(context, .ok, WireCodec.encode(Accepted()))
        case "download":
            let channel = context.channel
            downloads.open.withLock { $0.append(channel) }
            channel.closeFuture.whenComplete { [downloads] _ in
                downloads.open.withLock { $0.removeAll { $0 === channel } }
            }
            context.writeAndFlush(
                wrapOutboundOut(.head(HTTPResponseHead(version: .http2, status: .ok))), promise: nil)
        default:
            break  // Never answered: what a server does that has lost its mind.
        }
    }

    private func respond(_ context: ChannelHandlerContext, _ status: HTTPResponseStatus, _ bytes: [UInt8]) {
        context.write(wrapOutboundOut(.head(HTTPResponseHead(version: .http2, status: status))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
