import ArgumentParser
import CausewayEnvironment
import CausewayFeed
import CausewayModel
import CausewayOperations
import CausewaySinks
import CausewayStore
import CausewayStoreEmbedded
import Glibc
import Logging

/// Takes one-way objects into a record and writes them into files at the same time, until it is killed. It says the number of
/// each entry once the record has it.
@main
struct SinkPeer: AsyncParsableCommand {
    @Argument(help: "Where the record is, and the folder of the files in it.")
    var folder: String

    @Flag(help: "Take nothing more: write what is there, say how much it is, and end.")
    var drain = false

    private static let client = ClientID(5)
    /// Small, so that most kills come near the rolling of a file.
    private static let rollBytes = 6_000

    private static let schema = Schema([
        ClassSchema(
            name: "Reading", kind: .asymmetric,
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true), Property(name: "text", type: .string),
            ])
    ])

    func run() async throws {
        let record = try StoreEmbedded.open(folder: folder, epochSeed: UInt64.random(in: 1...UInt64.max))
        try record.extendSchema(Self.schema)
        try record.keepOneWayOrder()
        let clock = SystemClock()
        let sink = LineSink(
            LineSink.Rules(folder: folder + "/lines", rollBytes: Self.rollBytes, rollMilliseconds: 300),
            now: { clock.now() })
        let carrier = SinkCarrier(
            sink, state: CarrierState(database: "peer", .sink, name: "lines"),
            reader: ArrivalReader(FeedSource(record), classes: nil), keeping: record,
            bell: NewsBell { record.newestArrival }, random: SystemRandom(), logger: Logger(label: "peer"))
        let carrying = Task { await carrier.run() }
        var entry = try record.register(Self.client, user: "user").ingested
        if drain {
            while carrier.state.now.position < record.newestArrival { try await Task.sleep(for: .milliseconds(5)) }
            carrying.cancel()
            await carrying.value
            return print(entry)
        }
        while true {
            let text = String(repeating: "abcdefgh", count: Int(entry % 40))
            let create = Operation.create(
                ObjectReference("Reading", .int(Int64(entry + 1))), life: 1, fields: [FieldValue("text", .string(text))]
            )
            entry = try record.ingest(
                OneWayBatch(client: Self.client, user: "user", first: entry + 1, entries: [[create]]),
                receivedAt: clock.now())
            print(entry)
            fflush(nil)
        }
    }
}
