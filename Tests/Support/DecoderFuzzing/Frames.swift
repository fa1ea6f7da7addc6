/// Frames as PROTOCOL.md describes them, written by hand: what a client that lies would send.
package enum Frames {
    /// The message in one frame, as it is.
    package static func encode(_ message: [UInt8]) -> [UInt8] {
        frame(stored: message, flags: 0)
    }

    /// A frame with a right checksum around anything.
    package static func frame(stored: [UInt8], flags: UInt8) -> [UInt8] {
        var head = size(stored.count)
        head.append(flags)
        return head + size(Int(checksum(head + stored))) + stored
    }

    private static func size(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).littleEndian) { Array($0) }
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
    }

    /// CRC-32C, bit by bit as its definition has it.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
    }
}
