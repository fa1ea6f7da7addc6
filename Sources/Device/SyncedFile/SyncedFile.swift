package import CausewayEnvironment
package import CausewayModel
package import CausewayObjectStore
package import CausewayOpLog
import CausewayOperations
import CausewayStorage
package import CausewaySync
import CausewayWire
import Foundation
import Synchronization

/// What synchronisation reads and writes in one file, each call in a transaction of its own.
///
/// Every call blocks for the disk; those that write wait for the file's writer too. It has no thread and no clock of
/// its own: a driver calls it, with what the conversation asks for (`errands`, `perform`).
package final class SyncedFile: Sendable {
    package let store: ObjectStore
    package let replica: Replica
    private let clock: any WallClock
    private let random: any RandomSource
    private let beforeCommit: (@Sendable (Transaction) throws -> Void)?
    /// The digests that the questions of one resync share; nil outside of one.
    let comparison = Mutex<ReplicaDigests?>(nil)
    /// The client that the current session was opened for.
    let spokenFor = Mutex<ClientID?>(nil)

    /// Makes the file a synchronised one, of this owner, if it is not yet.
    ///
    /// - Parameters:
    ///   - beforeCommit: called before every commit that is made here; what it throws undoes the transaction. For
    ///     tests that have the disk fail.
    /// - Throws: `StoreError`; `Foreign`, with the file as it was.
    package init(
        _ store: ObjectStore, owner: Owner, clock: any WallClock = SystemClock(),
        random: any RandomSource = SystemRandom(), beforeCommit: (@Sendable (Transaction) throws -> Void)? = nil
    ) throws {
        self.store = store
        self.clock = clock
        self.random = random
        self.beforeCommit = beforeCommit
        let reading = try store.read()
        defer { reading.end() }
        let presence = try Replica.presence(in: reading)
        if presence == .complete || presence == .older {
            guard owner.owns(reading) else { throw Foreign.anothersFile }
        }
        if presence == .complete {
            replica = try Replica.open(in: reading, newClient: .nobody, opening: random.nextNonZero())
            return
        }
        let isUsed = reading.tables.contains { $0.count > 0 }
        if isUsed, presence == .none { throw Foreign.localFile }
        let writing = try store.write()
        defer { writing.end() }
        // Zero is no client: the number tells devices apart for ever.
        let client = ClientID(random.nextNonZero())
        replica = try Replica.open(in: writing, newClient: client, opening: random.nextNonZero())
        owner.takes(writing)
        // If this commit is lost, the file gets another client. Mostly the classes follow at once, and one fsync serves
        // both.
        _ = try writing.commit(.grouped(within: .milliseconds(10)))
    }

    /// Why a file cannot be synchronised for somebody.
    package enum Foreign: Error {
        /// It belongs to another user or app.
        case anothersFile
        /// It holds objects that no server knows of.
        case localFile
    }

    /// Milliseconds since 1970, by the device's own clock.
    package var wallClock: UInt64 { clock.now() }

    /// A client that no device has had, drawn at random.
    func newClient() -> ClientID { ClientID(random.nextNonZero()) }

    // MARK: - Transactions

    func reading<R>(_ body: (Transaction) throws -> R) throws -> R {
        try DamageReporting.throwing {
            let transaction = try store.read()
            defer { transaction.end() }
            let result = try body(transaction)
            try transaction.throwDamage()
            return result
        }
    }

    /// The durability of what the server repeats to a device that has lost it: nobody waits until it is on the disk.
    /// What the app writes afterwards takes it along, and a hello waits for it.
    static let repeatable = Durability.grouped(within: .milliseconds(100))

    func writing<R>(_ durability: Durability = .durable, _ body: (Transaction) throws -> R) throws -> R {
        try DamageReporting.throwing {
            let transaction = try store.write()
            defer { transaction.end() }
            do {
                let result = try body(transaction)
                try beforeCommit?(transaction)
                _ = try transaction.commit(durability)
                return result
            } catch {
                if transaction.isWritable { transaction.abort() }
                throw error
            }
        }
    }

    /// Returns once this version of the file survives a power loss. The server forgets what a device says it has, such
    /// as why a write was refused, so no hello is sent before.
    package func whenDurable(_ version: UInt64) async throws(StoreError) { try await store.whenDurable(version) }

    // MARK: - Where it stands

    package func conversation(limits: ConversationLimits) throws -> Conversation {
        try reading { transaction in
            let state = try replica.state(in: transaction)
            return Conversation(
                limits: limits, logged: state.logged, dropped: state.dropped,
                queriesWanted: try SubscriptionTree(transaction).newest().version)
        }
    }

    /// Where the logs end, and what the classes are.
    package func standing() throws -> (logged: Conversation.Logged, schema: Schema) {
        try reading { (try replica.state(in: $0).logged, $0.schema.withoutNestedCollections) }
    }

    /// Whether no checkpoint of a server has been reached yet.
    package func hasNeverDownloaded() throws -> Bool {
        try reading { try replica.state(in: $0).epoch == 0 }
    }

    /// Whether the server has everything that was written here, and the file knows.
    package func isSettled() throws -> Bool {
        try reading { try replica.state(in: $0).isSettled }
    }

    package func subscriptions() throws -> SubscriptionSetRecord {
        try reading { try SubscriptionTree($0).newest() }
    }

    // MARK: - Errors

    /// Cause and remedy of whatever a call threw.
    package static func message(of error: any Error) -> String {
        switch error {
        case let error as StoreError: error.message
        case let error as SyncFailure: error.message
        case let error as EncodingError: error.message
        case let error as any LocalizedError: error.errorDescription ?? "\(error)"
        default: "\(error)"
        }
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
