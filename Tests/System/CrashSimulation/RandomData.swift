import CausewaySimulatedDisk
import CausewayStorage

/// Keys, values and leaves of all sizes, by seed.
struct RandomData {
    var random: SeededRandom
    let seed: UInt64
    let keys: Int

    init(seed: UInt64, keys: Int) {
        self.seed = seed
        self.keys = keys
        random = SeededRandom(seed, 2)
    }

    mutating func tree() -> UInt32 { Places.trees[random.number(below: Places.trees.count)] }

    /// One of the workload's keys: a small number of them, so that they are hit again and again.
    mutating func key() -> [UInt8] {
        let number = random.number(below: keys)
        var own = SeededRandom(seed, 3, UInt64(number))
        let length =
            switch own.number(below: 100) {
            case 0..<90: 1 + own.number(below: 24)
            case 90..<95: 1 + own.number(below: 300)
            case 95..<98: 980 + own.number(below: 60)
            default: 1_000 + own.number(below: 5_000)
            }
        // Long common beginnings and short ones; the number at the end keeps keys apart.
        var key = [UInt8](repeating: own.happens(1, in: 2) ? 0x61 : UInt8(own.number(below: 256)), count: length)
        for place in key.indices where own.happens(1, in: 3) { key[place] = UInt8(own.number(below: 256)) }
        key.append(UInt8(number >> 8))
        key.append(UInt8(number & 0xFF))
        return key
    }

    mutating func value() -> [UInt8] {
        switch random.number(below: 100) {
        case 0..<80: bytes(random.number(below: 60))
        case 80..<90: bytes(random.number(below: 900))
        case 90..<95: bytes(960 + random.number(below: 100))
        case 95..<99: bytes(1_000 + random.number(below: 9_000))
        default: bytes(4_096 * (1 + random.number(below: 4)))
        }
    }

    mutating func place() -> LeafPlace { Places.leaves[random.number(below: Places.leaves.count)] }

    mutating func leaf() -> [UInt8] {
        switch random.number(below: 100) {
        case 0..<50: bytes(random.number(below: 400))
        case 50..<80: bytes(random.number(below: 4_200))
        case 80..<88: bytes(4_096 * (1 + random.number(below: 3)) - 1 + random.number(below: 3))
        case 88..<92: [UInt8](repeating: 0, count: random.number(below: 6_000))
        case 92..<99: bytes(random.number(below: 20_000))
        default: bytes(random.number(below: 80_000))
        }
    }

    private mutating func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            var place = 0
            while place < count {
                var word = random.next()
                for _ in 0..<min(8, count - place) {
                    buffer[place] = UInt8(truncatingIfNeeded: word)
                    word >>= 8
                    place += 1
                }
            }
            initialized = count
        }
    }
}
