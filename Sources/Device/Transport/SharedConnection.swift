import AsyncHTTPClient
import NIOCore
import NIOHTTP2
import NIOPosix
import Synchronization

/// A connection to one server, for everyone in this process who calls it on the same terms.
///
/// The first call opens it, and the first call after a loss opens it again. When it is lost, every call on it fails,
/// and the callers decide when to try again. It closes when nobody has used it for a while.
final class SharedConnection: Sendable {
    /// How long a connection in doubt may take to show that it lives.
    static let proofMilliseconds: Int64 = 5_000

    let client: HTTPClient
    private let presence: ConnectionPresence
    private let eventLoop: any EventLoop
    private let linger: TimeAmount
    private let retired: @Sendable (SharedConnection) -> Void
    private let lingering = Mutex<Scheduled<Void>?>(nil)

    /// - Parameters:
    ///   - streamsMax: as the server has said on another connection.
    ///   - retired: called once, when it takes no more calls.
    init(_ terms: ConnectionTerms, streamsMax: Int?, retired: @escaping @Sendable (SharedConnection) -> Void) {
        let presence = ConnectionPresence(ConnectionUse(streamsMax: streamsMax))
        var configuration = terms.configuration
        configuration.http2ConnectionDebugInitializer = { Self.watch($0, presence) }
        // One event loop, so that the client finds no reason for a second connection.
        eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        client = HTTPClient(eventLoopGroup: eventLoop, configuration: configuration)
        linger = .milliseconds(terms.lingerMilliseconds)
        self.presence = presence
        self.retired = retired
    }

    /// The client calls this while it reads the server's first settings, so that the watch, in front of the streams,
    /// sees those as well.
    private static func watch(_ channel: any Channel, _ presence: ConnectionPresence) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let watch = ServerWatch(presence)
            let streams = try pipeline.handler(type: HTTP2StreamMultiplexer.self)
            try pipeline.addHandler(watch, position: .before(streams))
            presence.opened(watch, on: channel.eventLoop)
        }
    }

    var streamsMax: Int { presence.streamsMax }

    /// Takes a place for a call; false when there is none.
    func begin(_ call: ConnectionUse.Call) -> Bool {
        guard presence.begin(call) else { return false }
        lingering.withLock { lingering in
            lingering?.cancel()
            lingering = nil
        }
        return true
    }

    func end(_ call: ConnectionUse.Call) {
        guard presence.end(call) else { return }
        lingering.withLock { lingering in
            lingering?.cancel()
            lingering = eventLoop.scheduleTask(in: linger) { [self] in retireIfIdle() }
        }
    }

    private func retireIfIdle() {
        guard presence.retire() else { return }
        retired(self)
        // A client must be shut down before it goes away.
        Task { try? await client.shutdown() }
    }

    /// A caller has waited for the server in vain. Calls go elsewhere until the connection has shown that it lives. If
    /// it does not, it ends, and all calls on it fail.
    func doubt() {
        presence.doubt(provenWithin: .milliseconds(Self.proofMilliseconds))
    }
}
