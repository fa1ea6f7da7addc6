import CausewayEnvironment
import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayOperations
import CausewayStorage
import CausewaySync
import CausewayWire
import Foundation
import Synchronization

/// What synchronisation reads and writes in one file, each call in a transaction of its own.
///
/// Every call blocks for the disk; those that write wait for the file's writer too.
final class SyncedFile: Sendable {
    let store: ObjectStore
    let replica: Replica
    /// What the questions of one resync have in common; nil outside of one.
    private let comparison = Mutex<ReplicaDigests?>(nil)
    /// The client that the session of now was opened for.
    private let spokenFor = Mutex<ClientID?>(nil)

    /// Makes the file a synchronised one, of this user and app, if it is not yet.
    init(_ store: ObjectStore, userID: String, appID: String) throws {
        self.store = store
        do {
            let reading = try store.read()
            defer { reading.end() }
            let presence = try Replica.presence(in: reading)
            if presence == .complete || presence == .older {
                try Self.checkOwner(of: reading, userID: userID, appID: appID)
            }
            if presence == .complete {
                replica = try Replica.open(in: reading, newClient: .nobody, opening: SystemRandom().nextNonZero())
                return
            }
            let isUsed = reading.tables.contains { $0.count > 0 }
            if isUsed, presence == .none {
                throw Realm.Error(
                    .incompatibleHistories,
                    "The file '\(store.path)' holds objects of a local Realm, which no server knows of. Open it without "
                        + "a sync configuration and copy the objects into a synchronised Realm of another file.")
            }
            let writing = try store.write()
            defer { writing.end() }
            // Zero is no client: the number tells devices apart for ever.
            replica = try Replica.open(
                in: writing, newClient: ClientID(SystemRandom().nextNonZero()), opening: SystemRandom().nextNonZero())
            Self.ownerTree(writing).put(Self.ownerKey, Self.owner(userID: userID, appID: appID))
            // A file without a client gets another one. Mostly the classes follow at once, and one sync serves both.
            _ = try writing.commit(.grouped(within: .milliseconds(10)))
        } catch let error as StoreError {
            throw Realm.Error(error, fileURL: URL(fileURLWithPath: store.path))
        }
    }

    // MARK: - Whose file it is

    private static let ownerKey: [UInt8] = [0]

    private static func ownerTree(_ transaction: Transaction) -> Tree {
        transaction.tree("sync.owner")
    }

