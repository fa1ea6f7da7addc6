package import CausewayMerge
package import CausewayModel
package import CausewayOperations

/// How far a device has synced. The device commits it together with the data that it describes.
package struct Checkpoint: Hashable, Sendable {
    /// Identifies the server's database. Restoring the server from a copy keeps it.
    package var epoch: UInt64
    package var version: ServerVersion
    /// The query set whose content the device holds.
    package var querySet: UInt64
    /// The last upload of this device that the version includes.
    package var acknowledged: UInt64
    /// The server's run in which the version was committed; zero before the first. It shows a server restored from an
    /// older copy that it never made this version, though it may have made another version of the same number.
    package var incarnation: UInt64
    /// Identifies the permissions under which the view was made; zero where everything may be read.
    package var permissions: UInt64
    /// Identifies the schema that the device had declared when the view was made; zero when unknown.
    package var schema: UInt64
    /// The opening of the device's file that made the changeset `acknowledged`, according to the server; zero when
    /// unknown. It shows a device that was mistaken for another copy of its file that the changeset is not its own.
    package var opening: UInt64

    package init(
        epoch: UInt64, version: ServerVersion, querySet: UInt64, acknowledged: UInt64, incarnation: UInt64 = 0,
        permissions: UInt64 = 0, schema: UInt64 = 0, opening: UInt64 = 0
    ) {
        self.epoch = epoch
        self.opening = opening
        self.schema = schema
        self.incarnation = incarnation
        self.version = version
        self.querySet = querySet
        self.acknowledged = acknowledged
        self.permissions = permissions
    }

    package static let nothing = Checkpoint(epoch: 0, version: .zero, querySet: 0, acknowledged: 0)

    /// Whether it belongs to no database yet. It need not equal `nothing`: a file that went on as another client before
    /// its first checkpoint also notes that its view must be compared.
    package var isBeforeFirst: Bool { epoch == 0 && version == .zero }
}

/// The standing queries of one device. A device holds the union of what they match.
package struct QuerySet: Hashable, Sendable {
    package var version: UInt64
    package var queries: [StandingQuery]

    package init(version: UInt64, queries: [StandingQuery]) {
        self.version = version
        self.queries = queries
    }

    package static let empty = QuerySet(version: 0, queries: [])
}

package struct StandingQuery: Hashable, Sendable {
    package var className: String
    /// The predicate in the grammar of `Query/GRAMMAR.md`, with its values as literals.
    package var predicate: String

    package init(className: String, predicate: String) {
        self.className = className
        self.predicate = predicate
    }

    /// Compares bytes: a query for another Unicode spelling of a text is another query.
    package static func == (left: StandingQuery, right: StandingQuery) -> Bool {
        left.className.isSame(as: right.className) && left.predicate.isSame(as: right.predicate)
    }

    package func hash(into hasher: inout Hasher) {
        className.hashBytes(into: &hasher)
        predicate.hashBytes(into: &hasher)
    }
}

/// Device to server, opens a session: `POST /v1/{database}/session`.
package struct Hello: Hashable, Sendable {
    package var client: ClientID
    package var protocolVersions: ClosedRange<UInt32>
    package var schema: Schema
    package var checkpoint: Checkpoint
    /// The client whose id the file had before it was found to be a copy; `nobody` when it is no copy.
    package var predecessor: ClientID
    /// The queries of `checkpoint.querySet`, whose objects the device holds now.
    package var held: QuerySet
    /// The queries that the device wants from now on; the same as `held` when nothing changed.
    package var wanted: QuerySet
    /// The oldest changeset and the oldest one-way entry that the device can still send; zero when it does not say.
    package var oldest: UInt64
    package var oldestOneWay: UInt64
    /// The part of a cut view change that the device keeps; nil when there is none.
    package var staged: StagedView?
    /// The current opening of the device's file; zero when the device does not say.
    package var opening: UInt64

    package init(
        client: ClientID, protocolVersions: ClosedRange<UInt32>, schema: Schema, checkpoint: Checkpoint,
        held: QuerySet, wanted: QuerySet, oldest: UInt64 = 0, oldestOneWay: UInt64 = 0, staged: StagedView? = nil,
        predecessor: ClientID = .nobody, opening: UInt64 = 0
    ) {
        self.opening = opening
        self.staged = staged
        self.predecessor = predecessor
        self.client = client
        self.protocolVersions = protocolVersions
        self.schema = schema
        self.checkpoint = checkpoint
        self.held = held
        self.wanted = wanted
        self.oldest = oldest
        self.oldestOneWay = oldestOneWay
    }
}

