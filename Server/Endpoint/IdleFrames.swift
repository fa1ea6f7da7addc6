import NIOCore

/// Closes a connection that floods the server with frames that carry nothing.
///
/// HTTP/2's own handler counts PING, SETTINGS and PRIORITY. It reads any number of window updates, goodbyes and frames of
/// unknown types, each for the price of a frame with something in it. This one stands in front of it, and counts all that
/// is neither a head nor a piece of a body.
///
/// Who reads a download acknowledges it by window updates. So whatever is written allows some more of them, and a fast
/// reader is never taken for a flood.
final class IdleFrames: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var scanner = FrameScanner()
    private var allowance: FrameAllowance
    private let closed: () -> Void
    /// Nothing of what still comes is read.
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

/// Finds the frames in the bytes of a connection, however they are cut.
struct FrameScanner {
    private var passOver = Self.prefaceBytes
    private var header: [UInt8] = []

    /// What a client says before its first frame.
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

/// How many frames may come: some at once, some each second, and some for what was written.
struct FrameAllowance {
    private let atOnce: Int
    private let perSecond: Int
    private var left: Int
    private var filled: NIODeadline
    /// Written since the last one was taken.
    private var written = 0

    /// Two acknowledgements for each frame of so few bytes.
    private static let writtenBytesPerFrame = 32
    /// What was written long ago is acknowledged.
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

    /// False when there were too many.
    mutating func take(_ count: Int, at now: NIODeadline) -> Bool {
        let forWritten = min(written, count)
        written -= forWritten
        let seconds = Double((now - filled).nanoseconds) / 1e9
        let fresh = Int(min(seconds * Double(perSecond), Double(atOnce)))
        // The time of what is not whole yet is kept.
        if fresh > 0 { (left, filled) = (min(left + fresh, atOnce), now) }
        left -= count - forWritten
        return left >= 0
    }
}
