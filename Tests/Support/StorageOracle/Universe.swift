import CausewaySeeds
import CausewayStorage

/// What sequences write: few keys, so that they meet often, and sizes on both sides of every border of a page.
struct Universe {
    static let trees: [UInt32] = [1, 2, 77]
    private static let columns: [UInt32] = [0, 1, 130, .max]
    private static let numbers: [UInt32] = [0, 1, 2, 127, 128, 16_383, 16_384, .max]
    static let places = columns.flatMap { column in numbers.map { LeafPlace(column: column, number: $0) } }

    static func key(_ random: inout SeededNumbers) -> [UInt8] {
        let tail = (0..<random.number(0...3)).map { _ in random.one(of: [0, 1, 2, 254, 255] as [UInt8]) }
        switch random.number(0...19) {
        case 0: return Array(repeating: 7, count: random.number(300...450)) + tail
        case 1...9: return Array("shared text ".utf8) + tail
        default: return tail
        }
    }

    /// Of a key like those of an index: many that ascend.
    static func key(number: Int) -> [UInt8] {
        Array("index".utf8) + withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
    }

    static func value(_ random: inout SeededNumbers) -> [UInt8] {
        let count =
            switch random.number(0...29) {
            case 0: random.number(4080...9000)
            case 1...3: random.number(200...1100)
            default: random.number(0...20)
            }
        return Array(repeating: UInt8(truncatingIfNeeded: random.number(0...255)), count: count)
    }

    static func leaf(_ random: inout SeededNumbers) -> [UInt8] {
        let count = random.one(of: [0, 1, 100, 1048, 4095, 4096, 4097, 8176, 20_000])
        return Array(repeating: UInt8(truncatingIfNeeded: random.number(0...255)), count: count)
    }
}
