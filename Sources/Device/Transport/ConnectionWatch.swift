import NIOCore
import NIOHTTP2

/// Sees what arrives on one connection: how many streams the server allows, and that it lives.
final class ConnectionWatch: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private let presence: ConnectionPresence
    private var context: ChannelHandlerContext?
    private var proof: Scheduled<Void>?

    init(_ presence: ConnectionPresence) {
        self.presence = presence
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        gone()
    }

    func channelInactive(context: ChannelHandlerContext) {
        gone()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .settings(.settings(let settings)) = unwrapInboundIn(data).payload,
            let streams = settings.last(where: { $0.parameter == .maxConcurrentStreams })
        {
            presence.serverAllows(streams: streams.value)
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if let proof {
            proof.cancel()
            self.proof = nil
            presence.heard()
        }
        context.fireChannelReadComplete()
    }

    /// Asks the other end for a sign of life. Without one the connection ends, for everyone who uses it.
    func prove(within limit: TimeAmount) {
        guard let context else { return }
        let ping = HTTP2Frame(streamID: .rootStream, payload: .ping(HTTP2PingData(), ack: false))
        context.writeAndFlush(wrapOutboundOut(ping), promise: nil)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        proof = context.eventLoop.scheduleTask(in: limit) { bound.value.close(promise: nil) }
    }

    private func gone() {
        guard context != nil else { return }
        context = nil
        proof?.cancel()
        proof = nil
        presence.closed(self)
    }
}
