package import CausewayOperations
package import CausewayWire

/// What carries a device's calls to its server. The real one speaks HTTP/2; tests plug in one that calls a server in
/// the same process.
///
/// Every function throws `TransportFailure` and nothing else. The token is an argument because it changes while a
/// session lasts.
package protocol Transport: Sendable {
    func hello(_ hello: Hello, token: String) async throws(TransportFailure) -> Welcome

    func upload(
        _ changesets: [Changeset], session: UInt64, token: String
    ) async throws(TransportFailure) -> UploadAnswer

    /// Hands over every message of the stream, in order, with the bytes it took on the wire; returns when the server
    /// ends the stream. `receive` is quick: what a message costs to apply is bounded by credit, not by this call.
    func download(
        session: UInt64, token: String, receive: @escaping @Sendable (DownloadMessage, Int) async -> Void
    ) async throws(TransportFailure)

    func credit(_ bytes: UInt64, session: UInt64, token: String) async throws(TransportFailure)

    /// What the file holds, in answer to a question of the download.
    func digests(_ request: ResyncRequest, token: String) async throws(TransportFailure)

    func want(_ queries: QuerySet, session: UInt64, token: String) async throws(TransportFailure)

    func mark(_ id: UInt64, session: UInt64, token: String) async throws(TransportFailure)

    /// Returns the number of the last entry that is durable on the server.
    func ingest(_ batch: IngestBatch, token: String) async throws(TransportFailure) -> UInt64

    /// What has been carried since the transport was made.
    var traffic: Traffic { get }

    /// The conversation has hung up, and its calls were cancelled.
    ///
    /// - Parameter inDoubt: whether it has waited in vain for the server to be heard. What carried the calls may be dead
    ///   then, and the next ones go another way.
    func disconnect(inDoubt: Bool)
}

/// Bytes of messages, in the frames they travelled in and compressed as they were; without what HTTP and TLS put around
/// them.
package struct Traffic: Hashable, Sendable {
    package var bytesSent: UInt64
    package var bytesReceived: UInt64

    package init(bytesSent: UInt64 = 0, bytesReceived: UInt64 = 0) {
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
    }
}
