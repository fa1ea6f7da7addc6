import CausewayStorage

/// The entry of a long text under its row's key: where its chunks are. FORMAT.md, "Long texts".
///
/// The number of a chunk is never used for other content: whoever remembers a head can tell from the numbers which
/// chunks of a later one are the same.
struct TextHead {
    /// No UTF-8 begins with it, so a text that is one entry cannot be taken for a head.
    private static let mark: UInt8 = 0xFF
    private static let headerBytes = 24
    private static let partBytes = 12

    struct Part {
        var id: UInt64
        var bytes: Int
        var scalars: Int
    }

    /// The most bytes of a chunk. With them its entry fills one page of the file.
    static let chunkMax = 4080

    /// The bytes of the chunks that much text is cut into. They leave room: edits would split nearly all full chunks in
    /// halves, and the head, which every edit writes, would grow by as much.
    static let cutBytes = chunkMax * 3 / 4

    var parts: [Part]

    static func isHead(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.first == mark }

    init(_ parts: [Part]) {
        self.parts = parts
    }

    /// Nil when the bytes contradict themselves.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > Self.headerBytes, (bytes.count - Self.headerBytes) % Self.partBytes == 0,
            bytes[0] == Self.mark, bytes[1] == 1
        else { return nil }
        parts = []
        parts.reserveCapacity((bytes.count - Self.headerBytes) / Self.partBytes)
        var (allBytes, allScalars) = (0, 0)
        for offset in stride(from: Self.headerBytes, to: bytes.count, by: Self.partBytes) {
            let part = Part(
                id: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)),
                bytes: Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt16.self))),
                scalars: Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 10, as: UInt16.self))))
            guard part.id != 0, part.scalars > 0, part.scalars <= part.bytes, part.bytes <= Self.chunkMax else {
                return nil
            }
            allBytes += part.bytes
            allScalars += part.scalars
            parts.append(part)
        }
        let counts = (
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        )
        guard counts == (UInt64(allBytes), UInt64(allScalars)) else { return nil }
    }

    var encoded: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(Self.headerBytes + parts.count * Self.partBytes)
        result += [Self.mark, 1, 0, 0, 0, 0, 0, 0]
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { result.append(contentsOf: $0) }
        }
        append(UInt64(parts.reduce(0) { $0 + $1.bytes }))
        append(UInt64(parts.reduce(0) { $0 + $1.scalars }))
        for part in parts {
            append(part.id)
            append(UInt16(part.bytes))
            append(UInt16(part.scalars))
        }
        return result
    }
}

extension LongValues {
    /// The key of a chunk of a long text.
    static func key(_ column: UInt32, _ row: Int64, chunk id: UInt64) -> [UInt8] {
        key(column, row) + withUnsafeBytes(of: id.bigEndian) { Array($0) }
    }

    /// Removes a long value, and the chunks of a long text.
    static func remove(_ column: UInt32, _ row: Int64, isText: Bool, from writer: any StorageWriter) {
        writer.remove(FixedTree.longValues, key(column, row))
        if isText { removeChunks(column, row, from: writer) }
    }

    static func removeChunks(_ column: UInt32, _ row: Int64, from writer: any StorageWriter) {
        writer.removeRange(
            FixedTree.longValues, from: key(column, row, chunk: 0), upTo: key(column, row, chunk: .max))
    }
}
