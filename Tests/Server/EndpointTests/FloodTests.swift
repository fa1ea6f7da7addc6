import CausewayWire
import NIOCore
import NIOPosix
import Testing

@testable import CausewayEndpoint

/// Clients that write HTTP/2 by hand and keep to none of its manners. An honest one is served beside each.
@Suite("A client that floods the endpoint", .serialized)
struct FloodTests {
    private func expectServing(_ bench: Bench) async throws {
        let mark = MarkRequest(session: FakeService.session, mark: 1)
        _ = try await bench.post("mark", mark, expecting: Accepted.self)
    }

    private func isClosed(_ raw: RawConnection) async -> Bool {
        await eventually { !raw.channel.isActive }
    }

    @Test("ten thousand streams at once end their connection, and nobody else's")
    func manyStreams() async throws {
        try await Bench.run(["flights": FakeService()]) { bench in
            try await expectServing(bench)
            let raw = try await RawConnection.open(to: bench)
            // Half-open, each of them: a head, and no body.
            let heads = (0..<10_000).flatMap { RawConnection.head(RawConnection.stream($0), "/v1/flights/upload") }
            try? await raw.send(heads)
            #expect(await isClosed(raw))
            #expect(raw.count(.goodbye) + raw.count(.reset) > 0, "HTTP/2's own refusal")
            #expect(await eventually { bench.endpoint.connectionCount == 1 })
            try await expectServing(bench)
        }
    }

    @Test("connections that say nothing take every place, and give them back")
    func manyConnections() async throws {
        var limits = EndpointLimits()
        limits.connections = 100
        limits.handshakeMilliseconds = 3_000
        try await Bench.run(["flights": FakeService()], limits: limits) { bench in
            try await expectServing(bench)
            var silent: [any Channel] = []
            for _ in 0..<300 {
                silent.append(
                    try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                        .connect(host: "127.0.0.1", port: bench.port).get())
            }
            #expect(bench.endpoint.connectionCount <= 100)
            // Who is in is served meanwhile, and who comes afterwards finds a place.
            try await expectServing(bench)
            for channel in silent { try await channel.closeFuture.get() }
            let raw = try await RawConnection.open(to: bench)
            #expect(bench.endpoint.connectionCount == 2)
            try await raw.close()
        }
    }

    @Test("streams that are opened and reset, over and over, end their connection")
    func resets() async throws {
        try await Bench.run(["flights": FakeService()]) { bench in
            let raw = try await RawConnection.open(to: bench)
            let pairs = (0..<10_000).flatMap { index in
                let stream = RawConnection.stream(index)
                return RawConnection.head(stream, "/v1/flights/download") + RawConnection.reset(stream)
            }
            try? await raw.send(pairs)
            #expect(await isClosed(raw))
            try await expectServing(bench)
        }
    }

    @Test("requests that nobody finishes are each told so, and their streams are free again")
    func halfOpen() async throws {
        var limits = EndpointLimits()
        limits.bodyIdleMilliseconds = 300
        try await Bench.run(["flights": FakeService()], limits: limits) { bench in
            let raw = try await RawConnection.open(to: bench)
            let heads = (0..<64).flatMap { RawConnection.head(RawConnection.stream($0), "/v1/flights/upload") }
            try await raw.send(heads)
            #expect(await eventually { raw.count(.headers) == 64 })
            // Answered, and then reset, since the rest does not come.
            #expect(await eventually { raw.count(.reset) == 64 })
            try await raw.send(RawConnection.head(RawConnection.stream(64), "/v1/flights/nothing", ends: true))
            #expect(await eventually { raw.count(.headers) == 65 })
            try await expectServing(bench)
            try await raw.close()
        }
    }

    @Test("a body that never ends is refused at its limit, and its stream is closed however much follows")
    func endlessBody() async throws {
        var limits = EndpointLimits()
        limits.bodyIdleMilliseconds = 500
        try await Bench.run(["flights": FakeService()], limits: limits) { bench in
            let raw = try await RawConnection.open(to: bench)
            let stream = RawConnection.stream(0)
            try await raw.send(RawConnection.head(stream, "/v1/flights/mark"))
            let piece = RawConnection.data(stream, Array(repeating: 0, count: 8_000))
            var pieces = 0
            // What has been sent ahead when the stream closes breaks the rules of the connection, and may end it.
            while raw.count(.reset) == 0, raw.channel.isActive, pieces < 100_000 {
                try? await raw.send(piece)
                pieces += 1
                try await Task.sleep(for: .milliseconds(2))
            }
            #expect(raw.count(.headers) == 1, "it was told")
            #expect(pieces < 100_000)
            try await expectServing(bench)
            try await raw.close()
        }
    }

