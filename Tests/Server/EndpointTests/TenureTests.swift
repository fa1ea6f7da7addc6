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

    private struct Showing {
        let service: FakeService
        /// Before the download began, and before the other token was shown.
        let start, shown: ContinuousClock.Instant
    }

    /// How long the token "brief" lives, less a second.
    private static let inTime = Duration.seconds(7)

    /// Begins a download with a token that lives for seconds, shows another one, and asks what became of it.
    ///
    /// A busy machine may take longer than the first token lives to get there. Then nothing was tried, and it is tried
    /// again.
    private func showing(
        _ token: String, after pause: Duration = .zero,
        _ ask: (Showing, borrowing Mutex<[DownloadMessage]>, Task<Void, any Error>) async throws -> Void
    ) async throws {
        for _ in 0..<5 {
            let service = FakeService(script: [.mark(1)])
            let wasInTime = try await Bench.run(["flights": service]) { bench in
                let messages = Mutex<[DownloadMessage]>([])
                let start = ContinuousClock.now
                let download = Task {
                    try await bench.download(token: "brief") { message in messages.withLock { $0.append(message) } }
                }
                #expect(await eventually { messages.withLock { $0.first } == .mark(1) })
                try await Task.sleep(for: pause)
                let shown = ContinuousClock.now
                try await show(token, bench)
                guard ContinuousClock.now - start < Self.inTime else {
                    await service.end(.serverEnding)
                    try? await download.value
                    return false
                }
                #expect(messages.withLock { $0 } == [.mark(1)])
                try await ask(Showing(service: service, start: start, shown: shown), messages, download)
                return true
            }
            if wasInTime { return }
        }
        Issue.record("The machine was too busy to show a token in time, five times over.")
    }

    @Test("a newer token moves the end of the session on, without a word in it")
    func moved() async throws {
        try await showing("good") { showing, messages, download in
            try await Task.sleep(for: .seconds(10))
            #expect(showing.service.state.withLock { $0.downloadsRunning } == 1)
            await showing.service.end(.serverEnding)
            try await download.value
            #expect(messages.withLock { $0 } == [.mark(1), .end(.serverEnding)])
        }
    }

    @Test("the newer token ends it as well, when its own time is over")
    func movedOnce() async throws {
        try await showing("brief", after: .seconds(4)) { showing, messages, download in
            try await download.value
            #expect(messages.withLock { $0 } == [.mark(1), .end(.tokenExpired)])
            #expect(ContinuousClock.now - showing.shown > .seconds(7), "no sooner than the token that was shown last")
            #expect(ContinuousClock.now - showing.start > .seconds(11))
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
