/// What both ends of a connection must agree on before the first message.
package enum WireProtocol {
    /// Raised when an older reader would misunderstand a newer writer. PROTOCOL.md keeps the history.
    package static let version: UInt32 = 1
    /// What this program can speak.
    package static let versions: ClosedRange<UInt32> = 1...version
    /// The content type of requests and answers.
    package static let mediaType = "application/vnd.causeway.frames"
}

/// Bounds of what is read from outside, whoever wrote it.
package struct FrameLimits: Hashable, Sendable {
    /// One frame's payload, after decompression.
    package var frameBytes: Int
    /// All payloads of one message together.
    package var messageBytes: Int
    /// Operations of one upload or one-way batch: a thousand bytes can stand for millions.
    package var operations: Int

    /// What a server takes unless its operator says otherwise.
    package static let operationsStandard = 100_000

    package init(frameBytes: Int, messageBytes: Int, operations: Int = operationsStandard) {
        precondition(
            frameBytes >= Frame.pieceBytes && messageBytes >= 1 && frameBytes <= Int(UInt32.max),
            "A reader must take at least the frames that this program writes.")
        self.frameBytes = frameBytes
        self.messageBytes = messageBytes
        self.operations = operations
    }

    package static let standard = FrameLimits(frameBytes: 16 << 20, messageBytes: 256 << 20)
    /// For requests that carry numbers and a few names only.
    package static let small = FrameLimits(frameBytes: Frame.pieceBytes, messageBytes: 64 << 10)
    /// For what a device holds, in a resync: a digest takes 16 bytes, and a key that is a long text more.
    package static let digests = FrameLimits(frameBytes: Frame.pieceBytes, messageBytes: 8 << 20)
    /// For a schema and its queries.
    package static let envelope = FrameLimits(frameBytes: Frame.pieceBytes, messageBytes: Bounds.envelopeBytes + 16)
}

/// Bounds of single things inside a message. Each is far above what an app needs and far below what would hurt.
enum Bounds {
    /// An envelope holds names and numbers; a schema of a thousand classes fits ten times.
    static let envelopeBytes = 1 << 20
    static let classes = 4_096
    static let propertiesOfClass = 4_096
    static let nameBytes = 255
    static let queries = 1_000
    static let predicateBytes = 64 << 10
    /// Values in one message of changes: a few bytes can stand for a whole column, so bytes alone bound nothing.
    static let cells = 1 << 22
    /// What the operations of one upload weigh, as `Changeset.decode` counts: 100,000 new objects of eighty properties
    /// in columns, or of forty where each is made by itself, which take about two hundred megabytes once they are read.
    static let weight = 1 << 24
    /// About what one of these takes in memory.
    static let bytesOfWeight = 32
    /// Counts of objects, and numbers of changesets and entries: no honest server reaches them, and a device can add to
    /// them.
    static let objects = UInt64(1) << 48
    static let sequence = UInt64(1) << 62
    /// Ranges that one message asks for.
    static let digestAsks = 4_096
    /// Digests in one message, of ranges and objects together.
    static let digests = 1 << 16

    static func checked(sequence: UInt64) throws(SyncFailure) -> UInt64 {
        guard sequence <= Self.sequence else { throw .malformed("there is no changeset \(sequence)") }
        return sequence
    }
}
