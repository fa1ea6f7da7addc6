import NIOCore

/// Closes a connection that floods the server with frames without content.
///
/// HTTP/2's own handler counts PING, SETTINGS and PRIORITY. It reads any number of window updates, GOAWAYs and frames
/// of unknown types, each at the cost of a frame with content. This handler stands in front of it, and counts every
/// frame that is neither a head nor a piece of a body.
///
/// A client that reads a download acknowledges it with window updates. So whatever is written allows some more of them,
/// and a fast reader is never taken for a flood.
final class IdleFrames: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var scanner = FrameScanner()
    private var allowance: FrameAllowance
    private let closed: () -> Void
    /// Whether the connection is cut: nothing that still arrives is read.
    private var isCut = false

    /// - Parameter closed: called before the connection is closed.
    init(_ limits: EndpointLimits, closed: @escaping () -> Void) {
        allowance = FrameAllowance(
            atOnce: limits.idleFramesAtOnce, perSecond: limits.idleFramesPerSecond, at: .now())
        self.closed = closed
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isCut else { return }
        let count = scanner.idleFrames(in: unwrapInboundIn(data).readableBytesView)
        guard count == 0 || allowance.take(count, at: .now()) else {
            isCut = true
            closed()
            context.channel.cut()
            return
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        allowance.wrote(bytes: unwrapOutboundIn(data).readableBytes)
        context.write(data, promise: promise)
    }
}

/// Finds the frames in the bytes of a connection, however the bytes are split.
struct FrameScanner {
    private var passOver = Self.prefaceBytes
    private var header: [UInt8] = []

    /// The connection preface, which a client sends before its first frame.
    static let prefaceBytes = 24
    private static let headerBytes = 9
    private static let (data, headers, continuation) = (UInt8(0), UInt8(1), UInt8(9))

    /// How many frames that begin in these bytes are neither heads nor pieces of bodies.
    mutating func idleFrames(in bytes: some RandomAccessCollection<UInt8>) -> Int {
        var count = 0
        var rest = bytes[...]
        while !rest.isEmpty {
            if passOver > 0 {
                let passed = min(passOver, rest.count)
                rest = rest.dropFirst(passed)
                passOver -= passed
                continue
            }
            let part = rest.prefix(Self.headerBytes - header.count)
            header += part
            rest = rest.dropFirst(part.count)
            guard header.count == Self.headerBytes else { break }
            passOver = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
            if ![Self.data, Self.headers, Self.continuation].contains(header[3]) { count += 1 }
            header.removeAll(keepingCapacity: true)
        }
        return count
    }
}

/// How many idle frames may come: some at once, some each second, and some for what was written.
struct FrameAllowance {
    private let atOnce: Int
    private let perSecond: Int
    private var left: Int
    private var filled: NIODeadline
    /// How many frames what was written still allows.
    private var written = 0

    /// Each write allows two frames, and one more for each so many bytes.
    private static let writtenBytesPerFrame = 32
    /// The most frames that writes allow: what was written long ago is acknowledged.
    private static let forWrittenMax = 100_000

    init(atOnce: Int, perSecond: Int, at now: NIODeadline) {
        self.atOnce = atOnce
        self.perSecond = perSecond
        left = atOnce
        filled = now
    }

    mutating func wrote(bytes: Int) {
        written = min(written + 2 + bytes / Self.writtenBytesPerFrame, Self.forWrittenMax)
    }

    /// Takes idle frames from the allowance; false when there were too many.
    mutating func take(_ count: Int, at now: NIODeadline) -> Bool {
        let forWritten = min(written, count)
        written -= forWritten
        let seconds = Double((now - filled).nanoseconds) / 1e9
        let fresh = Int(min(seconds * Double(perSecond), Double(atOnce)))
        // Time that does not make a whole frame yet is kept.
        if fresh > 0 { (left, filled) = (min(left + fresh, atOnce), now) }
        left -= count - forWritten
        return left >= 0
    }
}
