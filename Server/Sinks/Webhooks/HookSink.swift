import CausewayJSON
import CausewayFeed
package import CausewayStore

/// Posts one-way objects to an address, and keeps the position in the database: each object at least once, in order. A receiver
/// tells repetitions by `sequence`.
package struct HookSink: Sink {
    private let sender: WebhookSender
    private let positions: SavedPosition
    private let database: String
    private let name: String

    package init(
        _ rules: WebhookSender.Rules, database: String, name: String, keeping: any OneWayKeeping,
        now: @escaping @Sendable () -> UInt64
    ) {
        sender = WebhookSender(rules, now: now)
        positions = SavedPosition(keeping, name: "sink/\(name)")
        self.database = database
        self.name = name
    }

    package func open() async throws(SinkFailure) -> UInt64 {
        guard let text = try await positions.load() else { return 0 }
        guard let position = UInt64(text) else { throw positions.damage }
        return position
    }

    package func take(_ batch: SinkBatch) async throws(SinkFailure) {
        var json = JSONWriter()
        json.object { json in
            json.field("database", database)
            json.field("sink", name)
            json.name("rows")
            json.array(batch.rows) { $0.append(to: &$1) }
        }
        try await sender.post(json.bytes, delivery: "\(name)-\(batch.through)")
        try await positions.save("\(batch.through)")
    }

    package func rest() async throws(SinkFailure) {}

    package func close() async { await sender.close() }
}
