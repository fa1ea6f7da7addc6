import CausewayOperations
import CausewaySync
import CausewayWire

/// The transport of a configuration that cannot work. The Realm still opens, and its session reports why it does not
/// connect.
struct UnusableTransport: Transport {
    private let failure: TransportFailure

    init(_ message: String) {
        failure = .unusable(message)
    }

    func hello(_ hello: Hello, token: String) async throws(TransportFailure) -> Welcome { throw failure }

    func upload(
        _ changesets: [Changeset], session: UInt64, token: String
    ) async throws(TransportFailure) -> UploadAnswer { throw failure }

    func download(
        session: UInt64, token: String, receive: @escaping @Sendable (DownloadMessage, Int) async -> Void
    ) async throws(TransportFailure) { throw failure }

    func credit(_ bytes: UInt64, session: UInt64, token: String) async throws(TransportFailure) { throw failure }

    func digests(_ request: ResyncRequest, token: String) async throws(TransportFailure) { throw failure }

    func want(_ queries: QuerySet, session: UInt64, token: String) async throws(TransportFailure) { throw failure }

    func mark(_ id: UInt64, session: UInt64, token: String) async throws(TransportFailure) { throw failure }

    func ingest(_ batch: IngestBatch, token: String) async throws(TransportFailure) -> UInt64 { throw failure }

    var traffic: Traffic { Traffic() }

    func disconnect(inDoubt: Bool) {}
}
