package import CausewayModel
package import CausewayStore

/// One change of a database, as the journal keeps it. Applying the entries in their order is the only way in which a
/// replica changes, so two replicas at one position are equal. `JOURNAL.md` has the bytes.
package struct JournalEntry: Hashable, Sendable {
    /// The oldest software that may apply it. Older software stops serving the database, and never guesses.
    package var oldestGeneration: UInt64
    /// The life of the journal in which it was appended: the run (`Lineage`) of the versions that it makes.
    package var incarnation: UInt64
    package var body: Body

    package init(oldestGeneration: UInt64 = JournalGeneration.first, incarnation: UInt64, body: Body) {
        self.oldestGeneration = oldestGeneration
        self.incarnation = incarnation
        self.body = body
    }

    package enum Body: Hashable, Sendable {
        /// Uploads that are committed together.
        case commit(Commit)
        case ingest(Ingest)
        case register(Registration)
        /// A device declares a schema, and may add to the database's.
        case extendSchema(Declaration)
        /// A device declares a schema that is part of the database's.
        case requireSchema(Declaration)
        /// What the state depends on and operators decide.
        case settings(RecordSettings)
        /// Old history goes, and what was kept for it.
        case maintain(time: UInt64)
        /// From here on entries may need this generation of software.
        case generation(UInt64)
        case act(OperatorAct)
        case keeping(KeepingWork)
    }

    package struct Commit: Hashable, Sendable {
        package var batches: [UploadBatch]
        /// When the node received them, by its clock, in milliseconds since 1970.
        package var time: UInt64
        /// Whether the node had no room for what grows: decided before the entry, because the size of a file is none of
        /// the state.
        package var shortage: StorageShortage?

        package init(batches: [UploadBatch], time: UInt64, shortage: StorageShortage? = nil) {
            self.batches = batches
            self.time = time
            self.shortage = shortage
        }
    }

    package struct Ingest: Hashable, Sendable {
        package var batch: OneWayBatch
        package var time: UInt64

        package init(batch: OneWayBatch, time: UInt64) {
            self.batch = batch
            self.time = time
        }
    }

    package struct Registration: Hashable, Sendable {
        package var client: ClientID
        package var user: String
        package var standing: DeviceStanding

        package init(client: ClientID, user: String, standing: DeviceStanding) {
            self.client = client
            self.user = user
            self.standing = standing
        }
    }

    package struct Declaration: Hashable, Sendable {
        package var wanted: Schema
        /// Nil for the server's own program.
        package var declarer: Declarer?

        package init(wanted: Schema, declarer: Declarer?) {
            self.wanted = wanted
            self.declarer = declarer
        }
    }
}

/// Generations of software, by what they can apply.
package enum JournalGeneration {
    /// The one that every journal begins with.
    package static let first: UInt64 = 1
    /// Of this program. Raised with a change that older software would apply to another state.
    package static let newest: UInt64 = 1
}
