/// A 64-bit name for a sequence of texts: equal for equal sequences, in every process. FNV-1a is no cryptographic hash:
/// a client that lies about a fingerprint only gets what the other fingerprint stands for.
package struct Fingerprint {
    private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    /// Never zero: zero means that there is nothing to name.
    package var value: UInt64 { max(hash, 1) }

    package mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
        // No UTF-8 text holds this byte, so two texts never hash like their concatenation.
        add(0xFF)
    }

    private mutating func add(_ byte: UInt8) {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}
