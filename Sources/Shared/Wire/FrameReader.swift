/// A received message, and its size on the wire.
package struct ReceivedMessage: Hashable, Sendable {
    package var payload: [UInt8]
    /// The size with frame headers, which a device adds up for its credit.
    package var wireBytes: Int

    package init(payload: [UInt8], wireBytes: Int) {
        self.payload = payload
        self.wireBytes = wireBytes
    }
}

/// Finds the messages in a stream of bytes that arrives in arbitrary chunks.
///
/// Memory grows with the bytes that have arrived, never with the size that a header claims. A size above the limit is
/// refused as soon as its header has arrived. After a failure the frame boundaries are lost, so every later call
/// throws.
package struct FrameReader: Sendable {
    package let limits: FrameLimits
    private var buffer: [UInt8] = []
    /// Where the next frame begins in `buffer`.
    private var start = 0
    /// The pieces of a message that continues in later frames.
    private var message: [UInt8] = []
    private var messageWireBytes = 0
    /// The expected size of a message in several frames; zero when unknown.
    private let expectedBytes: Int
    private var failure: SyncFailure?

    package init(limits: FrameLimits = .standard) {
        self.init(limits: limits, expecting: 0)
    }

    /// - Parameter messageBytes: the result of `messageBytes(claimedBy:limits:)`.
    init(limits: FrameLimits, expecting messageBytes: Int) {
        self.limits = limits
        expectedBytes = messageBytes
    }

    /// The bytes held for messages that are not complete.
    package var heldBytes: Int { buffer.count - start + message.count }

    package mutating func append(_ bytes: some Sequence<UInt8>) {
        guard failure == nil else { return }
        reclaim()
        // A whole body is not copied.
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

    /// Call it when the stream has ended. Throws when the stream ended inside a message, or after an earlier failure.
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
            // Most messages are one frame, which is passed on without a copy.
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

        /// - Precondition: the whole header has arrived.
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

    /// The decompressed size of the first message of a body, as its frames claim. Of an incomplete message it counts
    /// only the complete frames. Allocates no memory.
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

    /// Removes the bytes of frames already read, once they are at least half of the buffer.
    private mutating func reclaim() {
        guard start > 0, start >= buffer.count - start else { return }
        buffer.removeFirst(start)
        start = 0
    }
}
