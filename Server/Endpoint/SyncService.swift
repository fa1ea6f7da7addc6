package import CausewayOperations
package import CausewaySession
package import CausewayWire

/// What answers the requests for one database. An endpoint knows nothing of what they mean.
package protocol SyncService: Sendable {
    func open(_ hello: Hello, user: String) async throws(SyncFailure) -> Welcome
    func upload(_ session: UInt64, user: String, _ changesets: [Changeset]) async throws(SyncFailure) -> UploadAnswer
    /// Runs until the session ends, the sink throws, or its task is cancelled.
    func download(_ session: UInt64, user: String, into sink: any DownloadSink) async throws(SyncFailure)
    func want(_ session: UInt64, user: String, _ queries: QuerySet) async throws(SyncFailure)
    func credit(_ session: UInt64, user: String, bytes: UInt64) async throws(SyncFailure)
    func digests(_ request: ResyncRequest, user: String) async throws(SyncFailure)
    func mark(_ session: UInt64, user: String, id: UInt64) async throws(SyncFailure)
    func ingest(_ batch: IngestBatch, user: String) async throws(SyncFailure) -> UInt64
    /// The service as a caller may use it.
    func serving(_ caller: KnownCaller) -> any SyncService
    /// Every download is told why and finishes.
    func end(_ failure: SyncFailure) async
    /// Whether the database still does what it is asked for. Never waits.
    var isAnswering: Bool { get }
}

extension SyncService {
    /// For services without a database.
    package var isAnswering: Bool { true }

    /// For services that permit everything.
    package func serving(_ caller: KnownCaller) -> any SyncService { self }
}

extension Conversations: SyncService {
    package func serving(_ caller: KnownCaller) -> any SyncService {
        guard let access = caller.access else { return self }
        return GovernedConversations(conversations: self, access: access)
    }
}
