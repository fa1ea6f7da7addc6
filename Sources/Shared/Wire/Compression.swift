import CZstd

/// Compresses a frame's payload with Zstandard. Frames share no state, so each can be read alone.
enum Compression {
    /// The fastest level that still finds the repetition left in columns. Higher levels gain little.
    static let level: Int32 = 3

    /// The compressed bytes; nil when they would not be shorter.
    static func compress(_ payload: UnsafeRawBufferPointer) -> [UInt8]? {
        let bound = ZSTD_compressBound(payload.count)
        let compressed = [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            let size = ZSTD_compress(buffer.baseAddress, bound, payload.baseAddress, payload.count, level)
            count = ZSTD_isError(size) == 0 ? size : 0
        }
        return compressed.isEmpty || compressed.count >= payload.count ? nil : compressed
    }

    /// Decompresses a payload. Checks the size that the compressed bytes claim against the limit before it allocates.
    static func decompress(_ stored: UnsafeRawBufferPointer, limitBytes: Int) throws(SyncFailure) -> [UInt8] {
        let expected = try claimedBytes(stored, limitBytes: limitBytes)
        var isWhole = false
        let payload = [UInt8](unsafeUninitializedCapacity: expected) { buffer, count in
            let size = ZSTD_decompress(buffer.baseAddress, expected, stored.baseAddress, stored.count)
            isWhole = ZSTD_isError(size) == 0 && size == expected
            count = isWhole ? expected : 0
        }
        guard isWhole else { throw .frameDamaged("its payload cannot be decompressed") }
        return payload
    }

    /// The decompressed size that the compressed bytes claim. Throws when it is missing or above the limit.
    static func claimedBytes(_ stored: UnsafeRawBufferPointer, limitBytes: Int) throws(SyncFailure) -> Int {
        let claimed = ZSTD_getFrameContentSize(stored.baseAddress, stored.count)
        // The two highest numbers mean "not written in the frame" and "this is not Zstandard".
        guard claimed < UInt64.max - 1 else {
            throw .frameDamaged("its compressed payload does not say how large it is")
        }
        guard claimed <= UInt64(limitBytes) else {
            throw .frameTooLarge(bytes: claimed, limitBytes: limitBytes)
        }
        return Int(claimed)
    }
}

extension SyncFailure {
    static func frameDamaged(_ what: String) -> SyncFailure {
        SyncFailure(
            .frameDamaged,
            "A frame arrived damaged: \(what). It is sent again on a new connection; "
                + "if this repeats, look for a proxy that alters bodies.")
    }

    static func frameTooLarge(bytes: UInt64, limitBytes: Int) -> SyncFailure {
        SyncFailure(
            .frameTooLarge,
            "A frame or message of \(bytes) bytes is larger than the \(limitBytes) allowed here. "
                + "Write smaller transactions, or raise the limit on the server.")
    }
}
