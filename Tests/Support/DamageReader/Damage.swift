import CausewaySeeds

/// What can happen to a file that lies on a disk, drawn from a seed.
enum Damage {
    case bit(offset: Int, mask: UInt8)
    case zeroedPages(first: Int, count: Int)
    case swappedPages(Int, Int)
    case otherBytes(offset: Int, [UInt8])
    case cut(length: Int)

    static let pageBytes = 4096

    /// The newest state of a closed file has two headers, so one of them may be lost (FILE.md). No damage that is drawn
    /// loses two: then an older state is the right answer. An encrypted header counts only in its own slot, so swapping
    /// two headers of an encrypted file loses both.
    init(seed: UInt64, fileSize: Int, isEncrypted: Bool) {
        var numbers = SeededNumbers(seed: seed)
        let pages = fileSize / Self.pageBytes
        self =
            switch seed % 8 {
            case 0, 1, 2: .bit(offset: numbers.below(fileSize), mask: 1 << UInt8(numbers.below(8)))
            case 3: .zeroedPages(first: numbers.below(pages), count: 1)
            case 4: .zeroedPages(first: 4 + numbers.below(pages - 4), count: 1 + numbers.below(6))
            // Not a header with another page: with the header that vouches for it lost, a state with a lost page is what
            // a torn commit leaves behind, and an older state is the right answer.
            case 5:
                numbers.once(in: 8)
                    ? isEncrypted
                        ? .zeroedPages(first: numbers.below(4), count: 1)
                        : .swappedPages(numbers.below(4), numbers.below(4))
                    : .swappedPages(4 + numbers.below(pages - 4), 4 + numbers.below(pages - 4))
            case 6: .otherBytes(in: fileSize, &numbers)
            default:
                .cut(
                    length: numbers.once(in: 2)
                        ? numbers.number(1...pages) * Self.pageBytes : numbers.number(5000...fileSize))
            }
    }

    private static func otherBytes(in fileSize: Int, _ numbers: inout SeededNumbers) -> Damage {
        let offset = numbers.below(fileSize)
        let other = numbers.bytes(1 + numbers.below(200))
        let leftInPage = pageBytes - offset % pageBytes
        return .otherBytes(offset: offset, offset < 4 * pageBytes ? Array(other.prefix(leftInPage)) : other)
    }

    func apply(to bytes: inout [UInt8]) {
        switch self {
        case .bit(let offset, let mask): bytes[offset] ^= mask
        case .zeroedPages(let first, let count):
            for offset in first * Self.pageBytes..<min((first + count) * Self.pageBytes, bytes.count) {
                bytes[offset] = 0
            }
        case .swappedPages(let left, let right):
            for offset in 0..<Self.pageBytes {
                bytes.swapAt(left * Self.pageBytes + offset, right * Self.pageBytes + offset)
            }
        case .otherBytes(let offset, let other):
            for (index, byte) in other.enumerated() where offset + index < bytes.count { bytes[offset + index] = byte }
        case .cut(let length): bytes.removeLast(max(0, bytes.count - length))
        }
    }
}
