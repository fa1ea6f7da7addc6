import AsyncHTTPClient
import CausewayLimits
import CausewayWire
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import Testing

@testable import CausewayEndpoint

/// Rates count by a clock that stands still, so that no test depends on how fast it runs.
@Suite("Rates at the endpoint", .serialized)
struct RateTests {
    private static let mark = WireCodec.encode(MarkRequest(session: FakeService.session, mark: 1))

    private static func request(_ bench: Bench, token: String) -> HTTPClientRequest {
        var request = bench.request("/v1/flights/mark", token: token)
        request.body = .bytes(mark)
        return request
    }

    @Test("an address over its rate is told the limit and a time, before its token is looked at")
    func address() async throws {
        let met = Mutex<[LimitReached]>([])
        let rates = RateGate(
            Rates(amounts: [.requestsPerSecondOfAddress: 5], burstSeconds: 1), now: { 0 },
            reached: { reached in met.withLock { $0.append(reached) } })
        try await Bench.run(["flights": FakeService()], rates: rates) { bench in
            var busy: SyncFailure?
            for _ in 0..<200 where busy == nil {
                let (status, body) = try await bench.post("/v1/flights/mark", token: "bad", bytes: Self.mark)
                if status == 503 { busy = try WireCodec.decode(SyncFailure.self, body: body) }
            }
            #expect(busy?.code == .serverBusy)
            #expect((busy?.retryAfterMilliseconds ?? 0) >= RateGate.waitMinMilliseconds)
            #expect(busy?.message.contains("limits.requestsPerSecondOfAddress") == true)
            let told = try #require(met.withLock { $0.first })
            #expect(told.limit == .requestsPerSecondOfAddress && told.subject == "127.0.0.1")
            // Health checks count against no rate.
            let health = try await bench.send(bench.request("/healthz", token: nil, method: "GET"))
            #expect(health.status == 200)
        }
    }

    @Test("a user over their rate is told so, with a header for proxies; another user does not notice")
    func user() async throws {
        let gate = RateGate(Rates(amounts: [.requestsPerSecondOfUser: 3], burstSeconds: 1), now: { 0 })
        try await Bench.run(["flights": FakeService(rates: gate)]) { bench in
            var refused = 0
            for _ in 0..<100 {
                let response = try await bench.client.execute(
                    Self.request(bench, token: "good"), timeout: .seconds(60))
                _ = try await response.body.collect(upTo: 1 << 20)
                guard response.status.code == 503 else { continue }
                refused += 1
                #expect(response.headers.first(name: "retry-after") == "1")
            }
            #expect(refused > 0)
            let other = try await bench.client.execute(Self.request(bench, token: "other"), timeout: .seconds(60))
            #expect(other.status.code == 200)
        }
    }

    @Test("connections whose handshake does not end have a limit of their own; whoever is in is served")
    func handshakes() async throws {
        var limits = EndpointLimits()
        limits.handshakesOfAddress = 10
        let met = Mutex<[LimitReached]>([])
        let rates = RateGate(.unlimited, reached: { reached in met.withLock { $0.append(reached) } })
        try await Bench.run(["flights": FakeService()], limits: limits, rates: rates) { bench in
            #expect(try await bench.post("/v1/flights/mark", bytes: Self.mark).status == 200)
            var silent: [any Channel] = []
            for _ in 0..<40 {
                silent.append(
                    try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                        .connect(host: "127.0.0.1", port: bench.port).get())
            }
            #expect(await eventually { met.withLock { $0.count } == 30 })
            #expect(met.withLock { $0.allSatisfy { $0.limit == .handshakesOfAddress && $0.value == 10 } })
            #expect(bench.endpoint.connectionCount == 11)
            #expect(try await bench.post("/v1/flights/mark", bytes: Self.mark).status == 200)
            for channel in silent { try? await channel.close().get() }
            #expect(await eventually { bench.endpoint.connectionCount == 1 })
            // Their places are free again.
            let raw = try await RawConnection.open(to: bench)
            try await raw.close()
        }
    }
}
