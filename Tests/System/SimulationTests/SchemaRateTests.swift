import CausewayLimits
import CausewayModel
import CausewaySession
import CausewayStoreEmbedded
import CausewayWire
import Testing

@Suite("How much of the schema a user adds in an hour")
struct SchemaRateTests {
    private func hello(_ client: UInt64, properties: Int) -> Hello {
        let names = (0..<properties).map { Property(name: "p\($0)", type: .int) }
        let key = Property(name: "_id", type: .int, isPrimaryKey: true)
        return Hello(
            client: ClientID(client), protocolVersions: 1...1,
            schema: Schema([ClassSchema(name: "Thing", properties: [key] + names)]), checkpoint: .nothing, held: .empty,
            wanted: .empty)
    }

    @Test("a user who has added much waits before adding more; who adds nothing gets in, and so does another user")
    func additions() async throws {
        let store = try StoreEmbedded.open(
            folder: "schema-rate-\(UInt64.random(in: 0...UInt64.max))",
            options: StoreEmbedded.Options(mapSizeBytes: 1 << 26, inMemory: true), epochSeed: 5)
        let conversations = Conversations(
            backend: store, intake: store,
            rates: RateGate(Rates(amounts: [.schemaAdditionsPerHourOfUser: 3]), now: { 0 }), now: { 1_000 })
        // More than an hour's worth at once passes.
        _ = try await conversations.open(hello(1, properties: 5), by: .init(user: "ann"))
        let failure = await #expect(throws: SyncFailure.self) {
            try await conversations.open(hello(1, properties: 6), by: .init(user: "ann"))
        }
        #expect(failure?.code == .serverBusy)
        #expect((failure?.retryAfterMilliseconds ?? 0) > 3_600_000)
        #expect(failure?.message.contains("limits.schemaAdditionsPerHourOfUser") == true)
        _ = try await conversations.open(hello(2, properties: 5), by: .init(user: "ann"))
        _ = try await conversations.open(hello(3, properties: 6), by: .init(user: "bob"))
    }
}
