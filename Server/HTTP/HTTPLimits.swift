/// Every bound of an `HTTPListener`, by name. Headers are bounded by the parser, which takes 80 KB of them.
package struct HTTPLimits: Hashable, Sendable {
    package var connections = 256
    package var connectionsOfAddress = 64
    /// What an answer may have waiting for its socket before its writer waits.
    package var outboundBytes = 256 << 10
    /// The bytes of answers that wait for their clients to read them: of all connections, and of those of one address. A
    /// request that comes on top is refused before it is worked on; what was changed already is answered in any case.
    package var unreadBytes = 256 << 20
    package var unreadBytesOfAddress = 32 << 20
    /// What is ignored of the body of a refused request before its connection is closed.
    package var refusedBytes = 1 << 20
    /// From the refusal of a request to closing its connection, if the client does not end its body.
    package var refusedMilliseconds: Int64 = 2_000
    /// From connecting, or from the answer before, to the end of a request's head.
    package var idleMilliseconds: Int64 = 30_000
    /// A whole body, however steadily it trickles.
    package var bodyMilliseconds: Int64 = 60_000
    /// A whole answer, however steadily its client reads it.
    package var answerMilliseconds: Int64 = 300_000
    /// How long a client may not read what it is sent.
    package var stalledMilliseconds: Int64 = 60_000
    /// From the start of the shutdown to closing what is still open.
    package var graceMilliseconds: Int64 = 5_000

    package init() {}

    /// What of a whole answer is handed to the socket at a time.
    var pieceBytes: Int { max(1, outboundBytes / 4) }
}