/// The server's answer to hello.
package struct Welcome: Hashable, Sendable {
    package var session: UInt64
    package var protocolVersion: UInt32
    package var epoch: UInt64
    /// The server's clock in milliseconds since 1970, so that the device can measure its offset.
    package var serverTime: UInt64
    package var limits: SessionLimits
    /// The last changeset of this client that the server has committed. The device need not send it, nor any before it.
    package var committed: UInt64
    /// The last one-way entry of this client the server has committed.
    package var ingested: UInt64
    /// How many changesets up to `committed` the server has lost and the device cannot send again.
    package var skipped: UInt64
    /// The openings of the device's file that made the committed changesets.
    package var openings: Openings
    /// The openings that made the ingested one-way entries.
    package var oneWayOpenings: Openings
    /// Whether another copy of the file is online as the same client. Then no session is opened.
    package var isCopied: Bool
    /// The operations refused in changesets after the one that the hello acknowledged. The download of a session has
    /// them too, but not for a device that goes on as another client. At most `refusedBytesMax` (half of an envelope):
    /// the first.
    package var refused: [OperationRefusal]
    /// Each refusal counts as its message and `refusedBytesEach`.
    package static let refusedBytesMax = 1 << 19
    package static let refusedBytesEach = 32
    /// Whether the first change of the download resumes behind the staged part in the hello.
    package var resumes: Bool

    package init(
        session: UInt64, protocolVersion: UInt32, epoch: UInt64, serverTime: UInt64, limits: SessionLimits,
        committed: UInt64, ingested: UInt64, skipped: UInt64 = 0, resumes: Bool = false,
        openings: Openings = Openings(), oneWayOpenings: Openings = Openings(), isCopied: Bool = false,
        refused: [OperationRefusal] = []
    ) {
        self.refused = refused
        self.resumes = resumes
        self.isCopied = isCopied
        self.openings = openings
        self.oneWayOpenings = oneWayOpenings
        self.session = session
        self.protocolVersion = protocolVersion
        self.epoch = epoch
        self.serverTime = serverTime
        self.limits = limits
        self.committed = committed
        self.ingested = ingested
        self.skipped = skipped
    }
}

package struct SessionLimits: Hashable, Sendable {
    /// The largest payload of a frame, after decompression.
    package var frameBytes: UInt64
    /// How far the server sends ahead of what the device has consumed.
    package var creditBytes: UInt64
    package var heartbeatMilliseconds: UInt64
    /// The most operations in one upload or one-way batch. In this and the next two limits, zero: the server does not
    /// say.
    package var operations: UInt64
    /// A transaction with more refused operations than this is not applied at all.
    package var refusals: UInt64
    /// The most terms in all standing queries of a device together, see `Predicate.termCount`.
    package var queryTerms: UInt64
    /// How many classes and properties the database may have, and how many of them one user may have added. Zero: the
    /// server does not say.
    package var schemaClasses: UInt64
    package var schemaProperties: UInt64
    package var schemaClassesOfUser: UInt64
    package var schemaPropertiesOfUser: UInt64

    package init(
        frameBytes: UInt64, creditBytes: UInt64, heartbeatMilliseconds: UInt64,
        operations: UInt64 = UInt64(FrameLimits.operationsStandard), refusals: UInt64 = 10_000,
        queryTerms: UInt64 = 4_000, schemaClasses: UInt64 = 0, schemaProperties: UInt64 = 0,
        schemaClassesOfUser: UInt64 = 0, schemaPropertiesOfUser: UInt64 = 0
    ) {
        self.frameBytes = frameBytes
        self.creditBytes = creditBytes
        self.heartbeatMilliseconds = heartbeatMilliseconds
        self.operations = operations
        self.refusals = refusals
        self.queryTerms = queryTerms
        self.schemaClasses = schemaClasses
        self.schemaProperties = schemaProperties
        self.schemaClassesOfUser = schemaClassesOfUser
        self.schemaPropertiesOfUser = schemaPropertiesOfUser
    }

    package static let standard = SessionLimits(
        frameBytes: 16 << 20, creditBytes: 1 << 20, heartbeatMilliseconds: 15_000)
}

