import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

/// An HTTP/2 connection over TLS whose frames are written by hand: what no library would send.
struct RawConnection {
    let channel: any Channel
    private let seen: Frames

    /// - Parameters:
    ///   - reads: whether anything that comes is taken from the socket once the handshake is done.
    ///   - window: what the server may send of each answer. All of them together may send without end, so that only the
    ///     socket, or this, holds answers back.
    static func open(
        to bench: Bench, reads: Bool = true, window: UInt32 = 1 << 30
    ) async throws -> RawConnection {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([try Bench.authority])
        tls.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: tls)
        let seen = Frames()
        let shaken = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Void.self)
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            // Small, so that a client that does not read is noticed after little.
            .channelOption(.socketOption(.so_rcvbuf), value: 32 << 10)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        NIOSSLClientHandler(context: context, serverHostname: "localhost"),
                        Reader(seen, shaken))
                }
            }
        let channel: any Channel
        do {
            channel = try await bootstrap.connect(host: "127.0.0.1", port: bench.port).get()
        } catch {
            shaken.fail(error)
            throw error
        }
        try await shaken.futureResult.get()
        if !reads { try await channel.setOption(.autoRead, value: false).get() }
        let connection = RawConnection(channel: channel, seen: seen)
        try await connection.send(
            Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(type: 4, stream: 0, settings(window: window))
                + frame(type: 8, stream: 0, number(1 << 30)))
        return connection
    }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    func close() async throws {
        // It may be closed already.
        try? await channel.close().get()
    }

    /// How many frames of a type have come.
    func count(_ kind: Kind) -> Int { seen.counts.withLock { $0[kind.rawValue, default: 0] } }

    enum Kind: UInt8 {
        case data = 0
        case headers = 1
        case reset = 3
        case goodbye = 7
    }

    // MARK: - Frames

    /// The head of a request.
    static func head(_ stream: UInt32, _ path: String, token: String? = "good", ends: Bool = false) -> [UInt8] {
        // From HPACK's static table: POST and https whole, the names of :path, :authority and authorization.
        var block: [UInt8] = [0x83, 0x87]
        block += literal(name: [0x04], path) + literal(name: [0x01], "localhost")
        if let token { block += literal(name: [0x0F, 0x08], "Bearer \(token)") }
        return frame(type: 1, flags: ends ? 5 : 4, stream: stream, block)
    }

    static func data(_ stream: UInt32, _ bytes: [UInt8], ends: Bool = false) -> [UInt8] {
        frame(type: 0, flags: ends ? 1 : 0, stream: stream, bytes)
    }

    /// Frames that carry nothing.
    static func windowUpdate() -> [UInt8] { frame(type: 8, stream: 0, number(1)) }
    static func goodbye() -> [UInt8] { frame(type: 7, stream: 0, number(0) + number(0)) }
    static func unknown() -> [UInt8] { frame(type: 0xEE, stream: 0, [1, 2, 3]) }
    static func ping() -> [UInt8] { frame(type: 6, stream: 0, number(1) + number(2)) }
    static func emptySettings() -> [UInt8] { frame(type: 4, stream: 0, []) }

    static func reset(_ stream: UInt32) -> [UInt8] { frame(type: 3, stream: stream, number(8)) }

    /// The number of the n-th request of a client.
    static func stream(_ index: Int) -> UInt32 { UInt32(2 * index + 1) }

    private static func literal(name: [UInt8], _ value: String) -> [UInt8] {
        precondition(value.utf8.count < 127, "Longer ones take another form.")
        return name + [UInt8(value.utf8.count)] + Array(value.utf8)
    }

    private static func settings(window: UInt32) -> [UInt8] { [0, 4] + number(window) }

    private static func number(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    private static func frame(type: UInt8, flags: UInt8 = 0, stream: UInt32, _ payload: [UInt8]) -> [UInt8] {
        number(UInt32(payload.count)).dropFirst() + [type, flags] + number(stream) + payload
    }

    // MARK: - What comes

    private final class Frames: Sendable {
        let counts = Mutex<[UInt8: Int]>([:])
    }

    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let seen: Frames
        private let shaken: EventLoopPromise<Void>
        private var held = ByteBuffer()

        init(_ seen: Frames, _ shaken: EventLoopPromise<Void>) {
            self.seen = seen
            self.shaken = shaken
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            // The server's settings: the handshake is done.
            shaken.succeed()
            held.writeImmutableBuffer(unwrapInboundIn(data))
            while let size = held.getInteger(at: held.readerIndex, as: UInt32.self).map({ Int($0 >> 8) }),
                held.readableBytes >= 9 + size, let frame = held.readSlice(length: 9 + size)
            {
                let type = frame.getInteger(at: frame.readerIndex + 3, as: UInt8.self) ?? 0
                seen.counts.withLock { $0[type, default: 0] += 1 }
            }
            held.discardReadBytes()
        }

        func channelInactive(context: ChannelHandlerContext) {
            shaken.fail(ChannelError.ioOnClosedChannel)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            shaken.fail(error)
            context.close(promise: nil)
        }
    }
}
