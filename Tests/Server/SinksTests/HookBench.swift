import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded

/// A record in memory whose objects one client creates, one in each version.
final class HookBench: Sendable {
    let record: StoreEmbedded
    private static let client = ClientID(7)

    init(historyVersionsMax: UInt64) throws {
        record = try StoreEmbedded.open(
            folder: "hooks-\(UInt64.random(in: 0...UInt64.max))",
            options: StoreEmbedded.Options(
                historyVersionsMax: historyVersionsMax, mapSizeBytes: 1 << 26, inMemory: true),
            epochSeed: 3)
        try record.extendSchema(
            Schema([
                ClassSchema(name: "Item", properties: [Property(name: "_id", type: .int, isPrimaryKey: true)])
            ]))
        _ = try record.register(Self.client, user: "user")
    }

    /// - Parameter id: one more than the last, from zero.
    func write(_ id: Int64) throws {
        let changeset = Changeset(
            client: Self.client, sequence: UInt64(id) + 1,
            stamp: Stamp(time: UInt64(id + 1) << 16, client: Self.client),
            base: record.version, operations: [.create(ObjectReference("Item", .int(id)), life: 1, fields: [])])
        let batch = UploadBatch(client: Self.client, user: "user", changesets: [changeset])
        if let failure = try record.commit([batch], receivedAt: UInt64(id) + 1)[0].failure { throw failure }
    }
}
