import NIOCore
import NIOHTTP2

/// Closes a connection on which nothing is asked for long.
///
/// The connection handler's own idle timer only says goodbye and then waits for the client to agree; this one insists.
final class ConnectionWatch: NIOHTTP2StreamDelegate, Sendable {
    private struct State {
        var streams = 0
        var timer: Scheduled<Void>?
    }

    private let state: NIOLoopBoundBox<State>
    private let connection: any Channel
    private let goodbye: NIOHTTP2ServerConnectionManagementHandler.HTTP2StreamDelegate
    private let limits: EndpointLimits

    init(
        _ connection: any Channel, goodbye: NIOHTTP2ServerConnectionManagementHandler.HTTP2StreamDelegate,
        limits: EndpointLimits
    ) {
        state = NIOLoopBoundBox(State(), eventLoop: connection.eventLoop)
        self.connection = connection
        self.goodbye = goodbye
        self.limits = limits
        expectRequest()
        connection.closeFuture.whenComplete { [state] _ in state.value.timer?.cancel() }
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

    private func expectRequest() {
        state.value.timer = connection.eventLoop.scheduleTask(in: .milliseconds(limits.idleMilliseconds)) {
            [connection, state, limits] in
            connection.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            state.value.timer = connection.eventLoop.scheduleTask(in: .milliseconds(limits.graceMilliseconds)) {
                connection.close(promise: nil)
            }
        }
    }
}
