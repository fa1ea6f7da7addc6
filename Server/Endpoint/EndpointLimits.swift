import CausewayHTTP
package import CausewayWire

/// Every bound of the endpoint, by name. None of them is part of the protocol.
package struct EndpointLimits: Sendable {
    // MARK: How many

    package var connections = 10_000
    /// Connections of one address; an IPv6 network of 64 bits counts as one. Behind a proxy all devices have one
    /// address.
    package var connectionsOfAddress = 1_000
    /// Connections whose TLS handshake is not over, in all and of one address: each may cost a signature, and nothing
    /// is known of who asks for it.
    package var handshakes = 4_000
    package var handshakesOfAddress = 500
    package var streamsPerConnection = 64
    /// Answers on their way to one client. A client that reads them has no more of them than streams.
    package var unreadAnswersPerConnection = 256
    /// The same on a connection on which nobody is known. Each takes about ten kilobytes, and a thousand connections of
    /// one address may wait so for a minute.
    package var unreadAnswersOfStranger = 16
    /// Uploads and one-way batches that are read and committed at a time; more of them wait. Each may take many times
    /// its size.
    package var uploadsAtOnce = 8
    /// Uploads of no more than `smallUploadBytes` at a time. They have places of their own, and one user at most half
    /// of them.
    package var smallUploadsAtOnce = 64
    /// Account calls that are answered at a time; more of them wait.
    package var accountCallsAtOnce = 64
    /// Account calls that may wait.
    package var accountCallsWaiting = 1_000
    /// Frames without content (window updates, unknown ones, …) that a connection may send at once, and then each
    /// second. What the server sends allows more of them, because much of it has to be acknowledged.
    package var idleFramesAtOnce = 1_000
    package var idleFramesPerSecond = 100

    // MARK: How large

    package var headerListBytes = 16 << 10
    package var upload = FrameLimits(frameBytes: 16 << 20, messageBytes: 64 << 20)
    /// The body of an account call. Callers who are not known yet have less: their service says how much.
    package var accountBytes = 64 << 10
    /// A message up to this size, as it came and once it is decompressed, is read on the thread of its connection.
    package var bytesReadAtOnce = 1 << 10
    /// An upload is small up to these sizes: of its message, and of its changes in memory.
    package var smallMessageBytes = 16 << 10
    package var smallUploadBytes = 256 << 10
    /// Memory for the messages of the other uploads and batches that are being read, and memory for their changes; more
    /// of them wait. One user may have half of each.
    package var readMessageBytes = 48 << 20
    package var readChangesBytes = 48 << 20
    /// Bodies that have arrived, of all known callers together.
    package var heldBodyBytes = 256 << 20
    /// Those of one user of one database, so that one user's slow bodies do not take all memory.
    package var heldBodyBytesOfUser = 128 << 20
    /// Bodies of account calls that have arrived. They have memory of their own, so that whoever fills it does not harm
    /// known callers.
    package var heldAccountBytes = 16 << 20
    /// Those of one address.
    package var heldAccountBytesOfAddress = 2 << 20
    /// What is ignored of the body of a refused request before its stream is closed.
    package var refusedBytes = 1 << 20
    /// What a client may send ahead of what has been read, on each stream; four times as much on a connection.
    package var streamWindowBytes = 1 << 20
    /// What a download may have waiting for its socket before its sender waits.
    package var outboundBytes = 256 << 10

    // MARK: How long

    /// From connecting to the first request.
    package var handshakeMilliseconds: Int64 = 10_000
    /// A connection without requests, once a caller is known on it.
    package var idleMilliseconds: Int64 = 75_000
    /// The same before anybody has shown a good token.
    package var strangerIdleMilliseconds: Int64 = 10_000
    /// The whole life of such a connection, whatever it has under way.
    package var strangerMilliseconds: Int64 = 60_000
    /// Between two pieces of a body.
    package var bodyIdleMilliseconds: Int64 = 20_000
    /// A whole body, however steadily it trickles.
    package var bodyMilliseconds: Int64 = 600_000
    /// The whole body of an account call.
    package var accountBodyMilliseconds: Int64 = 10_000
    /// From the refusal of a request to the end of its stream, if the client does not end it.
    package var refusedMilliseconds: Int64 = 2_000
    /// From an answer that is no download to the end of its stream, for a client that keeps its window closed.
    package var unreadAnswerMilliseconds: Int64 = 120_000
    /// How long a device may not read what it is sent.
    package var stalledMilliseconds: Int64 = 60_000
    /// The same for one whose session the server ends: shorter than a change of the schema waits for sessions.
    package var stalledEndingMilliseconds: Int64 = 2_000
    /// From the start of the shutdown to closing what is still open.
    package var graceMilliseconds: Int64 = 10_000
    /// From then to giving up on requests that still run.
    package var workMilliseconds: Int64 = 60_000

    package init() {}

    package static let standard = EndpointLimits()
}

extension EndpointLimits {
    var ofConnections: Connections.Limits {
        Connections.Limits(
            connections: connections, connectionsOfAddress: connectionsOfAddress, handshakes: handshakes,
            handshakesOfAddress: handshakesOfAddress)
    }
}
