/// The door to randomness: client ids, session ids, jitter. A test hands in a seeded one and replays a run.
///
/// Named so as not to clash with Swift's `RandomNumberGenerator`, whose `next` mutates and so cannot be shared.
package protocol RandomSource: Sendable {
    func next() -> UInt64
}

extension RandomSource {
    /// A number that may serve as an identity, where zero means "none".
    package func nextNonZero() -> UInt64 {
        while true {
            let number = next()
            if number != 0 { return number }
        }
    }

    package func number(below bound: UInt64) -> UInt64 {
        precondition(bound > 0, "There is no number below zero.")
        // The high half of a 128-bit product is uniform to within one part in 2^64 / bound.
        return next().multipliedFullWidth(by: bound).high
    }
}

/// The real one: the system's cryptographically secure generator.
package struct SystemRandom: RandomSource {
    package init() {}

    package func next() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}
