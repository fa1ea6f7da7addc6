import ArgumentParser
import Foundation
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

/// A bare HTTP/2 server over TLS, in a process of its own: what any server on the same libraries needs for connections
/// and messages, and so the floor of ours.
///
/// A request to `/wait` is answered with headers and stays open. A request to `/tell` sends one message to every stream
/// that waits, and is answered when all are handed over.
struct FloorServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "floor", abstract: "Serves bare HTTP/2, for comparison.", shouldDisplay: false)

    /// As long as a changed property of one object in its envelope.
    static let messageBytes = 64

    @Option var chain: String
    @Option var key: String

    func run() async throws {
        try OpenFiles.raise()
        let certificates = try NIOSSLCertificate.fromPEMFile(chain).map { NIOSSLCertificateSource.certificate($0) }
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates, privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
        tls.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: tls)
        let waiting = WaitingStreams()
        let channel = try await ServerBootstrap(
            group: MultiThreadedEventLoopGroup(numberOfThreads: ProcessInfo.processInfo.activeProcessorCount)
        )
        .serverChannelOption(.backlog, value: 1_024)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
                    mode: .server, connectionConfiguration: .init(), streamConfiguration: .init()
                ) { stream in
                    stream.eventLoop.makeCompletedFuture {
                        try stream.pipeline.syncOperations.addHandler(BareRequest(waiting))
                    }
                }
            }
        }
        .bind(host: "127.0.0.1", port: 0).get()
        // Whoever has started it reads the port.
        FileHandle.standardOutput.write(Data("\(channel.localAddress?.port ?? 0)\n".utf8))
        try await channel.closeFuture.get()
    }
}

/// The streams that wait for messages.
private final class WaitingStreams: Sendable {
    private let streams = Mutex<[any Channel]>([])

    func add(_ stream: any Channel) { streams.withLock { $0.append(stream) } }

    func tell() {
        let message = ByteBuffer(repeating: 7, count: FloorServer.messageBytes)
        for stream in streams.withLock({ $0 }) {
            stream.writeAndFlush(HTTP2Frame.FramePayload.data(.init(data: .byteBuffer(message))), promise: nil)
        }
    }
}

private final class BareRequest: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload
    private let waiting: WaitingStreams

    init(_ waiting: WaitingStreams) { self.waiting = waiting }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .headers(let head) = unwrapInboundIn(data) else { return }
        let isWaiting = head.headers.first(name: ":path") == "/wait"
        if isWaiting { waiting.add(context.channel) } else { waiting.tell() }
        let answer = HTTP2Frame.FramePayload.Headers(headers: [":status": "200"], endStream: !isWaiting)
        context.writeAndFlush(wrapOutboundOut(.headers(answer)), promise: nil)
    }
}
