package import CausewayOperations
package import CausewaySession
package import CausewayWire

/// Answers the requests for one database. An endpoint knows nothing of what they mean.
package protocol SyncService: Sendable {
    func open(_ hello: Hello, by caller: KnownCaller) async throws(SyncFailure) -> Welcome
    func upload(_ session: UInt64, by caller: KnownCaller, _ changesets: [Changeset]) async throws(SyncFailure)
        -> UploadAnswer
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
    func ingest(_ batch: IngestBatch, by caller: KnownCaller) async throws(SyncFailure) -> UInt64
    /// Tells every download why, and finishes it.
    func end(_ failure: SyncFailure) async
    /// Whether the database still answers. Never waits.
    var isAnswering: Bool { get }
}

extension Conversations: SyncService {}
