package import CausewayModel
package import CausewayOperations

/// The server's record of one database: merges what devices did, commits it exactly once, reads it back.
///
/// Every call blocks until it is done, so callers bring a thread of their own. Nothing in here knows a clock: the time
/// at which something was received is an argument, and one order of calls always gives one outcome.
package protocol StoreBackend: Sendable {
    /// Names one life of the database; drawn when it is created.
    var epoch: UInt64 { get }

    /// The newest commit.
    var version: ServerVersion { get }

    /// Registers a client as a device of `user`, and returns how far it got. Refuses a client of another user.
    ///
    /// - Parameter standing: what the device still has. A record restored from an older copy may lack entries that the
    ///   device cannot send any more. The record's numbers skip them, so that the next ones leave no gap.
    func register(_ client: ClientID, user: String, standing: DeviceStanding) throws(StoreFailure) -> ClientRecord

    /// Adds the classes and properties that are new, and returns them. Refuses a schema that contradicts the database; the
    /// message then lists every difference. Refuses more additions than `SchemaBounds` allows.
    ///
    /// - Parameter declarer: whose share the additions count against; nil for the server's own program, which has no
    ///   share.
    @discardableResult
    func extendSchema(_ wanted: Schema, by declarer: Declarer?) throws(StoreFailure) -> SchemaAdditions

    /// Checks the schema of a device that may not add to it: refuses classes or properties that do not exist, and the
    /// message then lists them. Writes only when the classes and properties were last declared, once a day.
    func requireSchema(_ wanted: Schema, by declarer: Declarer?) throws(StoreFailure)

    /// Merges and commits batches of several clients in one durable transaction, each as a version of its own.
    ///
    /// Exactly once by client and sequence [I2]: what was applied before is skipped and answered the same. A batch that
    /// cannot be applied to its end carries its failure in its outcome and costs no other batch anything. An operation
    /// that is refused for good costs only itself. Its refusal is kept until the device confirms it at its next
    /// `register`. The number that is kept for a client is bounded: beyond it the client's next changeset fails with
    /// `refusalsUnread`. Throws only when nothing at all was committed.
    func commit(_ batches: [UploadBatch], receivedAt time: UInt64) throws(StoreFailure) -> [CommitOutcome]

    /// Keeps one-way entries, exactly once and in order; returns the last entry kept. Fails with `sequenceGap` where
    /// another copy of the client's file has already made an entry with one of these numbers.
    func ingest(_ batch: OneWayBatch, receivedAt time: UInt64) throws(StoreFailure) -> UInt64

    /// A snapshot of the newest committed state. Used by one thread at a time.
    func snapshot() throws(StoreFailure) -> any StoreSnapshot
}

/// Accepts one-way objects. The record accepts them without checks; `Ingest` puts its checks and bounds in front.
package protocol OneWayIntake: Sendable {
    func accept(_ batch: OneWayBatch, receivedAt time: UInt64) throws(StoreFailure) -> UInt64
}

extension StoreBackend {
    package func register(_ client: ClientID, user: String) throws(StoreFailure) -> ClientRecord {
        try register(client, user: user, standing: DeviceStanding())
    }

    package func extendSchema(_ wanted: Schema) throws(StoreFailure) { try extendSchema(wanted, by: nil) }

    package func requireSchema(_ wanted: Schema) throws(StoreFailure) { try requireSchema(wanted, by: nil) }
}

/// How far a client's uploads and one-way entries got.
package struct ClientRecord: Hashable, Sendable {
    package var committed: UInt64
    package var ingested: UInt64
    /// How many changesets up to `committed` this record lost and the device cannot send again.
    package var skipped: UInt64
    /// Which openings of the client's file made the committed changesets.
    package var openings: Openings
    /// Which openings of the client's file made the ingested entries.
    package var oneWayOpenings: Openings

    package init(
        committed: UInt64, ingested: UInt64, skipped: UInt64 = 0, openings: Openings = Openings(),
        oneWayOpenings: Openings = Openings()
    ) {
        self.openings = openings
        self.oneWayOpenings = oneWayOpenings
        self.committed = committed
        self.ingested = ingested
        self.skipped = skipped
    }
}

/// What a device has of its own logs when it says hello.
package struct DeviceStanding: Hashable, Sendable {
    /// The oldest changeset and one-way entry that it can still send; zero when it does not say.
    package var oldest: UInt64
    package var oldestOneWay: UInt64
    /// The last changeset whose outcome it has stored.
    package var acknowledged: UInt64
    /// The client that the file was before it was found to be a copy; nobody when it is no copy.
    package var predecessor: ClientID

    package init(
        oldest: UInt64 = 0, oldestOneWay: UInt64 = 0, acknowledged: UInt64 = 0, predecessor: ClientID = .nobody
    ) {
        self.predecessor = predecessor
        self.oldest = oldest
        self.oldestOneWay = oldestOneWay
        self.acknowledged = acknowledged
    }
}

/// Changesets of one client in the order of their sequence: what one upload carries.
package struct UploadBatch: Hashable, Sendable {
    package var client: ClientID
    package var user: String
    /// What the user may write; nil is everything.
    package var permissions: Permissions?
    package var changesets: [Changeset]
    /// Set for the one changeset of a call of a back end; see `CallTerms`.
    package var call: CallTerms?

    package init(
        client: ClientID, user: String, permissions: Permissions? = nil, changesets: [Changeset],
        call: CallTerms? = nil
    ) {
        self.client = client
        self.user = user
        self.permissions = permissions
        self.changesets = changesets
        self.call = call
    }
}

package struct CommitOutcome: Hashable, Sendable {
    /// The client's last committed changeset, from this batch or an earlier one.
    package var committed: UInt64
    /// The newest version that includes it.
    package var version: ServerVersion
    /// Why the changeset after `committed` was not applied.
    package var failure: StoreFailure?
    /// What an earlier call with the same key has committed: this one was not applied again.
    package var receipt: CallReceipt?
    /// What became of the operations that this commit was the first to see.
    package var tally = CommitTally()

    package init(
        committed: UInt64, version: ServerVersion, failure: StoreFailure? = nil, receipt: CallReceipt? = nil
    ) {
        self.committed = committed
        self.version = version
        self.failure = failure
        self.receipt = receipt
    }
}

/// One-way entries of one client, numbered without gaps from `first`.
package struct OneWayBatch: Hashable, Sendable {
    package var client: ClientID
    package var user: String
    /// What the user may create; nil is everything.
    package var permissions: Permissions?
    package var first: UInt64
    /// Each entry is one transaction's creates, in order.
    package var entries: [[Operation]]
    /// The opening of the client's file that made all of them; zero when nobody knows.
    package var opening: UInt64

    package init(
        client: ClientID, user: String, permissions: Permissions? = nil, first: UInt64, entries: [[Operation]],
        opening: UInt64 = 0
    ) {
        self.opening = opening
        self.client = client
        self.user = user
        self.permissions = permissions
        self.first = first
        self.entries = entries
    }
}
