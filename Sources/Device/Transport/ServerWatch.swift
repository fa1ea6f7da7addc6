import NIOCore
import NIOHTTP2

/// Sees what arrives on one connection: how many streams the server allows, and that it lives.
final class ServerWatch: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private let presence: ConnectionPresence
    private var context: ChannelHandlerContext?
    /// Ends the connection unless the other end gives a sign of life; nil if it owes none.
    private var proof: Scheduled<Void>?
    private var proofLimit = TimeAmount.zero

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
        switch unwrapInboundIn(data).payload {
        case .settings(.settings(let settings)):
            if let streams = settings.last(where: { $0.parameter == .maxConcurrentStreams }) {
                presence.serverAllows(streams: streams.value)
            }
        case .ping(_, ack: true): proven()
        default: break
        }
        context.fireChannelRead(data)
    }

    /// What arrives proves nothing: it may have been on its way before the other end fell silent. But the answer to the
    /// ping comes behind it, so the time limit starts anew.
    func channelReadComplete(context: ChannelHandlerContext) {
        if proof != nil { expectProof(context) }
        context.fireChannelReadComplete()
    }

    /// Asks the other end for a sign of life. Without an answer the connection ends, for everyone who uses it.
    func prove(within limit: TimeAmount) {
        guard let context else { return }
        let ping = HTTP2Frame(streamID: .rootStream, payload: .ping(HTTP2PingData(), ack: false))
        context.writeAndFlush(wrapOutboundOut(ping), promise: nil)
        proofLimit = limit
        expectProof(context)
    }

    private func expectProof(_ context: ChannelHandlerContext) {
        proof?.cancel()
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        proof = context.eventLoop.scheduleTask(in: proofLimit) { bound.value.close(promise: nil) }
    }

    private func proven() {
        guard let proof else { return }
        proof.cancel()
        self.proof = nil
        presence.heard()
    }

    private func gone() {
        guard context != nil else { return }
        context = nil
        proof?.cancel()
        proof = nil
        presence.closed(self)
    }
}
