/// Every bound of a device's conversation, by name.
package struct ConversationLimits: Hashable, Sendable {
    /// The most bytes of one upload, as encoded changesets. A larger changeset is sent alone.
    package var uploadBytes = 4 << 20
    /// The most bytes of one one-way batch.
    package var ingestBytes = 2 << 20
    /// The smallest size, in bytes, to which batches shrink after losses.
    package var batchBytesMinimum = 64 << 10
    /// How much of an unfinished view change, in bytes of the wire, waits in memory before it moves to the file.
    package var stagingBytes = 4 << 20
    /// The longest that a resumable part of an unfinished view change waits in memory, as long as anything arrives. A
    /// process that ends loses no more.
    package var stagingMilliseconds: UInt64 = 5_000
    /// The first wait after a failure.
    package var backoffMinimumMilliseconds: UInt64 = 100
    /// The longest wait between two attempts.
    package var backoffMaximumMilliseconds: UInt64 = 60_000
    /// The longest wait that a server can ask for.
    package var retryAfterMaximumMilliseconds: UInt64 = 600_000
    /// A stream that stays silent for so many heartbeat intervals counts as dead.
    package var heartbeatsMissedMaximum: UInt64 = 3
    /// How long a call may stay without an answer; a batch has longer, by its size (`RequestTime`).
    package var answerMilliseconds: UInt64 = 60_000

    /// How many downloads in a row may be cut by something that cannot be read. Trying again helps against a fault of
    /// the network, but not against a message that comes again each time.
    package var unreadableMaximum = 10

    /// How long a stream may stay silent, instead of `heartbeatsMissedMaximum`; at least two heartbeat intervals.
    package var silenceMilliseconds: UInt64?

    package init() {}

    /// The limits with the relations between them checked.
    package func validated() -> ConversationLimits {
        precondition(uploadBytes > 0 && ingestBytes > 0 && stagingBytes > 0, "A bound of zero bytes moves nothing.")
        precondition(batchBytesMinimum > 0, "Half of nothing is no smaller batch.")
        precondition(
            backoffMinimumMilliseconds > 0 && backoffMinimumMilliseconds <= backoffMaximumMilliseconds,
            "The first wait after a failure lies between one millisecond and the longest wait.")
        precondition(
            heartbeatsMissedMaximum >= 2,
            "One late heartbeat is no failure, so at least two intervals must pass.")
        precondition(unreadableMaximum > 0, "The first message that cannot be read may be an accident.")
        return self
    }
}
