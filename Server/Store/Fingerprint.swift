/// A name of 64 bits for a sequence of texts: equal for equal ones, in every process. FNV-1a, so not a seal: whoever lies
/// about one only gets what the other has.
package struct Fingerprint {
    private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    /// Never zero, which stands for nothing to name.
    package var value: UInt64 { max(hash, 1) }

    package mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
        // No text holds this byte, so that two texts are not one.
        add(0xFF)
    }

    private mutating func add(_ byte: UInt8) {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}
