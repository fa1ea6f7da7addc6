/// Whether bytes are UTF-8.
enum UTF8Text {
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        isASCII(bytes) || String(validating: bytes, as: UTF8.self) != nil
    }

    private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var place = 0
        var bits: UInt64 = 0
        while place &+ 8 <= bytes.count {
            bits |= bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            place &+= 8
        }
        while place < bytes.count {
            bits |= UInt64(bytes[place])
            place &+= 1
        }
        return bits & highBits == 0
    }
}