    private static func owner(userID: String, appID: String) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(string: appID)
        writer.write(string: userID)
        return writer.bytes
    }

    static func removeOwner(in transaction: Transaction) {
        ownerTree(transaction).removeRange()
    }

    private static func checkOwner(of transaction: Transaction, userID: String, appID: String) throws {
        guard ownerTree(transaction).get(ownerKey) == owner(userID: userID, appID: appID) else {
            throw Realm.Error(
                .incompatibleSession,
                "The file '\(transaction.store.path)' belongs to another user or app. Give every user and app a file "
                    + "of its own.")
        }
    }

    // MARK: - Reading

    private func reading<R>(_ body: (Transaction) throws -> R) throws -> R {
        try DamageReporting.throwing {
            let transaction = try store.read()
            defer { transaction.end() }
            let result = try body(transaction)
            try transaction.throwDamage()
            return result
        }
    }

    func conversation(limits: ConversationLimits) throws -> Conversation {
        try reading { transaction in
            let state = try replica.state(in: transaction)
            return Conversation(
                limits: limits, logged: state.logged, dropped: state.dropped,
                queriesWanted: try SubscriptionTree(transaction).newest().version)
        }
    }

    /// Where the logs end, and what the classes are.
    func standing() throws -> (logged: Conversation.Logged, schema: StoredSchema) {
        try reading { (try replica.state(in: $0).logged, $0.schema.withoutNestedCollections) }
    }

    struct Greeting {
        var hello: Hello
        /// The version of the file that says so.
        var fileVersion: UInt64
        var wantedVersion: UInt64
        var logged: Conversation.Logged
        var dropped: Conversation.Logged
        var staged: StagedChange?
        var openings: Openings
        var oneWayOpenings: Openings
    }

    /// What to say at the beginning of a session.
    func greeting() throws -> Greeting {
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
            return Greeting(
                hello: hello, fileVersion: transaction.version, wantedVersion: newest.version, logged: state.logged,
                dropped: state.dropped, staged: view == nil ? nil : staged, openings: openings.changesets,
                oneWayOpenings: openings.oneWay)
        }
    }

    /// Whether no checkpoint of a server has been reached yet.
    func hasNeverDownloaded() throws -> Bool {
        try reading { try replica.state(in: $0).epoch == 0 }
    }

    /// Whether the server has everything that was written here, and the file knows.
    func isSettled() throws -> Bool {
        try reading { try replica.state(in: $0).isSettled }
    }

    func subscriptions() throws -> SubscriptionSetRecord {
        try reading { try SubscriptionTree($0).newest() }
    }

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

    /// What the file holds, for a resync. The digests of a class are kept from question to question: until the change
    /// that ends the resync arrives, nothing that the app does touches them.
    func digests(_ question: DigestQuestion) throws -> [DigestReport] {
        try reading { transaction in
            // Only the driver's file queue comes here, so the lock is never waited for.
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
    func isReset(by changes: [ViewChange]) throws -> Bool {
        guard let checkpoint = changes.first?.checkpoint, comparison.withLock({ $0 != nil }) else { return false }
        let state = try reading { try replica.state(in: $0) }
        return state.permissions == checkpoint.permissions && state.schema == checkpoint.schema
    }

    /// Measures the difference between the server's clock and ours.
    func observe(serverTime: UInt64, localTime: UInt64, roundTrip: UInt64) {
        replica.observe(serverTime: serverTime, localTime: localTime, roundTrip: roundTrip)
    }

    /// Milliseconds since 1970.
    static var wallClock: UInt64 { SystemClock().now() }

    // MARK: - Writing

    /// For what the server says again to a device that has lost it: nobody waits until it is on the disk. What the app
    /// writes afterwards takes it along, and a hello waits for it.
    private static let repeatable = Durability.grouped(within: .milliseconds(100))

    private func writing<R>(_ durability: Durability = .durable, _ body: (Transaction) throws -> R) throws -> R {
        try DamageReporting.throwing {
            let transaction = try store.write()
            defer { transaction.end() }
            do {
                let result = try body(transaction)
                _ = try transaction.commit(durability)
                return result
            } catch {
                if transaction.isWritable { transaction.abort() }
                throw error
            }
        }
    }

    /// A change acknowledges what another copy of the file sent, or is about another client than the file's.
    struct ChangeOfCopy: Error {}

    /// Applies complete view changes, all of them in one transaction together with the last one's checkpoint. Returns
    /// the last upload that the file now knows to be included, and what the server refused of the uploads.
    ///
    /// - Throws: `ChangeOfCopy`, with nothing applied.
    func apply(_ changes: [ViewChange]) throws -> (acknowledged: UInt64, refused: [QuarantinedChange]) {
        comparison.withLock { $0 = nil }
        let outcome = try write(changes)
        try submitAwaited()
        return outcome
    }

    private func write(_ changes: [ViewChange]) throws -> (acknowledged: UInt64, refused: [QuarantinedChange]) {
        try writing(Self.repeatable) { transaction in
            let staging = StagingTree(transaction)
            let subscriptions = SubscriptionTree(transaction)
            var acknowledged: UInt64 = 0
            var refused: [QuarantinedChange] = []
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
                        acknowledged: segment.checkpoint.acknowledged, in: transaction, now: Self.wallClock)
                    for number in next..<segment.end {
                        try Self.apply(try Self.staged(number, in: staging), to: application)
                    }
                    next = segment.end
                    if segment.checkpoint == checkpoint {
                        for part in change.parts { try Self.apply(part, to: application) }
                    }
                    try application.finish(segment.checkpoint)
                    acknowledged = application.acknowledged
                    refused += application.quarantined
                }
                try subscriptions.reached(checkpoint.querySet)
            }
            // What is left of an earlier change leads on from a checkpoint that is past.
            if !staging.isEmpty { staging.clear() }
            return (acknowledged, refused)
        }
    }

    private static func apply(_ part: ViewChunk, to application: ViewApplication) throws {
        application.refuse(part.refused.map(RefusedOperation.init))
        for change in part.entered { try application.enter(change.object, change.state) }
        for run in part.enteredRuns { try application.enter(run) }
        for change in part.updated { try application.update(change.object, change.state) }
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

    /// Returns when a power loss cannot take this version of the file any more. The server forgets what a device says it
    /// has, such as why a write was refused: so no hello is said before.
    func whenDurable(_ version: UInt64) async throws(TransportFailure) {
        do throws(StoreError) {
            try await store.whenDurable(version)
        } catch {
            throw .unusable(error.message)
        }
    }

    func dropOneWay(through number: UInt64) throws {
        guard try reading({ try replica.state(in: $0).acknowledgedOneWay < number }) else { return }
        try writing(Self.repeatable) { transaction in
            if try speaksForAnother(in: transaction) { return }
            try replica.acknowledgeOneWay(through: number, in: transaction)
        }
    }

    /// Whether the file goes on as another client than the session speaks for: another program has begun again with it.
    /// What the server says of the old client's numbers is not about this one's.
    private func speaksForAnother(in transaction: Transaction) throws -> Bool {
        guard let client = spokenFor.withLock({ $0 }) else { return false }
        return try replica.state(in: transaction).client != client
    }

    /// What the server lost of the changesets after this one is pending again.
    func refill(after committed: UInt64) throws {
        try writing { transaction in
            StagingTree(transaction).clear()
            try replica.refill(after: committed, in: transaction)
        }
    }

    /// The file goes on as another client, with what it made after a changeset and a one-way entry. What was refused up to
    /// there is set aside.
    func beginAgain(after agreed: Conversation.Logged, refused: [OperationRefusal]) throws -> (
        passed: Conversation.Logged, logged: Conversation.Logged, refused: [QuarantinedChange]
    ) {
        comparison.withLock { $0 = nil }
        return try writing { transaction in
            StagingTree(transaction).clear()
            let begun = try replica.beginAgain(
                after: agreed.changesets, oneWay: agreed.oneWay, as: ClientID(SystemRandom().nextNonZero()),
                refused: refused.map(RefusedOperation.init), in: transaction, now: Self.wallClock)
            return (
                Conversation.Logged(changesets: begun.passed.changesets, oneWay: begun.passed.oneWay),
                Conversation.Logged(changesets: begun.changesets, oneWay: begun.oneWay), begun.quarantined
            )
        }
    }

    // MARK: - What the server refused

    /// Moves what the server takes in no form to the quarantine.
    func setAside(_ refused: Conversation.Refused) throws -> [QuarantinedChange] {
        try writing { transaction in
            let now = Self.wallClock
            switch refused {
            case .changeset(let number, let failure):
                return try replica.setAside(
                    number, code: failure.code.rawValue, reason: failure.message, in: transaction, now: now)
            case .oneWay(let number, let failure):
                return try replica.setAsideOneWay(
                    number, code: failure.code.rawValue, reason: failure.message, in: transaction, now: now)
            case .oneWayOperations(let refusals):
                return try replica.setAsideOneWay(refusals.map(RefusedOperation.init), in: transaction, now: now)
            }
        }
    }

    func quarantined() throws -> [QuarantinedChange] {
        try reading { try Replica.quarantined(in: $0) }
    }

    func submitQuarantined(_ number: UInt64) throws -> Bool {
        try writing { try replica.submitQuarantined(number, in: $0, now: Self.wallClock) }
    }

    /// What was refused because the server lacked an object, and whose objects have come.
    private func submitAwaited() throws {
        let code = SyncFailure.Code.objectUnknown.rawValue
        for number in try reading({ try Replica.quarantined(withCode: code, becameApplicableIn: $0) }) {
            _ = try submitQuarantined(number)
        }
    }

    func dropQuarantined(_ number: UInt64) throws {
        try writing { Replica.dropQuarantined(number, in: $0) }
    }

    func refuseQueries(_ version: UInt64, _ message: String) throws {
        _ = try writing { try SubscriptionTree($0).refused(version, message) }
    }

    // MARK: - Errors

    /// Cause and remedy of whatever a call above threw.
    static func message(of error: any Error) -> String {
        switch error {
        case let error as StoreError: error.message
        case let error as Realm.Error: error.message
        case let error as SyncFailure: error.message
        case let error as EncodingError: error.message
        default: "\(error)"
        }
    }
}

extension RefusedOperation {
    init(_ refusal: OperationRefusal) {
        self.init(
            sequence: refusal.sequence, operation: refusal.operation, code: refusal.failure.code.rawValue,
            reason: refusal.failure.message)
    }
}

extension ViewApplication {
    fileprivate func finish(_ checkpoint: Checkpoint) throws {
        try finish(
            epoch: checkpoint.epoch, version: checkpoint.version, querySet: checkpoint.querySet,
            incarnation: checkpoint.incarnation, permissions: checkpoint.permissions, schema: checkpoint.schema)
    }
}

extension ReplicaState {
    var logged: Conversation.Logged {
        .init(changesets: lastSequence, oneWay: lastOneWay)
    }

    var dropped: Conversation.Logged {
        .init(changesets: acknowledged, oneWay: acknowledgedOneWay)
    }
}