    @Test("a body that trickles for ever is given up after its time")
    func trickle() async throws {
        var limits = EndpointLimits()
        limits.bodyMilliseconds = 500
        limits.bodyIdleMilliseconds = 60_000
        try await Bench.run(["flights": FakeService()], limits: limits) { bench in
            let raw = try await RawConnection.open(to: bench)
            let stream = RawConnection.stream(0)
            try await raw.send(RawConnection.head(stream, "/v1/flights/upload"))
            var bytes = 0
            while raw.count(.headers) == 0, bytes < 10_000 {
                try await raw.send(RawConnection.data(stream, [0]))
                bytes += 1
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(raw.count(.headers) == 1)
            try await expectServing(bench)
            try await raw.close()
        }
    }

    @Test("a client that asks and does not read its answers is closed before they pile up")
    func unreadAnswers() async throws {
        try await Bench.run(["flights": FakeService()]) { bench in
            try await expectServing(bench)
            let raw = try await RawConnection.open(to: bench, reads: false)
            // Answers of a few hundred bytes: the sockets between the two hold some megabytes of them.
            var sent = 0
            while raw.channel.isActive, bench.endpoint.connectionCount == 2, sent < 200_000 {
                let heads = (sent..<sent + 50).flatMap {
                    RawConnection.head(
                        RawConnection.stream($0), "/\(String(repeating: "x", count: 120))", token: nil, ends: true)
                }
                try? await raw.send(heads)
                sent += 50
            }
            #expect(await eventually { bench.endpoint.connectionCount == 1 })
            #expect(sent < 200_000, "it was let go on")
            try await expectServing(bench)
            try await raw.close()
        }
    }

    @Test("a stranger who reads none of his answers is closed after few of them")
    func unreadAnswersOfStranger() async throws {
        try await Bench.run(["flights": FakeService()]) { bench in
            // Streams that may be sent nothing: their answers wait in memory.
            let raw = try await RawConnection.open(to: bench, window: 0)
            let heads = (0..<24).flatMap {
                RawConnection.head(RawConnection.stream($0), "/healthz", token: nil, ends: true)
            }
            try? await raw.send(heads)
            #expect(await isClosed(raw))
            let known = try await RawConnection.open(to: bench, window: 0)
            let asked = (0..<24).flatMap {
                RawConnection.head(RawConnection.stream($0), "/v1/flights/mark", ends: true)
            }
            try? await known.send(asked)
            #expect(await eventually { known.count(.headers) == 24 })
            #expect(known.channel.isActive, "a device has more of them")
            try await known.close()
        }
    }

    @Test(
        "frames that carry nothing, over and over, end their connection",
        arguments: [
            RawConnection.windowUpdate(), RawConnection.goodbye(), RawConnection.unknown(), RawConnection.ping(),
            RawConnection.emptySettings(),
        ])
    func idleFrames(_ frame: [UInt8]) async throws {
        try await Bench.run(["flights": FakeService()]) { bench in
            try await expectServing(bench)
            let raw = try await RawConnection.open(to: bench)
            let many = Array(repeating: frame, count: 500).flatMap { $0 }
            for _ in 0..<20 where raw.channel.isActive { try? await raw.send(many) }
            #expect(await isClosed(raw))
            #expect(await eventually { bench.endpoint.connectionCount == 1 })
            try await expectServing(bench)
        }
    }

    @Test("a flood is cut off at once, and nobody waits for its farewell")
    func floodIsCut() async throws {
        try await Bench.run(["flights": FakeService()]) { bench in
            let raw = try await RawConnection.open(to: bench)
            let many = Array(repeating: RawConnection.windowUpdate(), count: 500).flatMap { $0 }
            // Bytes that it would find in its socket, had it looked there. It does not, and is gone all the same.
            try await raw.channel.setOption(.autoRead, value: false).get()
            let began = ContinuousClock.now
            for _ in 0..<40 where bench.endpoint.connectionCount > 0 {
                raw.channel.writeAndFlush(ByteBuffer(bytes: many), promise: nil)
            }
            #expect(await eventually { bench.endpoint.connectionCount == 0 })
            #expect(ContinuousClock.now - began < .seconds(4), "TLS waits five seconds for a farewell")
            try await raw.close()
        }
    }

    @Test("frames are counted however the bytes are cut, and none of what is in them")
    func scanning() {
        let frames =
            Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + RawConnection.emptySettings()
            + RawConnection.head(1, "/v1/flights/mark")
            + RawConnection.data(1, RawConnection.windowUpdate() + RawConnection.windowUpdate())
            + RawConnection.windowUpdate() + RawConnection.unknown()
        for size in [1, 2, 3, 7, 24, 1_000] {
            var scanner = FrameScanner()
            var count = 0
            for start in stride(from: 0, to: frames.count, by: size) {
                count += scanner.idleFrames(in: frames[start..<min(start + size, frames.count)])
            }
            #expect(count == 3, "pieces of \(size) bytes")
        }
    }

    @Test("who acknowledges what was written is never taken for a flood, and time allows more")
    func allowance() {
        let start = NIODeadline.uptimeNanoseconds(0)
        var allowance = FrameAllowance(atOnce: 10, perSecond: 5, at: start)
        func takes(_ count: Int, after seconds: Int64 = 0) -> Bool {
            allowance.take(count, at: start + .seconds(seconds))
        }
        for _ in 0..<1_000 {
            allowance.wrote(bytes: 30)
            #expect(takes(2))
        }
        #expect(takes(10))
        #expect(!takes(1))
        allowance = FrameAllowance(atOnce: 10, perSecond: 5, at: start)
        #expect(takes(10))
        for second in 1...100 as ClosedRange<Int64> { #expect(takes(5, after: second)) }
        #expect(!takes(6, after: 100))
    }
}
