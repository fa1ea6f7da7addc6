import CausewayModel
import CausewayStorage

/// How much goes into one entry of a list's tree. FORMAT.md has the bounds that readers rely on.
enum ListBounds {
    /// A list up to both of these is one entry.
    static let shortCount = 64
    static let shortBytes = 1024
    /// A chunk fills one page of the file; its size is measured in bits, so that null bitmaps count.
    static let chunkBits = 4080 * 8
    static let chunkCount = 4096
    static let groupCount = 128

    static func elementBits(_ type: PropertyType) -> Int { ElementLayout.size(type) * 8 + 1 }
}

/// What the directory of a list says about one chunk, or about one group of chunks.
struct ListPart {
    var id: UInt32
    var count: Int
}

/// The entry of a long list under its object's key: the list's count, and its directory of chunks or of groups.
struct ListHead {
    static let headerBytes = 16
    static let flagChunked: UInt8 = 2

    var count: Int
    /// Whether the parts are groups of chunks, each with an entry of its own, and not chunks.
    var hasGroups: Bool
    /// No part has had this number or a higher one.
    var nextID: UInt32
    var parts: [ListPart]

    init(count: Int, hasGroups: Bool, nextID: UInt32, parts: [ListPart]) {
        self.count = count
        self.hasGroups = hasGroups
        self.nextID = nextID
        self.parts = parts
    }

    static func isHead(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= headerBytes && bytes[4] == flagChunked
    }

    /// Nil when the bytes contradict themselves.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard Self.isHead(bytes), bytes[5] == 1 || bytes[5] == 2 else { return nil }
        count = Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
        hasGroups = bytes[5] == 2
        nextID = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        let largest = hasGroups ? ListBounds.groupCount * ListBounds.chunkCount : ListBounds.chunkCount
        let rest = UnsafeRawBufferPointer(rebasing: bytes[Self.headerBytes...])
        // Half of all numbers must be left, so that no transaction runs out of them.
        guard nextID <= UInt32.max / 2, let parts = Self.parts(rest, largest: largest, count: count) else { return nil }
        guard hasGroups || parts.count <= ListBounds.groupCount else { return nil }
        self.parts = parts
    }

    /// The chunks that a group's entry names; nil when it contradicts itself or the count.
    static func chunks(ofGroup bytes: UnsafeRawBufferPointer, count: Int) -> [ListPart]? {
        guard bytes.count <= ListBounds.groupCount * 8 else { return nil }
        return parts(bytes, largest: ListBounds.chunkCount, count: count)
    }

    private static func parts(_ bytes: UnsafeRawBufferPointer, largest: Int, count: Int) -> [ListPart]? {
        guard bytes.count % 8 == 0, !bytes.isEmpty else { return nil }
        var sum = 0
        var parts: [ListPart] = []
        parts.reserveCapacity(bytes.count / 8)
        for offset in stride(from: 0, to: bytes.count, by: 8) {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            let part = ListPart(id: UInt32(truncatingIfNeeded: word), count: Int(word >> 32))
            guard part.count > 0, part.count <= largest, part.id != 0 else { return nil }
            sum += part.count
            parts.append(part)
        }
        return sum == count ? parts : nil
    }

    // MARK: - Writing

    var encoded: [UInt8] {
        var result: [UInt8] = []
        withUnsafeBytes(of: UInt32(count).littleEndian) { result.append(contentsOf: $0) }
        result += [Self.flagChunked, hasGroups ? 2 : 1, 0, 0]
        withUnsafeBytes(of: nextID.littleEndian) { result.append(contentsOf: $0) }
        result += [0, 0, 0, 0]
        return result + Self.encode(parts)
    }

    static func encode(_ parts: [ListPart]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(parts.count * 8)
        for part in parts {
            let word = UInt64(part.id) | UInt64(part.count) << 32
            withUnsafeBytes(of: word.littleEndian) { result.append(contentsOf: $0) }
        }
        return result
    }
}

/// Keys of a list's tree: an object's key, and behind it the number of a chunk or group.
enum ListKey {
    static func head(_ key: ObjectKey) -> [UInt8] {
        withUnsafeBytes(of: UInt64(bitPattern: key.rawValue).bigEndian) { Array($0) }
    }

    static func part(_ key: ObjectKey, _ id: UInt32) -> [UInt8] {
        head(key) + withUnsafeBytes(of: id.bigEndian) { Array($0) }
    }
}
