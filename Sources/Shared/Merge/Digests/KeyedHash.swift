/// SipHash-2-4 with an output of 128 bits.
///
/// Each resync draws a new key, so nobody can prepare objects that fall into one range or whose sums collide.
package struct KeyedHash: Sendable {
    private let first: UInt64
    private let second: UInt64

    package init(key first: UInt64, _ second: UInt64) {
        self.first = first
        self.second = second
    }

    package func digest(of bytes: [UInt8]) -> Digest {
        bytes.withUnsafeBytes { digest(of: $0) }
    }

    private func digest(of bytes: UnsafeRawBufferPointer) -> Digest {
        var state = State(first, second)
        var offset = 0
        while offset + 8 <= bytes.count {
            state.take(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        var last = UInt64(truncatingIfNeeded: bytes.count) << 56
        for (place, byte) in bytes[offset...].enumerated() { last |= UInt64(byte) << (8 * UInt64(place)) }
        state.take(last)
        return state.finish()
    }

    private struct State {
        var v0: UInt64
        var v1: UInt64
        var v2: UInt64
        var v3: UInt64

        init(_ first: UInt64, _ second: UInt64) {
            v0 = first ^ 0x736F_6D65_7073_6575
            v1 = second ^ 0x646F_7261_6E64_6F6D ^ 0xEE
            v2 = first ^ 0x6C79_6765_6E65_7261
            v3 = second ^ 0x7465_6462_7974_6573
        }

        mutating func take(_ word: UInt64) {
            v3 ^= word
            mix()
            mix()
            v0 ^= word
        }

        mutating func finish() -> Digest {
            v2 ^= 0xEE
            for _ in 0..<4 { mix() }
            let low = v0 ^ v1 ^ v2 ^ v3
            v1 ^= 0xDD
            for _ in 0..<4 { mix() }
            return Digest(low: low, high: v0 ^ v1 ^ v2 ^ v3)
        }

        private mutating func mix() {
            v0 &+= v1
            v1 = (v1 << 13 | v1 >> 51) ^ v0
            v0 = v0 << 32 | v0 >> 32
            v2 &+= v3
            v3 = (v3 << 16 | v3 >> 48) ^ v2
            v0 &+= v3
            v3 = (v3 << 21 | v3 >> 43) ^ v0
            v2 &+= v1
            v1 = (v1 << 17 | v1 >> 47) ^ v2
            v2 = v2 << 32 | v2 >> 32
        }
    }
}
