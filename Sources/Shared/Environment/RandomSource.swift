/// The source of all randomness: client ids, session ids, jitter. A test passes a seeded one to replay a run.
///
/// The name avoids a clash with Swift's `RandomNumberGenerator`, whose `next` mutates, so it cannot be shared.
package protocol RandomSource: Sendable {
    func next() -> UInt64
}

extension RandomSource {
    /// A random number other than zero, for identities where zero means "none".
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

/// The system's cryptographically secure generator.
package struct SystemRandom: RandomSource {
    package init() {}

    package func next() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}
