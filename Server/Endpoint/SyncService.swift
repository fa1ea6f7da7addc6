package import CausewayLimits
package import CausewayOperations
package import CausewaySession
package import CausewayWire

/// Answers the requests for one database. An endpoint knows nothing of what they mean.
package protocol SyncService: Sendable {
    /// Whether it is the database in which the caller was found. One of the same name may have come since.
    func knows(_ caller: KnownCaller) -> Bool
    /// Charges a request to its user, before its body is read. Must be quick and must not block.
    ///
    /// - Throws: when the user has to wait, or, where the request `writes`, all users of the database.
    func admit(_ caller: KnownCaller, writes: Bool) throws(LimitReached)
    func open(_ hello: Hello, by caller: KnownCaller) async throws(SyncFailure) -> Welcome
    /// - Parameter bytes: of the request.
    func upload(
        _ session: UInt64, by caller: KnownCaller, _ changesets: [Changeset], bytes: Int
    ) async throws(SyncFailure) -> UploadAnswer
    /// Begins a download, which goes on until the session ends, the sink throws, or it is cancelled.
    ///
    /// - Parameter ended: called once, when nothing is sent any more.
    /// - Returns: what cancels it, from any thread.
    func beginDownload(
        _ session: UInt64, by caller: KnownCaller, into sink: any DownloadSink, ended: @escaping @Sendable () -> Void
    ) throws(SyncFailure) -> DownloadCancellation
    func want(_ session: UInt64, by caller: KnownCaller, _ queries: QuerySet) async throws(SyncFailure)
    func credit(_ session: UInt64, by caller: KnownCaller, bytes: UInt64) async throws(SyncFailure)
    func digests(_ request: ResyncRequest, by caller: KnownCaller) async throws(SyncFailure)
    func mark(_ session: UInt64, by caller: KnownCaller, id: UInt64) async throws(SyncFailure)
    func ingest(_ batch: IngestBatch, by caller: KnownCaller, bytes: Int) async throws(SyncFailure) -> UInt64
    /// Tells every download why, and finishes it.
    func end(_ failure: SyncFailure) async
    /// Whether the database still answers. Never waits.
    var isAnswering: Bool { get }
}

extension Conversations: SyncService {}
