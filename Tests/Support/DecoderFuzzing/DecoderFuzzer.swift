import CausewaySeeds

/// Inputs that are messages, nearly messages or noise, each given to the decoder it is meant for.
package struct DecoderFuzzer {
    private let targets: [FuzzTarget]
    private var seeds: FuzzSeeds
    package private(set) var readCount = 0

    /// - Parameter targets: drawn from in turn.
    package init(seed: UInt64, targets: [FuzzTarget] = FuzzTarget.allCases) {
        self.targets = targets
        seeds = FuzzSeeds(numbers: SeededNumbers(seed: seed))
    }

    package mutating func run(count: Int) throws(FuzzFinding) {
        for number in 0..<count {
            let target = targets[number % targets.count]
            if case .read = try target.check(input(for: target)) { readCount += 1 }
        }
    }

    /// A valid input of the target, as a beginning for those who change it.
    package static func seed(_ seed: UInt64, for target: FuzzTarget) -> [UInt8] {
        var seeds = FuzzSeeds(numbers: SeededNumbers(seed: seed))
        return seeds.input(for: target)
    }

    private mutating func input(for target: FuzzTarget) -> [UInt8] {
        let valid = seeds.input(for: target)
        switch seeds.numbers.below(12) {
        case 0: return valid
        case 1: return Array(valid.prefix(seeds.numbers.below(valid.count + 1)))
        case 2: return seeds.numbers.bytes(seeds.numbers.below(60))
        case 3:
            let other = seeds.input(for: target)
            return valid.prefix(seeds.numbers.below(valid.count + 1))
                + other.suffix(seeds.numbers.below(other.count + 1))
        default: return damaged(valid)
        }
    }

    /// Bytes that mean much where a size, a count or a kind stands.
    private static let telling: [UInt8] = [0, 1, 2, 3, 0x7F, 0x80, 0xFF, 0xFE]

    private mutating func damaged(_ valid: [UInt8]) -> [UInt8] {
        var bytes = valid
        for _ in 0..<seeds.numbers.below(4) + 1 {
            let place = seeds.numbers.below(bytes.count + 1)
            switch seeds.numbers.below(7) {
            case 0: bytes.insert(seeds.numbers.one(of: Self.telling), at: place)
            case 1: bytes.removeSubrange(place..<min(bytes.count, place + seeds.numbers.below(4)))
            case 2: bytes.insert(contentsOf: longNumber(), at: place)
            case 3:
                // A stretch again: a field twice, a run that comes once more.
                let end = min(bytes.count, place + seeds.numbers.below(16))
                bytes.insert(contentsOf: bytes[place..<end], at: seeds.numbers.below(bytes.count + 1))
            case 4 where place < bytes.count: bytes[place] = seeds.numbers.one(of: Self.telling)
            case 5 where place < bytes.count: bytes[place] ^= 1 << UInt8(seeds.numbers.below(8))
            default: if place < bytes.count { bytes[place] = UInt8(truncatingIfNeeded: seeds.numbers.next()) }
            }
        }
        return bytes
    }

    /// A number of up to ten bytes, as sizes and counts are written.
    private mutating func longNumber() -> [UInt8] {
        let length = seeds.numbers.below(10) + 1
        return (1..<length).map { _ in UInt8.random(in: 0x80...0xFF, using: &seeds.numbers) }
            + [UInt8(seeds.numbers.below(3) + 1)]
    }
}
