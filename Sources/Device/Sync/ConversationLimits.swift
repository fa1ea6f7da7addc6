/// Every bound of a device's conversation, by name.
package struct ConversationLimits: Hashable, Sendable {
    /// What one upload may carry, as encoded changesets. A single changeset may be larger and then travels alone.
    package var uploadBytes = 4 << 20
    /// What one one-way batch may carry.
    package var ingestBytes = 2 << 20
    /// Batches that are lost on the way do not become smaller than this.
    package var batchBytesMinimum = 64 << 10
    /// How much of an unfinished view change, in bytes of the wire, waits in memory before it moves to the file.
    package var stagingBytes = 4 << 20
    /// How long a part of an unfinished view change behind which the server can go on waits in memory at most, as long as
    /// anything arrives: a process that ends loses no more.
    package var stagingMilliseconds: UInt64 = 5_000
    /// The first wait after a failure.
    package var backoffMinimumMilliseconds: UInt64 = 100
    /// The longest wait between two attempts.
    package var backoffMaximumMilliseconds: UInt64 = 60_000
    /// A stream that stays silent for so many heartbeat intervals is dead.
    package var heartbeatsMissedMaximum: UInt64 = 3
    /// How long a call may stay without an answer; a batch has longer, by its size (`RequestTime`).
    package var answerMilliseconds: UInt64 = 60_000

    /// How many downloads in a row may be cut by something that cannot be read. Trying again heals a fault of the way, but
    /// not one of a message that comes again each time.
    package var unreadableMaximum = 10

    /// How long a stream may stay silent, instead of that; two heartbeat intervals are the least.
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
