package import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayOperations
package import CausewaySync
package import CausewayWire
import Synchronization

extension SyncedFile {
    package struct Greeting: Sendable {
        /// The file of the hello, which is sent once the file is durable; the answer sets its clock. Other calls keep
        /// no file open.
        package var file: SyncedFile
        package var hello: Hello
        /// The version of the file that the hello describes.
        package var fileVersion: UInt64
        /// What the conversation has to know of the hello when it is answered.
        package var said: Conversation.Greeting
    }

    /// The hello that begins a session.
    package func greeting() throws -> Greeting {
        try submitAwaited()
        comparison.withLock { $0 = nil }
        return try reading { transaction in
            let state = try replica.state(in: transaction)
            spokenFor.withLock { $0 = state.client }
            let subscriptions = SubscriptionTree(transaction)
            let newest = try subscriptions.newest()
            let held = try subscriptions.queries(state.querySet)
            // A set that was refused is not asked for again: the session goes on with the one held.
            let wanted: QuerySet =
                if case .error = newest.state { held } else { newest.querySet }
            let staged = StagingTree(transaction).staged()
            let view = try staged?.view(subscriptions.queries)
            let openings = try replica.openings(in: transaction)
            let hello = Hello(
                client: state.client, protocolVersions: WireProtocol.versions,
                schema: transaction.schema.withoutNestedCollections,
                checkpoint: Checkpoint(
                    epoch: state.epoch, version: state.version, querySet: state.querySet,
                    acknowledged: state.acknowledged, incarnation: state.incarnation, permissions: state.permissions,
                    schema: state.schema),
                held: held, wanted: wanted, oldest: try replica.oldestChangeset(in: transaction),
                oldestOneWay: state.acknowledgedOneWay + 1, staged: view, predecessor: state.predecessor,
                opening: replica.opening)
            let said = Conversation.Greeting(
                wanted: newest.version, logged: state.logged, dropped: state.dropped,
                staged: view == nil ? nil : staged, openings: openings.changesets, oneWayOpenings: openings.oneWay)
            return Greeting(file: self, hello: hello, fileVersion: transaction.version, said: said)
        }
    }

    /// Measures the difference between the server's clock and ours.
    ///
    /// - Parameters:
    ///   - localTime: `wallClock` when the answer arrived.
    ///   - roundTrip: how many milliseconds the answer took.
    package func observe(_ welcome: Welcome, localTime: UInt64, roundTrip: UInt64) {
        replica.observe(serverTime: welcome.serverTime, localTime: localTime, roundTrip: roundTrip)
    }

    // MARK: - What leaves

    func pending(
        after sequence: UInt64, limitBytes: Int, operationsMax: Int
    ) throws -> (changesets: [Changeset], sizeBytes: Int) {
        try reading {
            try replica.pendingBatch(
                in: $0, after: sequence, limitBytes: limitBytes, operationsMax: operationsMax)
        }
    }

    func pendingOneWay(
        after number: UInt64, limitBytes: Int, operationsMax: Int
    ) throws -> (batch: IngestBatch, sizeBytes: Int)? {
        try reading { transaction in
            let pending = try replica.pendingOneWay(
                in: transaction, after: number, limitBytes: limitBytes, operationsMax: operationsMax)
            guard let pending else { return nil }
            let client = try replica.state(in: transaction).client
            let batch = IngestBatch(
                client: client, first: pending.first, entries: pending.entries, opening: pending.opening)
            return (batch, pending.sizeBytes)
        }
    }

    // MARK: - Resync

    /// The digests of what the file holds, for a resync. Those of a class are kept from question to question: nothing
    /// that the app does changes them before the change arrives that ends the resync.
    package func digests(_ question: DigestQuestion) throws -> [DigestReport] {
        try reading { transaction in
            // One piece of work of the file is done at a time, so the lock is never waited for.
            try comparison.withLock { kept in
                if kept?.seed != question.seed || kept?.acknowledged != question.acknowledged || question.number == 1 {
                    kept = replica.digests(seed: question.seed, acknowledged: question.acknowledged)
                }
                return try question.asks.map { try kept?.report(on: $0, in: transaction) ?? .objects([]) }
            }
        }
    }

    /// Whether these changes end a resync that was necessary because the server did not know the file's past, and not
    /// for other permissions or classes.
    package func isReset(by changes: [ViewChange]) throws -> Bool {
        guard let checkpoint = changes.first?.checkpoint, comparison.withLock({ $0 != nil }) else { return false }
        let state = try reading { try replica.state(in: $0) }
        return state.permissions == checkpoint.permissions && state.schema == checkpoint.schema
    }
}
