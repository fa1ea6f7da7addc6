import CausewayModel
import CausewayOperations
import CausewaySeeds
import CausewayStore
import CausewayWire

/// What the server takes in no form: some changesets and one-way entries, or some operations of these, until it is mended.
/// A device sends such an entry alone, sets it aside, and sends it again when its app says so.
struct Obstinacy {
    private var decided: [[UInt64]: Bool] = [:]
    /// Whether anything was ever not taken.
    private(set) var wasSeen = false

    private static let failure = SyncFailure(.operationInvalid, "The server does not understand this.")

    /// Decides once for each entry.
    private mutating func refuses(_ client: ClientID, _ kind: UInt64, _ number: UInt64, _ world: World) -> Bool {
        guard !world.isCalm, world.plan.obstinacyPercent > 0 else { return false }
        let key = [client.rawValue, kind, number]
        let isRefused = decided[key] ?? world.random.happens(percent: world.plan.obstinacyPercent)
        decided[key] = isRefused
        wasSeen = wasSeen || isRefused
        return isRefused
    }

    /// Takes out of a batch what is behind the first changeset that is not taken.
    ///
    /// - Returns: why not all of it is committed.
    /// - Throws: where nothing is.
    mutating func parts(_ batch: inout UploadBatch, _ world: World) throws(SyncFailure) -> SyncFailure? {
        var taken = 0
        for changeset in batch.changesets {
            // What was set aside is sent without its operations.
            if !changeset.operations.isEmpty, refuses(batch.client, 0, changeset.sequence, world) { break }
            taken += 1
        }
        guard taken < batch.changesets.count else { return nil }
        world.story.note("the server does not take changeset \(batch.changesets[taken].sequence)")
        if taken == 0 || world.random.happens(percent: 50) { throw Self.failure }
        batch.changesets.removeLast(batch.changesets.count - taken)
        return Self.failure
    }

    /// - Throws: where some entry is not taken, or some operation of it.
    mutating func check(_ batch: IngestBatch, _ world: World) throws(SyncFailure) {
        for (offset, entry) in batch.entries.enumerated() where !entry.isEmpty {
            let number = batch.first + UInt64(offset)
            guard refuses(batch.client, 1, number, world) else { continue }
            world.story.note("the server does not take one-way entry \(number)")
            var failure = Self.failure
            // Each kind of refusal stays one: the entry is refused as a whole, or its last operation is.
            if number % 2 == 0 {
                failure.refused = [
                    OperationRefusal(sequence: number, operation: UInt64(entry.count - 1), failure: Self.failure)
                ]
            }
            throw failure
        }
    }
}
