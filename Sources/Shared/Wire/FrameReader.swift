/// A message as it came in, and what it cost to carry.
package struct ReceivedMessage: Hashable, Sendable {
    package var payload: [UInt8]
    /// With its frame headers: what a device adds up for its credit.
    package var wireBytes: Int

    package init(payload: [UInt8], wireBytes: Int) {
        self.payload = payload
        self.wireBytes = wireBytes
    }
}

/// Finds the messages in a stream of bytes that arrives in arbitrary chunks.
///
/// Memory grows with what has arrived, never with what a header promises; a size above the limit is refused as soon as
/// the header that names it is here. After a failure the stream has no more frame boundaries: every later call fails.
package struct FrameReader: Sendable {
    package let limits: FrameLimits
    private var buffer: [UInt8] = []
    /// Where the next frame begins in `buffer`.
    private var start = 0
    /// The pieces of a message that goes on in frames to come.
    private var message: [UInt8] = []
    private var messageWireBytes = 0
    /// How large a message in several frames is about to be; zero when nobody knows.
    private let expectedBytes: Int
    private var failure: SyncFailure?

    package init(limits: FrameLimits = .standard) {
        self.init(limits: limits, expecting: 0)
    }

    /// - Parameter messageBytes: what `messageBytes(claimedBy:limits:)` said.
    init(limits: FrameLimits, expecting messageBytes: Int) {
        self.limits = limits
        expectedBytes = messageBytes
    }

    /// The bytes kept for messages that are not complete.
    package var heldBytes: Int { buffer.count - start + message.count }

    package mutating func append(_ bytes: some Sequence<UInt8>) {
        guard failure == nil else { return }
        reclaim()
        // A body that is there as a whole is not copied.
        if buffer.isEmpty, let whole = bytes as? [UInt8] {
            buffer = whole
        } else {
            buffer.append(contentsOf: bytes)
        }
    }

    /// The next complete message; nil when more bytes are needed.
    package mutating func next() throws(SyncFailure) -> ReceivedMessage? {
        if let failure { throw failure }
        do {
            return try nextMessage()
        } catch {
            failure = error
            buffer = []
            message = []
            start = 0
            throw error
        }
    }

    /// To be called when the stream has ended: it may not do so inside a message.
    package func finish() throws(SyncFailure) {
        if let failure { throw failure }
        guard heldBytes == 0 && messageWireBytes == 0 else {
            throw .frameDamaged("the stream ended inside a message")
        }
    }
}

// MARK: - Frame by frame

extension FrameReader {
    private mutating func nextMessage() throws(SyncFailure) -> ReceivedMessage? {
        while let frame = try nextFrame() {
            messageWireBytes += frame.wireBytes
            // The one frame that most messages are is handed on without a copy.
            if message.isEmpty {
                message = frame.payload
            } else {
                message.reserveCapacity(expectedBytes)
                message.append(contentsOf: frame.payload)
            }
            if frame.isContinued { continue }
            defer {
                message = []
                messageWireBytes = 0
            }
            return ReceivedMessage(payload: message, wireBytes: messageWireBytes)
        }
        return nil
    }

    private struct ReceivedFrame {
        var payload: [UInt8]
        var wireBytes: Int
        var isContinued: Bool
    }

    private mutating func nextFrame() throws(SyncFailure) -> ReceivedFrame? {
        guard buffer.count - start >= Frame.headerBytes else { return nil }
        let header = Header(in: buffer, at: start)
        let limitBytes = min(limits.frameBytes, limits.messageBytes - message.count)
        try header.check(limitBytes: limitBytes, behind: message.count)
        let end = start + Frame.headerBytes + header.size
        guard buffer.count >= end else { return nil }
        let payload = try payload(from: start, upTo: end, header.flags, header.checksum, limitBytes)
        if header.flags.contains(.continued) && payload.isEmpty {
            throw .frameDamaged("it is an empty piece of a message")
        }
        let wireBytes = end - start
        start = end
        return ReceivedFrame(payload: payload, wireBytes: wireBytes, isContinued: header.flags.contains(.continued))
    }

    private struct Header {
        var size: Int
        var flags: Frame.Flags
        var checksum: UInt32

        /// - Precondition: all of it is there.
        init(in bytes: [UInt8], at start: Int) {
            (size, flags, checksum) = bytes.withUnsafeBytes {
                (
                    Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: start, as: UInt32.self))),
                    Frame.Flags(rawValue: $0[start + 4]),
                    UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: start + 5, as: UInt32.self))
                )
            }
        }

        func check(limitBytes: Int, behind messageBytes: Int) throws(SyncFailure) {
            guard flags.isSubset(of: .known) else {
                throw .frameDamaged("it has flags that protocol version \(WireProtocol.version) does not know")
            }
            guard size <= limitBytes else {
                throw .frameTooLarge(bytes: UInt64(messageBytes + size), limitBytes: messageBytes + limitBytes)
            }
        }
    }

    /// How large the first message of a body is once it is decompressed, as its frames claim; of one that is cut, what is
    /// there. Takes no memory.
    package static func messageBytes(claimedBy body: [UInt8], limits: FrameLimits) throws(SyncFailure) -> Int {
        var messageBytes = 0
        var start = 0
        while body.count - start >= Frame.headerBytes {
            let header = Header(in: body, at: start)
            let limitBytes = min(limits.frameBytes, limits.messageBytes - messageBytes)
            try header.check(limitBytes: limitBytes, behind: messageBytes)
            start += Frame.headerBytes
            guard body.count - start >= header.size else { return messageBytes }
            if header.flags.contains(.compressed) {
                messageBytes += try body.withUnsafeBytes { bytes in
                    Result { () throws(SyncFailure) in
                        try Compression.claimedBytes(
                            UnsafeRawBufferPointer(rebasing: bytes[start..<start + header.size]), limitBytes: limitBytes
                        )
                    }
                }.get()
            } else {
                messageBytes += header.size
            }
            start += header.size
            if !header.flags.contains(.continued) { break }
        }
        return messageBytes
    }

    private func payload(
        from start: Int, upTo end: Int, _ flags: Frame.Flags, _ checksum: UInt32, _ limitBytes: Int
    ) throws(SyncFailure) -> [UInt8] {
        let isIntact = buffer.withUnsafeBytes {
            Frame.checksum(
                UnsafeRawBufferPointer(rebasing: $0[start..<start + 5]),
                UnsafeRawBufferPointer(rebasing: $0[start + Frame.headerBytes..<end])) == checksum
        }
        guard isIntact else { throw .frameDamaged("its checksum does not match") }
        let stored = start + Frame.headerBytes..<end
        guard flags.contains(.compressed) else { return Array(buffer[stored]) }
        let result = buffer.withUnsafeBytes { bytes in
            Result { () throws(SyncFailure) in
                try Compression.decompress(UnsafeRawBufferPointer(rebasing: bytes[stored]), limitBytes: limitBytes)
            }
        }
        return try result.get()
    }

    /// Gives back the room of the frames already read, when that costs little beside what is to come.
    private mutating func reclaim() {
        guard start > 0, start >= buffer.count - start else { return }
        buffer.removeFirst(start)
        start = 0
    }
}
