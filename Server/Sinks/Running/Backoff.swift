package import CausewayEnvironment

/// How long to wait before the next attempt: twice as long after each failure, up to a bound, and up to half of it less at random,
/// so that those who failed together do not come back together.
package struct Backoff: Sendable {
    private var failures = 0
    private let random: any RandomSource

    package static let firstMilliseconds: UInt64 = 250
    package static let lastMilliseconds: UInt64 = 300_000

    package init(random: any RandomSource) {
        self.random = random
    }

    package mutating func succeeded() { failures = 0 }

    /// - Returns: milliseconds.
    package mutating func failed() -> UInt64 {
        let doublings = min(failures, 32)
        failures += 1
        let whole = min(Self.lastMilliseconds, Self.firstMilliseconds << UInt64(doublings))
        return whole - random.number(below: whole / 2 + 1)
    }
}
