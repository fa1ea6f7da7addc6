/// The hash of 224 bits of FIPS 180-4, which swift-crypto does not offer. Realm checks each encrypted block with it.
package struct SHA224 {
    static let blockBytes = 64
    static let digestBytes = 28

    private static let start: [UInt32] = [
        0xC105_9ED8, 0x367C_D507, 0x3070_DD17, 0xF70E_5939, 0xFFC0_0B31, 0x6858_1511, 0x64F9_8FA7, 0xBEFA_4FA4,
    ]

    /// The first 32 bits of the fractions of the cube roots of the first 64 primes.
    private static let rounds: [UInt32] = [
        0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
        0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
        0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
        0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7, 0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
        0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
        0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
        0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
        0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
    ]

    private var state = start
    private var words = [UInt32](repeating: 0, count: 64)

    package static func digest(_ message: [UInt8]) -> [UInt8] {
        var hash = SHA224()
        var padded = message + [0x80]
        padded += [UInt8](repeating: 0, count: (2 * blockBytes - 8 - padded.count % blockBytes) % blockBytes)
        let bits = UInt64(message.count) * 8
        padded += (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) }
        padded.withUnsafeBytes { bytes in
            for place in stride(from: 0, to: bytes.count, by: blockBytes) { hash.take(bytes, place) }
        }
        return hash.state.prefix(digestBytes / 4).flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) }
        }
    }

    private mutating func take(_ bytes: UnsafeRawBufferPointer, _ place: Int) {
        for index in 0..<16 {
            words[index] = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place + 4 * index, as: UInt32.self))
        }
        for index in 16..<64 {
            let (early, late) = (words[index - 15], words[index - 2])
            let first = Self.turned(early, 7) ^ Self.turned(early, 18) ^ early >> 3
            let second = Self.turned(late, 17) ^ Self.turned(late, 19) ^ late >> 10
            words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let sum = Self.turned(e, 6) ^ Self.turned(e, 11) ^ Self.turned(e, 25)
            let choice = e & f ^ ~e & g
            let first = h &+ sum &+ choice &+ Self.rounds[index] &+ words[index]
            let majority = a & b ^ a & c ^ b & c
            let second = (Self.turned(a, 2) ^ Self.turned(a, 13) ^ Self.turned(a, 22)) &+ majority
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] = state[index] &+ word }
    }

    private static func turned(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }
}

extension SHA224 {
    /// The authentication code of RFC 2104.
    ///
    /// - Precondition: the key is no longer than a block.
    package static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        precondition(key.count <= blockBytes)
        let padded = key + [UInt8](repeating: 0, count: blockBytes - key.count)
        return digest(padded.map { $0 ^ 0x5C } + digest(padded.map { $0 ^ 0x36 } + message))
    }
}
