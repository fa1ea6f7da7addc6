/// Makes Swift strings of the bytes in a leaf.
///
/// A string of at most 15 bytes has no memory of its own: its bytes and its length are its two words. Texts of ASCII
/// are put together here from two loads, which takes a third of the time of the standard library's checked way. A
/// probe compares the words of both ways before the first use. If they differ, every text goes the standard way.
enum ShortTexts {
    private static let longest = 15
    /// The high bits of the last byte, above the length, in a short string of ASCII.
    private static let mark: UInt64 = 0xE0
    /// False until ``prepare()``.
    ///
    /// nonisolated(unsafe): written once, while `prepared` is made. Whoever reads a text has its class access, for which `prepare`
    /// was called, so the write happened before.
    @exclusivity(unchecked) nonisolated(unsafe) private(set) static var areAsDescribed = false
    private static let prepared: Void = { areAsDescribed = probe() }()

    /// Compares both ways, once for all. A constant that does so by itself would cost a call at every read.
    static func prepare() { prepared }

    /// The text of UTF-8 bytes. Bytes that are none become U+FFFD.
    @inline(__always)
    static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        guard bytes.count <= longest, areAsDescribed, let (low, high) = words(bytes) else {
            return String(decoding: bytes, as: UTF8.self)
        }
        return unsafeBitCast((low, high), to: String.self)
    }

    /// The two words of a short string; nil where a byte is not ASCII. Reads no byte outside of the buffer.
    @inline(__always)
    private static func words(_ bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64)? {
        let count = bytes.count
        var (low, high): (UInt64, UInt64) = (0, 0)
        if let base = bytes.baseAddress, count > 0 {
            if count >= 8 {
                low = base.loadUnaligned(as: UInt64.self)
                // The last eight bytes, without those that the first word has.
                high = base.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self) >> UInt64(8 &* (16 &- count))
            } else if count >= 4 {
                low = UInt64(base.loadUnaligned(as: UInt32.self))
                low |=
                    UInt64(base.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)) << UInt64(8 &* (count &- 4))
            } else {
                let middle = count &>> 1
                low = UInt64(base.load(as: UInt8.self))
                low |= UInt64(base.load(fromByteOffset: middle, as: UInt8.self)) << UInt64(8 &* middle)
                low |= UInt64(base.load(fromByteOffset: count &- 1, as: UInt8.self)) << UInt64(8 &* (count &- 1))
            }
        }
        guard (low | high) & 0x8080_8080_8080_8080 == 0 else { return nil }
        return (low, high | (mark | UInt64(count)) << 56)
    }

    /// Whether strings of every short length have the words that are described above.
    private static func probe() -> Bool {
        guard MemoryLayout<String>.size == MemoryLayout<(UInt64, UInt64)>.size else { return false }
        return (0...longest).allSatisfy { count in
            let bytes = (0..<count).map { UInt8(ascii: "a") + UInt8($0) }
            return bytes.withUnsafeBytes { bytes in
                let found = unsafeBitCast(String(decoding: bytes, as: UTF8.self), to: (UInt64, UInt64).self)
                return words(bytes).map { $0 == found } ?? false
            }
        }
    }
}
