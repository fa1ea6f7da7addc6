package import CausewayOperations
package import CausewayWire

/// Carries a device's calls to its server. The real transport speaks HTTP/2; tests plug in one that calls a server in
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

    /// Sends digests of what the file holds, in answer to a question of the download.
    func digests(_ request: ResyncRequest, token: String) async throws(TransportFailure)

    func want(_ queries: QuerySet, session: UInt64, token: String) async throws(TransportFailure)

    func mark(_ id: UInt64, session: UInt64, token: String) async throws(TransportFailure)

    /// Returns the number of the last entry that is durable on the server.
    func ingest(_ batch: IngestBatch, token: String) async throws(TransportFailure) -> UInt64

    /// The bytes carried since the transport was made.
    var traffic: Traffic { get }

    /// Called when the conversation has hung up and its calls were cancelled.
    ///
    /// - Parameter inDoubt: whether the server was not heard in time. The connection may be dead then, and the next
    ///   calls use another one.
    func disconnect(inDoubt: Bool)
}

/// Bytes of messages as they are sent, framed and compressed, without the overhead of HTTP and TLS.
package struct Traffic: Hashable, Sendable {
    package var bytesSent: UInt64
    package var bytesReceived: UInt64

    package init(bytesSent: UInt64 = 0, bytesReceived: UInt64 = 0) {
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
    }
}
