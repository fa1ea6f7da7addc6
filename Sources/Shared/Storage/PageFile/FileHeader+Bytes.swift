import CStorage

/// The bytes of a header: a clear part that identifies the file, and a body, which is sealed in an encrypted file.
///
///     0   8  "Causeway"
///     8   2  format
///     10  2  flags: 1 encrypted
///     12  4  page size
///     16  16 file id
///     32  8  transaction
///     40  16 salt of the session     zero in a plain file
///     56  16 key check               zero in a plain file
///     72  8  draw of the header's nonce      zero in a plain file
///     80  …  body
///     4080   checksum (XXH3 of bytes 0 to 4079) and zero, or the authentication tag
enum HeaderLayout {
    static let magic: UInt64 = UInt64(littleEndian: 0x7961_7765_7375_6143)
    static let encryptedFlag: UInt16 = 1
    static let formatOffset = 8
    static let flagsOffset = 10
    static let pageSizeOffset = 12
    static let fileIDOffset = 16
    static let transactionOffset = 32
    static let saltOffset = 40
    static let keyCheckOffset = 56
    static let bodyOffset = 80
    static let trailerOffset = 4080
    static let segmentLimit = 12
    /// The room for the newest changes of the free space, behind the fixed fields and the segments.
    static let inlineLimit = trailerOffset - bodyOffset - 144 - segmentLimit * PagePointer.byteCount
}

extension FileHeader {
    /// Fills a zeroed page, except for the trailer and the fields that only an encrypted file has.
    func encode(into page: UnsafeMutableRawPointer, isEncrypted: Bool) {
        var writer = ByteCursor(page)
        writer.put(HeaderLayout.magic)
        writer.put(Self.format)
        writer.put(isEncrypted ? HeaderLayout.encryptedFlag : 0)
        writer.put(UInt32(Pages.sizeBytes))
        writer.put(fileID.low)
        writer.put(fileID.high)
        writer.put(transaction)
        writer = ByteCursor(page + HeaderLayout.bodyOffset)
        for number in [version, durableTransaction, syncedTransaction] { writer.put(number) }
        for pointer in [state.trees, state.directory, sessions] { writer.put(pointer) }
        writer.put(state.livePages)
        writer.put(freeSpace.endPage)
        writer.put(UInt16(freeSpace.segments.count))
        writer.put(UInt16(freeSpace.inline.count))
        for segment in freeSpace.segments { writer.put(segment) }
        freeSpace.inline.withUnsafeBytes { writer.put($0) }
    }

    /// Nil when the bytes cannot be a header; the caller has checked the trailer.
    init?(_ page: UnsafeRawPointer) {
        var reader = ByteCursor(UnsafeMutableRawPointer(mutating: page + HeaderLayout.fileIDOffset))
        fileID = FileID(low: reader.take(), high: reader.take())
        transaction = reader.take()
        reader = ByteCursor(UnsafeMutableRawPointer(mutating: page + HeaderLayout.bodyOffset))
        version = reader.take()
        durableTransaction = reader.take()
        syncedTransaction = reader.take()
        let trees = reader.takePointer()
        let directory = reader.takePointer()
        sessions = reader.takePointer()
        state = CommittedState(trees: trees, directory: directory, livePages: reader.take())
        let endPage: UInt32 = reader.take()
        let segmentCount = Int(reader.take() as UInt16)
        let inlineCount = Int(reader.take() as UInt16)
        guard segmentCount <= HeaderLayout.segmentLimit, inlineCount <= HeaderLayout.inlineLimit,
            transaction > 0, transaction < PagePointer.birthLimit
        else { return nil }
        let segments = (0..<segmentCount).map { _ in reader.takePointer() }
        freeSpace = FreeSpaceRecord(endPage: endPage, inline: reader.take(count: inlineCount), segments: segments)
    }
}

/// Reads and writes the fields of a page one after the other.
private struct ByteCursor {
    private var position: UnsafeMutableRawPointer

    init(_ start: UnsafeMutableRawPointer) {
        position = start
    }

    mutating func put<Number: FixedWidthInteger>(_ number: Number) {
        position.storeBytes(of: number.littleEndian, as: Number.self)
        position += MemoryLayout<Number>.size
    }

    mutating func put(_ pointer: PagePointer) {
        pointer.store(to: position)
        position += PagePointer.byteCount
    }

    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        if let base = bytes.baseAddress { position.copyMemory(from: base, byteCount: bytes.count) }
        position += bytes.count
    }

    mutating func take<Number: FixedWidthInteger>() -> Number {
        defer { position += MemoryLayout<Number>.size }
        return Number(littleEndian: position.loadUnaligned(as: Number.self))
    }

    mutating func takePointer() -> PagePointer {
        defer { position += PagePointer.byteCount }
        return PagePointer.load(from: position)
    }

    mutating func take(count: Int) -> [UInt8] {
        defer { position += count }
        return Array(UnsafeRawBufferPointer(start: position, count: count))
    }
}
