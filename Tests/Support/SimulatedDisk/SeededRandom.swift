/// SplitMix64: small, fast, and the same on every machine.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    /// One generator for each combination of numbers, unlike its neighbours'.
    package init(_ numbers: UInt64...) {
        state = 0
        for number in numbers { state = next() ^ number }
        state = next()
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    package mutating func number(below bound: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    package mutating func happens(_ chance: Int, in many: Int) -> Bool { number(below: many) < chance }
}
