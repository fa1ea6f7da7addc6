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
    /// The room behind the fixed fields and the segments, for the newest changes of the free space and for those that the
    /// header carries.
    static let recordLimit = trailerOffset - bodyOffset - 144 - segmentLimit * PagePointer.byteCount
    /// The newest changes of the free space move into a segment when they have more bytes than this. Format 1 had no
    /// other use for the room, so its headers may have more.
    static let inlineLimit = 1024
    /// The most bytes that carried changes take: the free space has some room in any case.
    static let carriedLimit = recordLimit - FreeSpaceRecord.smallestInlineLimit

    /// The limit of the newest changes of the free space in a header that carries changes.
    static func inlineLimit(beside carried: CarriedChanges?) -> Int {
        min(inlineLimit, recordLimit - (carried?.byteCount ?? 0))
    }
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
        writer.put(UInt16(carried?.byteCount ?? 0))
        writer.put(UInt16(0))
        for segment in freeSpace.segments { writer.put(segment) }
        freeSpace.inline.withUnsafeBytes { writer.put($0) }
        carried?.encode(to: writer.position)
    }

    /// Nil when the bytes cannot be a header; the caller has checked the trailer.
    init?(_ page: UnsafeRawPointer) {
        var reader = ByteCursor(UnsafeMutableRawPointer(mutating: page + HeaderLayout.fileIDOffset))
        let format = UInt16(littleEndian: page.load(fromByteOffset: HeaderLayout.formatOffset, as: UInt16.self))
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
        let carriedCount = format == 1 ? 0 : Int(reader.take() as UInt16)
        if format > 1 { reader.position += 2 }
        guard segmentCount <= HeaderLayout.segmentLimit, carriedCount <= HeaderLayout.carriedLimit,
            inlineCount + carriedCount <= HeaderLayout.recordLimit, transaction > 0,
            transaction < PagePointer.birthLimit
        else { return nil }
        let segments = (0..<segmentCount).map { _ in reader.takePointer() }
        freeSpace = FreeSpaceRecord(endPage: endPage, inline: reader.take(count: inlineCount), segments: segments)
        guard carriedCount > 0 else { return }
        guard let carried = CarriedChanges(UnsafeRawBufferPointer(start: reader.position, count: carriedCount)) else {
            return nil
        }
        self.carried = carried
    }
}

/// Reads and writes the fields of a page one after the other.
struct ByteCursor {
    fileprivate(set) var position: UnsafeMutableRawPointer

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
