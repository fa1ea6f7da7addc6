import CausewaySeeds
import NIOCore
import NIOPosix
import Synchronization

/// Passes TCP connections on to a port of this machine, and does to them what networks do: each connection gets a fate,
/// drawn from a seed.
package final class FaultyProxy: Sendable {
    /// Where it listens.
    package let port: Int
    private let listener: any Channel
    private let fates: Fates

    package init(to target: Int, seed: UInt64) async throws {
        let fates = Fates(seed: seed, target: target)
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { Self.join($0, fates) }
            .bind(host: "127.0.0.1", port: 0).get()
        guard let port = listener.localAddress?.port else { throw ChannelError.unknownLocalAddress }
        self.port = port
        self.fates = fates
    }

    /// What is open is cut now, in the middle of whatever it carries.
    package func cutAll() {
        for channel in fates.open { channel.close(mode: .all, promise: nil) }
    }

    /// From now on connections lead to another port; what is open is cut.
    package func lead(to target: Int) {
        fates.lead(to: target)
        cutAll()
    }

    /// From now on everything passes at once; what is open is cut, since it has another fate.
    package func heal() {
        fates.end()
        cutAll()
    }

    package func stop() async throws {
        cutAll()
        try await listener.close()
    }

    /// Connects onwards before the first byte is read.
    private static func join(_ channel: any Channel, _ fates: Fates) -> EventLoopFuture<Void> {
        let (fate, target) = (fates.next(), fates.target)
        fates.add(channel)
        // Both ends on one event loop: they hand each other bytes without a lock.
        return ClientBootstrap(group: channel.eventLoop).connect(host: "127.0.0.1", port: target)
            .flatMapThrowing { onwards in
                fates.add(onwards)
                try channel.pipeline.syncOperations.addHandler(Relay(to: onwards, fate))
                try onwards.pipeline.syncOperations.addHandler(Relay(to: channel, fate))
            }
    }
}

/// What happens to one connection.
struct Fate: Sendable {
    var delayMilliseconds: Int64 = 0
    /// How fast bytes pass.
    var bytesPerMillisecond: Int64?
    /// After so many bytes in one direction the connection is cut.
    var cutAfter: Int?
    /// After so many bytes in one direction nothing passes any more, and nobody is told for a while.
    var silentAfter: Int?
}

/// Draws fates, and knows what is open.
private final class Fates: Sendable {
    private struct State {
        var numbers: SeededNumbers
        var target: Int
        var isFaulty = true
        var open: [ObjectIdentifier: any Channel] = [:]
    }

    private let state: Mutex<State>

    init(seed: UInt64, target: Int) {
        state = Mutex(State(numbers: SeededNumbers(seed: seed), target: target))
    }

    var target: Int { state.withLock { $0.target } }

    func lead(to target: Int) { state.withLock { $0.target = target } }

    var open: [any Channel] { state.withLock { Array($0.open.values) } }

    func end() {
        state.withLock { $0.isFaulty = false }
    }

    func add(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        state.withLock { $0.open[id] = channel }
        channel.closeFuture.whenComplete { [self] _ in _ = state.withLock { $0.open.removeValue(forKey: id) } }
    }

    func next() -> Fate {
        state.withLock { state in
            guard state.isFaulty else { return Fate() }
            // A handshake is some 3,000 bytes, so that cuts fall into it, into requests and into answers.
            let bytes = state.numbers.one(of: [500, 3_000, 8_000, 40_000]) + state.numbers.below(3_000)
            switch state.numbers.below(8) {
            case 0, 1: return Fate(cutAfter: bytes)
            case 2: return Fate(silentAfter: bytes)
            case 3: return Fate(delayMilliseconds: Int64(state.numbers.below(60)))
            case 4: return Fate(delayMilliseconds: 5, bytesPerMillisecond: Int64(state.numbers.below(100) + 20))
            default: return Fate()
            }
        }
    }
}

/// One direction of a connection.
private final class Relay: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let partner: any Channel
    private let fate: Fate
    private var passedBytes = 0
    private var isSilent = false
    /// When the piece before is out: pieces keep their order, whatever each would wait for itself.
    private var lastDue = NIODeadline.uptimeNanoseconds(0)

    /// How long a silent connection stands before it is cut: long enough for requests to run into it.
    private static let silence = TimeAmount.milliseconds(1_500)

    init(to partner: any Channel, _ fate: Fate) {
        self.partner = partner
        self.fate = fate
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isSilent else { return }
        var piece = unwrapInboundIn(data)
        passedBytes += piece.readableBytes
        if let limit = fate.cutAfter, passedBytes >= limit {
            // The first part of the piece still passes: the cut is inside of a frame.
            _ = piece.readSlice(length: min(piece.readableBytes, passedBytes - limit))
            pass(piece, context)
            cut(context, in: .milliseconds(1))
        } else if let limit = fate.silentAfter, passedBytes >= limit {
            isSilent = true
            cut(context, in: Self.silence)
        } else {
            pass(piece, context)
        }
    }

    private func pass(_ piece: ByteBuffer, _ context: ChannelHandlerContext) {
        let now = NIODeadline.now()
        let sending = TimeAmount.milliseconds(fate.bytesPerMillisecond.map { Int64(piece.readableBytes) / $0 } ?? 0)
        let due = max(now + .milliseconds(fate.delayMilliseconds), lastDue) + sending
        lastDue = due
        let partner = partner
        guard due > now else {
            partner.writeAndFlush(piece, promise: nil)
            return
        }
        context.eventLoop.scheduleTask(deadline: due) { partner.writeAndFlush(piece, promise: nil) }
    }

    private func cut(_ context: ChannelHandlerContext, in time: TimeAmount) {
        let (channel, partner) = (context.channel, partner)
        context.eventLoop.scheduleTask(deadline: max(.now(), lastDue) + time) {
            channel.close(promise: nil)
            partner.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        let partner = partner
        context.eventLoop.scheduleTask(deadline: max(.now(), lastDue)) { partner.close(promise: nil) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
