import NIOCore
import NIOHTTP2

/// Closes a connection that has long been idle, and sooner one on which no caller is known.
///
/// The connection handler's own idle timer only sends GOAWAY and then waits for the client to agree. This one closes
/// the connection. Until the first request the timeout of the handshake applies. A connection on which nobody is known
/// ends after a fixed time, whatever is asked on it: a stream stays open as long as its client takes no answer, and
/// would keep the connection open.
final class ClientWatch: NIOHTTP2StreamDelegate, Sendable {
    private struct State {
        var streams = 0
        /// Whether somebody has shown a good token.
        var isKnown = false
        var timer: Scheduled<Void>?
        /// Ends a connection on which nobody becomes known.
        var end: Scheduled<Void>?
    }

    private let state: NIOLoopBoundBox<State>
    private let connection: any Channel
    private let goodbye: NIOHTTP2ServerConnectionManagementHandler.HTTP2StreamDelegate
    private let limits: EndpointLimits

    init(
        _ connection: any Channel, goodbye: NIOHTTP2ServerConnectionManagementHandler.HTTP2StreamDelegate,
        handshake: Scheduled<Void>, limits: EndpointLimits
    ) {
        state = NIOLoopBoundBox(State(timer: handshake), eventLoop: connection.eventLoop)
        self.connection = connection
        self.goodbye = goodbye
        self.limits = limits
        connection.closeFuture.whenComplete { [state] _ in
            state.value.timer?.cancel()
            state.value.end?.cancel()
        }
        state.value.end = connection.eventLoop.scheduleTask(in: .milliseconds(limits.strangerMilliseconds)) { [self] in
            state.value.end = sayGoodbye(within: limits.graceMilliseconds)
        }
    }

    func streamCreated(_ id: HTTP2StreamID, channel: any Channel) {
        goodbye.streamCreated(id, channel: channel)
        state.value.streams += 1
        state.value.timer?.cancel()
    }

    func streamClosed(_ id: HTTP2StreamID, channel: any Channel) {
        goodbye.streamClosed(id, channel: channel)
        state.value.streams -= 1
        if state.value.streams == 0 { expectRequest() }
    }

    var isKnown: Bool { state.value.isKnown }

    /// Called when somebody has shown a good token: the connection is that of a device.
    func callerIsKnown() {
        state.value.isKnown = true
        state.value.end?.cancel()
    }

    /// The grace of a stranger when nothing is under way.
    private static let strangerGraceMilliseconds: Int64 = 1_000

    private func expectRequest() {
        let isKnown = state.value.isKnown
        let idle = isKnown ? limits.idleMilliseconds : limits.strangerIdleMilliseconds
        let grace = isKnown ? limits.graceMilliseconds : min(limits.graceMilliseconds, Self.strangerGraceMilliseconds)
        state.value.timer = connection.eventLoop.scheduleTask(in: .milliseconds(idle)) { [self] in
            state.value.timer = sayGoodbye(within: grace)
        }
    }

    /// Asks the client to close, and closes after a grace period.
    private func sayGoodbye(within milliseconds: Int64) -> Scheduled<Void> {
        connection.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        return connection.eventLoop.scheduleTask(in: .milliseconds(milliseconds)) { [connection] in
            connection.close(promise: nil)
        }
    }
}
