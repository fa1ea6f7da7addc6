package import CausewayMerge
package import CausewayModel
package import CausewayOperations

/// Where a device stands: committed on it together with the data it describes.
package struct Checkpoint: Hashable, Sendable {
    /// Names the server's database; a restore from a copy leaves it.
    package var epoch: UInt64
    package var version: ServerVersion
    /// The query set whose content the device holds.
    package var querySet: UInt64
    /// The last upload of this device that the version includes.
    package var acknowledged: UInt64
    /// The server's run in which the version was committed: a server restored from an older copy knows by it that it
    /// never made this version, though it may have made another one of the same number. Zero: before the first.
    package var incarnation: UInt64
    /// Names the permissions that the view was made under; zero where everything may be read.
    package var permissions: UInt64
    /// Names the schema that the device had declared when the view was made; zero when nobody has said.
    package var schema: UInt64
    /// The opening of the device's file that made the changeset `acknowledged`, as the server says it; zero when nobody
    /// knows. A device that another copy of its file is taken for learns by it that the changeset is not its own.
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

    /// Whether it is of no database yet. A file that went on as another client before its first checkpoint says more than
    /// `nothing`: that its view is to be compared.
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
    /// In the grammar of `Query/GRAMMAR.md`, with its values written as literals.
    package var predicate: String

    package init(className: String, predicate: String) {
        self.className = className
        self.predicate = predicate
    }

    /// By bytes: a query for another spelling of a text is another query.
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
    /// The client whose name the file had before it was found to be a copy; nobody when it was not.
    package var predecessor: ClientID
    /// The queries of `checkpoint.querySet`: what the device holds now.
    package var held: QuerySet
    /// The queries it wants from now on; the same as `held` when nothing changed.
    package var wanted: QuerySet
    /// The oldest changeset that the device can still send, and the oldest one-way entry; zero when it does not say.
    package var oldest: UInt64
    package var oldestOneWay: UInt64
    /// What the device keeps of a change that was cut.
    package var staged: StagedView?
    /// This opening of the device's file; zero when the device does not say.
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
    /// The last upload of this client the server has committed: what the device need not send again.
    package var committed: UInt64
    /// The last one-way entry of this client the server has committed.
    package var ingested: UInt64
    /// So many changesets up to `committed` the server has lost, and the device cannot send them again.
    package var skipped: UInt64
    /// Which openings of the device's file made what is committed.
    package var openings: Openings
    /// Which openings made the one-way entries that are ingested.
    package var oneWayOpenings: Openings
    /// Whether another copy of the file speaks for the client at the same time. Then there is no session.
    package var isCopied: Bool
    /// What was refused behind the changeset that the hello acknowledged: the download of a session tells it too, but not
    /// to a device that goes on as another client. Of more than `refusedBytesMax`, half of an envelope, the first.
    package var refused: [OperationRefusal]
    /// Each counts with its sentence and `refusedBytesEach`.
    package static let refusedBytesMax = 1 << 19
    package static let refusedBytesEach = 32
    /// Whether the first change of the download goes on behind what the hello said is staged.
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
    /// A frame's payload after decompression.
    package var frameBytes: UInt64
    /// How far the server sends ahead of what the device has consumed.
    package var creditBytes: UInt64
    package var heartbeatMilliseconds: UInt64
    /// Operations of one upload or one-way batch. Of these three zero means that the server does not say.
    package var operations: UInt64
    /// Of a transaction of which more operations are refused nothing is applied.
    package var refusals: UInt64
    /// What all standing queries of a device ask together, see `Predicate.termCount`.
    package var queryTerms: UInt64
    /// How many classes and properties the database may have, and how many of them one user may have added. Zero means
    /// that the server does not say.
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

/// The server's answer to an upload: everything up to `committed` is durable there.
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
    /// The opening of the device's file that made all of them; zero when nobody knows.
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
    /// The wanted query set cannot be served; the session goes on with the one held.
    case queriesRefused(querySet: UInt64, SyncFailure)
    /// The session is over: do what the failure's action says.
    case end(SyncFailure)
    /// A resync wants to know what the device holds. The device answers with `POST /v1/{database}/resync`.
    case digestsWanted(DigestQuestion)
}

/// A part of what brings a device from one checkpoint to the next. The last part carries that checkpoint;
/// nothing is visible on the device before it.
package struct ViewChunk: Hashable, Sendable {
    /// Nil in every part but the last.
    package var checkpoint: Checkpoint?
    /// Objects in all parts of this change, so that a device can show progress; zero when not known.
    package var objectsTotal: UInt64
    /// Of them, those that this part and the ones before it are about.
    package var objectsDone: UInt64
    /// Where the change may be resumed if it is cut behind this part.
    package var resume: ResumePoint?
    package var entered: [ObjectContent]
    /// Objects that entered after those, many alike: none is embedded in another.
    package var enteredRuns: [ObjectRun]
    package var updated: [ObjectContent]
    package var left: [ObjectLeave]
    package var deleted: [ObjectEnd]
    /// What the server will never apply of this device's changesets, which the checkpoint acknowledges.
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

    /// How many objects it speaks of.
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
