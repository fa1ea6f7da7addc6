import CZstd

/// Compresses a file that is complete.
enum Zstandard {
    /// The level at which logs of lines shrink by most of what is possible, at more than 100 MB/s.
    private static let level: Int32 = 3
    private static let partBytes = 1 << 20

    /// Writes a file's content compressed into another file and makes that durable. Neither is held in memory as a whole.
    static func compress(_ source: LineFile, into target: LineFile) throws(SinkFailure) {
        guard let context = ZSTD_createCCtx() else {
            throw SinkFailure("There is no memory to compress \(source.path).")
        }
        defer { ZSTD_freeCCtx(context) }
        // Readers that decompress at once want to know the size, and damage shall be noticed.
        for result in [
            ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level),
            ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1),
            ZSTD_CCtx_setPledgedSrcSize(context, UInt64(source.lengthBytes)),
        ] where ZSTD_isError(result) != 0 {
            throw failure(result, source)
        }
        try target.truncate(toBytes: 0)
        var offset = 0
        repeat {
            let part = try source.read(at: offset, countMax: partBytes)
            offset += part.count
            guard !part.isEmpty || offset == source.lengthBytes else { throw SinkFailure(reading: source.path) }
            try append(part, isLast: offset == source.lengthBytes, context, source, target)
        } while offset < source.lengthBytes
        try target.synchronize()
    }

    private static func append(
        _ part: [UInt8], isLast: Bool, _ context: OpaquePointer, _ source: LineFile, _ target: LineFile
    ) throws(SinkFailure) {
        var taken = 0
        while true {
            var left = 0
            var consumed = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: partBytes) { output, used in
                part.withUnsafeBytes { input in
                    var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: taken)
                    var target = ZSTD_outBuffer(dst: output.baseAddress, size: partBytes, pos: 0)
                    left = ZSTD_compressStream2(
                        context, &target, &source, isLast ? ZSTD_e_end : ZSTD_e_continue)
                    (consumed, used) = (source.pos, target.pos)
                }
            }
            guard ZSTD_isError(left) == 0 else { throw failure(left, source) }
            taken = consumed
            try target.append(bytes)
            if isLast ? left == 0 : taken == part.count { return }
        }
    }

    private static func failure(_ result: Int, _ source: LineFile) -> SinkFailure {
        SinkFailure(
            "\(source.path) cannot be compressed: \(String(cString: ZSTD_getErrorName(result))). The file stays as it is; "
                + "check the memory of the server.")
    }
}
