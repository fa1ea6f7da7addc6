import CausewaySeeds

/// The numbers that give a crash's seed its meaning: how they are drawn must not change, or old seeds replay new runs.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var source: SeededNumbers

    package init(seed: UInt64) {
        source = SeededNumbers(seed: seed)
    }

    /// One generator for each combination of numbers, unlike its neighbours'.
    package init(_ numbers: UInt64...) {
        let combined = numbers.reduce(0) { Self.mixed($0) ^ $1 }
        self.init(seed: Self.mixed(combined))
    }

    private static func mixed(_ number: UInt64) -> UInt64 {
        var numbers = SeededNumbers(seed: number)
        return numbers.next()
    }

    package mutating func next() -> UInt64 { source.next() }

    package mutating func number(below bound: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    package mutating func happens(_ chance: Int, in many: Int) -> Bool { number(below: many) < chance }
}
