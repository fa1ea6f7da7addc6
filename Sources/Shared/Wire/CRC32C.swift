/// The CRC-32C (Castagnoli) checksum of a frame, as in iSCSI, ext4 and Btrfs.
///
/// It is computed eight bytes at a time with tables. Hardware instructions would gain little, because compressing the
/// frame costs far more.
struct CRC32C {
    private var state: UInt32 = .max

    var value: UInt32 { ~state }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var crc = state
        Self.tables.withUnsafeBufferPointer { tables in
            var offset = 0
            while bytes.count - offset >= 8 {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                let low = UInt32(truncatingIfNeeded: word) ^ crc
                let high = UInt32(truncatingIfNeeded: word >> 32)
                crc = tables[7 << 8 | Int(low & 0xFF)]
                crc ^= tables[6 << 8 | Int(low >> 8 & 0xFF)]
                crc ^= tables[5 << 8 | Int(low >> 16 & 0xFF)]
                crc ^= tables[4 << 8 | Int(low >> 24)]
                crc ^= tables[3 << 8 | Int(high & 0xFF)]
                crc ^= tables[2 << 8 | Int(high >> 8 & 0xFF)]
                crc ^= tables[1 << 8 | Int(high >> 16 & 0xFF)]
                crc ^= tables[Int(high >> 24)]
                offset += 8
            }
            while offset < bytes.count {
                crc = crc >> 8 ^ tables[Int((crc ^ UInt32(bytes[offset])) & 0xFF)]
                offset += 1
            }
        }
        state = crc
    }

    /// Eight tables of 256 entries: table `n` advances a byte over `n` more zero bytes.
    private static let tables: [UInt32] = {
        let reflectedPolynomial: UInt32 = 0x82F6_3B78
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var crc = UInt32(byte)
            for _ in 0..<8 {
                crc = crc & 1 == 1 ? crc >> 1 ^ reflectedPolynomial : crc >> 1
            }
            tables[byte] = crc
        }
        for entry in 256..<8 * 256 {
            let shorter = tables[entry - 256]
            tables[entry] = shorter >> 8 ^ tables[Int(shorter & 0xFF)]
        }
        return tables
    }()
}
