import CausewayEndpoint
import CausewayWire
import Synchronization
import Testing

@Suite("The end of a token in a session that goes on")
struct TenureTests {
    /// Shows a token in a request of the session.
    private func show(_ token: String, _ bench: Bench) async throws {
        let credit = WireCodec.encode(CreditRequest(session: FakeService.session, bytes: 0))
        #expect(try await bench.post("/v1/flights/credit", token: token, bytes: credit).status == 200)
    }

    @Test("a newer token moves the end of the session on, without a word in it")
    func moved() async throws {
        let service = FakeService(script: [.mark(1)])
        try await Bench.run(["flights": service]) { bench in
            let messages = Mutex<[DownloadMessage]>([])
            let download = Task {
                try await bench.download(token: "brief") { message in messages.withLock { $0.append(message) } }
            }
            #expect(await eventually { messages.withLock { $0 } == [.mark(1)] })
            try await show("good", bench)
            try await Task.sleep(for: .seconds(10))
            #expect(service.state.withLock { $0.downloadsRunning } == 1)
            await service.end(.serverEnding)
            try await download.value
            #expect(messages.withLock { $0 } == [.mark(1), .end(.serverEnding)])
        }
    }

    @Test("the newer token ends it as well, when its own time is over")
    func movedOnce() async throws {
        try await Bench.run(["flights": FakeService(script: [.mark(1)])]) { bench in
            let messages = Mutex<[DownloadMessage]>([])
            let start = ContinuousClock.now
            let download = Task {
                try await bench.download(token: "brief") { message in messages.withLock { $0.append(message) } }
            }
            #expect(await eventually { messages.withLock { $0 } == [.mark(1)] })
            try await Task.sleep(for: .seconds(4))
            let shown = ContinuousClock.now
            try await show("brief", bench)
            try await download.value
            #expect(messages.withLock { $0 } == [.mark(1), .end(.tokenExpired)])
            #expect(ContinuousClock.now - shown > .seconds(7), "no sooner than the token that was shown last")
            #expect(ContinuousClock.now - start > .seconds(11))
        }
    }

    @Test("another user's token moves nothing, and neither does an older one of the same")
    func strangers() async throws {
        try await Bench.run(["flights": FakeService(script: [.mark(1)])]) { bench in
            let messages = Mutex<[DownloadMessage]>([])
            let download = Task {
                try await bench.download(token: "brief") { message in messages.withLock { $0.append(message) } }
            }
            #expect(await eventually { messages.withLock { $0 } == [.mark(1)] })
            try await show("other", bench)
            try await show("short", bench)
            try await download.value
            #expect(messages.withLock { $0 } == [.mark(1), .end(.tokenExpired)])
        }
    }
}
