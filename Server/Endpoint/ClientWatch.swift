import NIOCore
import NIOHTTP2

/// Closes a connection on which nothing is asked for long, or for a shorter time on which nobody is known.
///
/// The connection handler's own idle timer only says goodbye and then waits for the client to agree; this one insists.
/// Until the first request comes, the time for the handshake runs. A connection on which nobody is known ends after a
/// time whatever is asked on it: a stream stays open for as long as its client takes no answer, and keeps it open.
final class ClientWatch: NIOHTTP2StreamDelegate, Sendable {
    private struct State {
        var streams = 0
        /// Whether somebody has shown a good token.
        var isKnown = false
        var timer: Scheduled<Void>?
        /// The end of a connection on which nobody becomes known.
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

    /// Somebody has shown a good token: the connection is that of a device.
    func callerIsKnown() {
        state.value.isKnown = true
        state.value.end?.cancel()
    }

    /// What a stranger has after the goodbye when nothing is under way.
    private static let strangerGraceMilliseconds: Int64 = 1_000

    private func expectRequest() {
        let isKnown = state.value.isKnown
        let idle = isKnown ? limits.idleMilliseconds : limits.strangerIdleMilliseconds
        let grace = isKnown ? limits.graceMilliseconds : min(limits.graceMilliseconds, Self.strangerGraceMilliseconds)
        state.value.timer = connection.eventLoop.scheduleTask(in: .milliseconds(idle)) { [self] in
            state.value.timer = sayGoodbye(within: grace)
        }
    }

    /// Gives the client a moment to agree, and then closes.
    private func sayGoodbye(within milliseconds: Int64) -> Scheduled<Void> {
        connection.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        return connection.eventLoop.scheduleTask(in: .milliseconds(milliseconds)) { [connection] in
            connection.close(promise: nil)
        }
    }
}
