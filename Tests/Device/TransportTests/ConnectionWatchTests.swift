import NIOCore
import NIOEmbedded
import NIOHTTP2
import Testing

@testable import CausewayTransport

@Suite("A connection in doubt")
struct ConnectionWatchTests {
    private static let limit = TimeAmount.seconds(5)
    private let presence = ConnectionPresence(ConnectionUse())
    private let channel = EmbeddedChannel()

    init() throws {
        let watch = ServerWatch(presence)
        try channel.pipeline.syncOperations.addHandler(watch)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        presence.opened(watch, on: channel.eventLoop)
        presence.doubt(provenWithin: Self.limit)
        channel.embeddedEventLoop.run()
    }

    private func arrives(_ payload: HTTP2Frame.FramePayload) throws {
        try channel.writeInbound(HTTP2Frame(streamID: .rootStream, payload: payload))
    }

    private var isAskedForLife: Bool {
        get throws {
            let asked = try channel.readOutbound(as: HTTP2Frame.self)
            return if case .ping(_, ack: false) = asked?.payload { true } else { false }
        }
    }

    @Test("is asked for a sign of life, and trusted when it answers")
    func answer() throws {
        #expect(try isAskedForLife)
        #expect(!presence.begin(.short))
        try arrives(.ping(HTTP2PingData(), ack: true))
        #expect(presence.begin(.short))
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(channel.isActive)
    }

    @Test("is not trusted for what was on its way before, and ends when no answer comes behind it")
    func late() throws {
        channel.embeddedEventLoop.advanceTime(by: .seconds(4))
        try arrives(.windowUpdate(windowSizeIncrement: 1))
        #expect(!presence.begin(.short))
        channel.embeddedEventLoop.advanceTime(by: .seconds(4))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
        // The next call makes another connection.
        #expect(presence.begin(.short))
    }

    @Test("waits longer for the answer while much arrives before it")
    func busy() throws {
        for _ in 0..<10 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(4))
            try arrives(.windowUpdate(windowSizeIncrement: 1))
        }
        try arrives(.ping(HTTP2PingData(), ack: true))
        #expect(channel.isActive)
        #expect(presence.begin(.short))
    }
}
