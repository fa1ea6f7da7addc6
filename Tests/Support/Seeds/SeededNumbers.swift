/// SplitMix64: the same numbers from the same seed everywhere, so that a run can be made again from the seed it prints.
package struct SeededNumbers: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    package mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    package mutating func below(_ limit: Int) -> Int { number(0...limit - 1) }

    /// True once in so many times.
    package mutating func once(in times: Int) -> Bool { number(1...times) == 1 }

    package mutating func happens(percent: Int) -> Bool { below(100) < percent }

    package mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }

    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }
}
