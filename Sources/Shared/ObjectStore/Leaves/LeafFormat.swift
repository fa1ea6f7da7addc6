// The bytes of a leaf; FORMAT.md has the table. Everything is little-endian and may lie at any even address.

/// The slots of a leaf. With 8-byte values, header and null bitmap it has 8,176 bytes, 16 less than two pages of the
/// file.
package let slotsPerLeaf = 1000

/// How the values of a column lie in its leaves.
@usableFromInline
package enum LeafKind: UInt8, Sendable {
    /// Integers and links (keys of objects), relative to the leaf's minimum.
    case integer = 1
    case bits = 2
    case float = 3
    case double = 4
    /// Strings and data.
    case bytes = 5
    /// Seconds like integers, nanoseconds beside them when there are any.
    case timestamp = 6
    case fixed12 = 7
    case fixed16 = 8
}

/// Offsets and sizes of the header's fields.
enum LeafLayout {
    static let kind = 0
    static let width = 1
    static let secondWidth = 2
    static let flags = 3
    static let count = 4
    static let nullCount = 6
    static let minimum = 8
    static let maximum = 16
    static let byteCount = 24
    static let payloadOffset = 28
    static let dictionaryCount = 30
    static let secondOffset = 32
    /// Where a ``LongLeaf`` has its address; zero in a file.
    static let longLeaf = 40

    static let headerBytes = 48
    static let nullBitmapBytes = 128
    /// Where the payload begins in a leaf that has a null bitmap.
    static let payloadBehindNulls = 176

    static let flagZone: UInt8 = 1
    static let flagDictionary: UInt8 = 2
    /// The last 128 bytes say which values lie elsewhere, see ``LongValues``.
    static let flagLong: UInt8 = 4
}

/// The words of a bitmap over a leaf's slots; slots 1,000 and up are always clear in results.
let wordsPerLeaf = 16