/// The server's answer to an upload: all changesets up to `committed` are durable there.
package struct UploadAnswer: Hashable, Sendable {
    package var committed: UInt64
    package var failure: SyncFailure?

    package init(committed: UInt64, failure: SyncFailure? = nil) {
        self.committed = committed
        self.failure = failure
    }
}

/// One-way objects of a device, in order: `POST /v1/{database}/ingest`. Entries are numbered without gaps.
package struct IngestBatch: Hashable, Sendable {
    package var client: ClientID
    package var first: UInt64
    /// Each entry is one transaction's creates, in order.
    package var entries: [[Operation]]
    /// The opening of the device's file that made all entries; zero when unknown.
    package var opening: UInt64

    package init(client: ClientID, first: UInt64, entries: [[Operation]], opening: UInt64 = 0) {
        self.client = client
        self.first = first
        self.entries = entries
        self.opening = opening
    }
}

/// Server to device, in the one long response to `POST /v1/{database}/download`.
package enum DownloadMessage: Hashable, Sendable {
    case changes(ViewChunk)
    /// The answer to `POST /v1/{database}/mark`: everything committed before the request has been sent.
    case mark(UInt64)
    case heartbeat(serverTime: UInt64)
    /// The wanted query set cannot be served. The session continues with the held one.
    case queriesRefused(querySet: UInt64, SyncFailure)
    /// The session is over: do what the failure's action says.
    case end(SyncFailure)
    /// A resync asks what the device holds. The device answers with `POST /v1/{database}/resync`.
    case digestsWanted(DigestQuestion)
}

/// A part of the change from one checkpoint of a device to the next. The last part carries the new checkpoint. Nothing
/// of the change is visible on the device before that.
package struct ViewChunk: Hashable, Sendable {
    /// Nil in every part but the last.
    package var checkpoint: Checkpoint?
    /// The number of objects in all parts of this change, for a progress display; zero when unknown.
    package var objectsTotal: UInt64
    /// How many of them are in this part and the parts before it.
    package var objectsDone: UInt64
    /// Where the change can resume if it is cut behind this part; nil where it cannot.
    package var resume: ResumePoint?
    package var entered: [ObjectContent]
    /// Objects that entered after those in `entered`, as columns of many objects alike. None is embedded in another.
    package var enteredRuns: [ObjectRun]
    package var updated: [ObjectContent]
    package var left: [ObjectLeave]
    package var deleted: [ObjectEnd]
    /// Operations of this device that the server will never apply, from changesets that the checkpoint acknowledges.
    package var refused: [OperationRefusal]

    package init(
        checkpoint: Checkpoint? = nil, objectsTotal: UInt64 = 0, objectsDone: UInt64 = 0, resume: ResumePoint? = nil,
        entered: [ObjectContent] = [], enteredRuns: [ObjectRun] = [], updated: [ObjectContent] = [],
        left: [ObjectLeave] = [],
        deleted: [ObjectEnd] = [], refused: [OperationRefusal] = []
    ) {
        self.checkpoint = checkpoint
        self.objectsTotal = objectsTotal
        self.objectsDone = objectsDone
        self.resume = resume
        self.entered = entered
        self.enteredRuns = enteredRuns
        self.updated = updated
        self.left = left
        self.deleted = deleted
        self.refused = refused
    }

    /// The number of objects in this part.
    package var objectCount: Int {
        enteredRuns.reduce(entered.count + updated.count + left.count + deleted.count) { $0 + $1.count }
    }
}

package struct ObjectLeave: Hashable, Sendable {
    package var object: ObjectReference
    package var reason: LeaveReason

    package init(_ object: ObjectReference, _ reason: LeaveReason) {
        self.object = object
        self.reason = reason
    }
}

package enum LeaveReason: UInt8, Hashable, Sendable {
    case query = 1
    case permission = 2
    case unsubscribed = 3
}

package struct ObjectEnd: Hashable, Sendable {
    package var object: ObjectReference
    package var life: UInt32

    package init(_ object: ObjectReference, life: UInt32) {
        self.object = object
        self.life = life
    }
}
