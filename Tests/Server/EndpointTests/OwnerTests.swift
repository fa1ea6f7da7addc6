import CausewayEndpoint
import CausewayWire
import Synchronization
import Testing

@Suite("Whose share a request takes")
struct OwnerTests {
    @Test("users of one name in two databases are two users: one does not take the other's places")
    func twoDatabases() async throws {
        let (flights, trains) = (FakeService(holdsUploads: true), FakeService(holdsUploads: true))
        var limits = EndpointLimits.unhurried
        // One user has one of these.
        limits.smallUploadsAtOnce = 2
        try await Bench.run(["flights": flights, "trains": trains], limits: limits) { bench in
            let body = WireCodec.encode(UploadRequest(session: FakeService.session, changesets: []))
            try await withThrowingTaskGroup(of: Int.self) { group in
                for path in ["/v1/flights/upload", "/v1/flights/upload"] {
                    group.addTask { try await bench.post(path, bytes: body).status }
                }
                #expect(await eventually { flights.state.withLock { $0.uploadsNow } == 1 })
                group.addTask { try await bench.post("/v1/trains/upload", bytes: body).status }
                #expect(await eventually { trains.state.withLock { $0.uploadsNow } == 1 })
                flights.releaseUpload()
                trains.releaseUpload()
                for try await status in group { #expect(status == 200) }
            }
            #expect(flights.state.withLock { $0.uploadsMost } == 1)
        }
    }
}
