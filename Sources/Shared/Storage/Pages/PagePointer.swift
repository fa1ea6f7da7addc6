/// The place of a page or a run of pages, and what it must look like.
///
/// A parent holds the checksum of its child, so a checksum of the root covers everything below it. It also holds the
/// birth, so a search for changes since a transaction can skip everything below an older page.
/// Stored as 32 bytes, little-endian, in the header, in branch nodes, in directory nodes and beside overflowing values.
struct PagePointer: Hashable, Sendable {
    /// The number of the first page. Page 0 is a header, so no pointer leads there: zero means no pointer.
    var page: UInt32
    /// Bytes of a run; entries below a tree node; leaves below a directory node.
    var extent: UInt32
    /// The transaction that wrote it, below 2^56.
    var birth: UInt64
    /// Height above the leaves of its structure: 0 for a run, and for a leaf node of the trees.
    var level: UInt8
    /// XXH3 of the bytes, or, in an encrypted file, the two halves of their authentication tag.
    var check: UInt64
    var checkHigh: UInt64

    static let none = PagePointer(page: 0, extent: 0, birth: 0, level: 0, check: 0, checkHigh: 0)
    static let byteCount = 32
    static let birthLimit: UInt64 = 1 << 56

    var isNone: Bool { page == 0 }
}

extension PagePointer {
    @inline(__always)
    static func load(from bytes: UnsafeRawPointer) -> PagePointer {
        let birthAndLevel = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        return PagePointer(
            page: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt32.self)),
            extent: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)),
            birth: birthAndLevel & (birthLimit - 1),
            level: UInt8(truncatingIfNeeded: birthAndLevel >> 56),
            check: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)),
            checkHigh: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)))
    }

    @inline(__always)
    func store(to bytes: UnsafeMutableRawPointer) {
        bytes.storeBytes(of: page.littleEndian, toByteOffset: 0, as: UInt32.self)
        bytes.storeBytes(of: extent.littleEndian, toByteOffset: 4, as: UInt32.self)
        bytes.storeBytes(of: (birth | UInt64(level) << 56).littleEndian, toByteOffset: 8, as: UInt64.self)
        bytes.storeBytes(of: check.littleEndian, toByteOffset: 16, as: UInt64.self)
        bytes.storeBytes(of: checkHigh.littleEndian, toByteOffset: 24, as: UInt64.self)
    }
}
