import CausewayMerge
import CausewayObjectStore
import CausewayOperations
package import CausewayOpLog
package import CausewaySync
import CausewayWire
import Synchronization

extension SyncedFile {
    /// A change acknowledges what another copy of the file sent, or is about another client than the file's.
    struct ChangeOfCopy: Error {}

    /// The result of applying view changes.
    package struct Applied: Sendable {
        /// The last upload that the file now knows to be included.
        package var acknowledged: UInt64 = 0
        /// What the server refused of the uploads, as it is in the quarantine.
        package var refused: [QuarantinedChange] = []
    }

    /// Applies complete view changes, all of them in one transaction together with the last one's checkpoint.
    ///
    /// - Throws: `ChangeOfCopy` or `UnfittingChange`, with nothing applied.
    package func apply(_ changes: [ViewChange]) throws -> Applied {
        comparison.withLock { $0 = nil }
        let applied = try write(changes)
        try submitAwaited()
        return applied
    }

    private func write(_ changes: [ViewChange]) throws -> Applied {
        try writing(Self.repeatable) { transaction in
            let staging = StagingTree(transaction)
            let subscriptions = SubscriptionTree(transaction)
            var applied = Applied()
            if try speaksForAnother(in: transaction) { throw ChangeOfCopy() }
            for change in changes {
                let checkpoint = change.checkpoint
                let cut = change.partsSpilled > 0 ? staging.staged()?.segments(before: change) ?? [] : []
                var next = 0
                for segment in cut + [.init(end: change.partsSpilled, checkpoint: checkpoint)] {
                    let isOfCopy = try replica.isOfCopy(
                        acknowledged: segment.checkpoint.acknowledged, by: segment.checkpoint.opening, in: transaction)
                    if isOfCopy { throw ChangeOfCopy() }
                    let application = try replica.beginApplying(
                        acknowledged: segment.checkpoint.acknowledged, in: transaction, now: wallClock)
                    for number in next..<segment.end {
                        try Self.apply(try Self.staged(number, in: staging), to: application)
                    }
                    next = segment.end
                    if segment.checkpoint == checkpoint {
                        for part in change.parts { try Self.apply(part, to: application) }
                    }
                    try application.finish(segment.checkpoint)
                    applied.acknowledged = application.acknowledged
                    applied.refused += application.quarantined
                }
                try subscriptions.reached(checkpoint.querySet)
            }
            // Parts left of an earlier change begin at a checkpoint that is past.
            if !staging.isEmpty { staging.clear() }
            return applied
        }
    }

    private static func apply(_ part: ViewChunk, to application: ViewApplication) throws {
        application.refuse(part.refused)
        for change in part.entered { try application.enter(change.object, change.state) }
        for run in part.enteredRuns { try application.enter(run) }
        for change in part.updated { try application.update(change.object, change.state, change.changes) }
        for leave in part.left { try application.leave(leave.object) }
        for end in part.deleted { try application.delete(end.object, life: end.life) }
    }

    /// Moves parts of an unfinished change out of memory.
    func stage(_ parts: [ViewChunk], from first: Int) throws {
        try writing(Self.repeatable) { transaction in
            let staging = StagingTree(transaction)
            if first == 0 { staging.clear() }
            var staged = staging.staged()
            for (offset, part) in parts.enumerated() {
                staging.put(WireCodec.encode(DownloadMessage.changes(part)), number: first + offset)
                staged = StagedChange.adding(part, number: first + offset, to: staged)
            }
            if let staged { staging.put(staged) }
        }
    }

    private static func staged(_ number: Int, in staging: StagingTree) throws -> ViewChunk {
        guard let bytes = staging.part(number),
            case .changes(let part) = try WireCodec.decode(DownloadMessage.self, body: bytes)
        else {
            throw SyncFailure(.frameDamaged, "Part \(number) of a staged change is missing from the file.")
        }
        return part
    }

    /// Makes the next session compare the file with the server. Staged parts may be what does not fit.
    func compareWithServer() throws {
        try writing { transaction in
            StagingTree(transaction).clear()
            try replica.compareView(in: transaction)
        }
    }

    func dropOneWay(through number: UInt64) throws {
        guard try reading({ try replica.state(in: $0).acknowledgedOneWay < number }) else { return }
        try writing(Self.repeatable) { transaction in
            if try speaksForAnother(in: transaction) { return }
            try replica.acknowledgeOneWay(through: number, in: transaction)
        }
    }

    /// Whether the file has another client by now than the session: another program has begun again with it. What the
    /// server says is about the numbers of the old client.
    private func speaksForAnother(in transaction: Transaction) throws -> Bool {
        guard let client = spokenFor.withLock({ $0 }) else { return false }
        return try replica.state(in: transaction).client != client
    }

    /// Makes the changesets after this one, which the server has lost, pending again.
    func refill(after committed: UInt64) throws {
        try writing { transaction in
            StagingTree(transaction).clear()
            try replica.refill(after: committed, in: transaction)
        }
    }

    /// Makes the file go on as another client, with what it made after a changeset and a one-way entry. What was
    /// refused up to there is set aside.
    func beginAgain(after agreed: Conversation.Logged, refused: [OperationRefusal]) throws -> (
        passed: Conversation.Logged, logged: Conversation.Logged, refused: [QuarantinedChange]
    ) {
        comparison.withLock { $0 = nil }
        return try writing { transaction in
            StagingTree(transaction).clear()
            let begun = try replica.beginAgain(
                after: agreed.changesets, oneWay: agreed.oneWay, as: newClient(),
                refused: refused, in: transaction, now: wallClock)
            return (
                Conversation.Logged(changesets: begun.passed.changesets, oneWay: begun.passed.oneWay),
                Conversation.Logged(changesets: begun.changesets, oneWay: begun.oneWay), begun.quarantined
            )
        }
    }
}

extension ViewApplication {
    fileprivate func finish(_ checkpoint: Checkpoint) throws {
        try finish(
            epoch: checkpoint.epoch, version: checkpoint.version, querySet: checkpoint.querySet,
            incarnation: checkpoint.incarnation, permissions: checkpoint.permissions, schema: checkpoint.schema)
    }
}
