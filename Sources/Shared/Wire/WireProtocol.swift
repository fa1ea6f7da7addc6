/// The protocol facts that both ends of a connection must agree on before the first message.
package enum WireProtocol {
    /// The newest protocol version. It is raised when an older reader would misunderstand a newer writer. PROTOCOL.md
    /// has the history.
    package static let version: UInt32 = 2
    /// From this version on, changed lists, sets, maps and texts may come as what happened to them.
    package static let versionOfEdits: UInt32 = 2
    /// The protocol versions that this program supports.
    package static let versions: ClosedRange<UInt32> = 1...version
    /// The content type of requests and answers.
    package static let mediaType = "application/vnd.causeway.frames"
}

/// The limits of received frames and messages, whoever wrote them.
package struct FrameLimits: Hashable, Sendable {
    /// The largest payload of one frame, after decompression.
    package var frameBytes: Int
    /// The largest sum of all payloads of one message, after decompression.
    package var messageBytes: Int
    /// The most operations in one upload or one-way batch. Bytes do not limit them: a thousand can encode millions.
    package var operations: Int

    /// The most operations that a server accepts, unless its operator sets another limit.
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
    /// For requests with only numbers and a few names.
    package static let small = FrameLimits(frameBytes: Frame.pieceBytes, messageBytes: 64 << 10)
    /// For the digests of a resync: a digest takes 16 bytes, and its key more if it is a long text.
    package static let digests = FrameLimits(frameBytes: Frame.pieceBytes, messageBytes: 8 << 20)
    /// For a schema and its queries.
    package static let envelope = FrameLimits(frameBytes: Frame.pieceBytes, messageBytes: Bounds.envelopeBytes + 16)
}

/// Limits of single values in a message. Each is far above what an app needs and far below what would do harm.
enum Bounds {
    /// An envelope holds names and numbers. A schema of a thousand classes takes a tenth of it.
    static let envelopeBytes = 1 << 20
    static let classes = 4_096
    static let propertiesOfClass = 4_096
    static let nameBytes = 255
    static let queries = 1_000
    static let predicateBytes = 64 << 10
    /// Values in one message of changes. A few bytes can encode a whole column, so a limit on bytes alone is not
    /// enough.
    static let cells = 1 << 22
    /// The weight of the operations of one upload, as `Changeset.decode` counts it. Enough for 100,000 new objects of
    /// eighty properties in columns, or of forty where each is created by itself. Decoded they take about two hundred
    /// megabytes.
    static let weight = 1 << 24
    /// About the bytes of memory for one unit of weight.
    static let bytesOfWeight = 32
    /// Counts of objects, and numbers of changesets and entries. No honest server reaches these limits, and a device
    /// can add to such numbers without an overflow.
    static let objects = UInt64(1) << 48
    static let sequence = UInt64(1) << 62
    /// Ranges that one message may ask for.
    static let digestAsks = 4_096
    /// Digests in one message, of ranges and objects together.
    static let digests = 1 << 16

    static func checked(sequence: UInt64) throws(SyncFailure) -> UInt64 {
        guard sequence <= Self.sequence else { throw .malformed("there is no changeset \(sequence)") }
        return sequence
    }
}
