package import CausewayWire

/// Every bound of the endpoint, by name. None of them is part of the protocol.
package struct EndpointLimits: Sendable {
    // MARK: How many

    package var connections = 10_000
    package var streamsPerConnection = 64
    /// Answers on their way to one client. One that reads them has no more than it has streams.
    package var unreadAnswersPerConnection = 256
    /// Uploads and one-way batches being read and committed; more of them wait. Each may take many times its size.
    package var uploadsAtOnce = 8
    /// Account calls being answered; more of them wait.
    package var accountCallsAtOnce = 64

    // MARK: How large

    package var headerListBytes = 16 << 10
    package var upload = FrameLimits(frameBytes: 16 << 20, messageBytes: 64 << 20)
    /// The body of an account call.
    package var accountBytes = 64 << 10
    /// Bodies that have arrived, of all requests together.
    package var heldBodyBytes = 256 << 20
    /// Those of one user, so that nobody's slow bodies take the memory of all; of account calls, those of one address.
    package var heldBodyBytesOfUser = 128 << 20
    /// What a client may send ahead of what has been read, for each stream; four times as much for a connection.
    package var streamWindowBytes = 1 << 20
    /// What a download may have waiting for its socket before its sender waits.
    package var outboundBytes = 256 << 10

    // MARK: How long

    /// From connecting to speaking HTTP/2.
    package var handshakeMilliseconds: Int64 = 10_000
    /// A connection without requests.
    package var idleMilliseconds: Int64 = 75_000
    /// Between two pieces of a body.
    package var bodyIdleMilliseconds: Int64 = 20_000
    /// A whole body, however steadily it trickles.
    package var bodyMilliseconds: Int64 = 600_000
    /// A device that does not read what it is sent.
    package var stalledMilliseconds: Int64 = 60_000
    /// From the wish to end to closing what is still open.
    package var graceMilliseconds: Int64 = 10_000

    package init() {}

    package static let standard = EndpointLimits()
}
