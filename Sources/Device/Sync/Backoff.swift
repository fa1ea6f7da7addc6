/// How long to wait before the next attempt: twice as long after each failure, never the same for two devices.
package struct Backoff: Hashable, Sendable {
    package private(set) var failures = 0
    private let minimum: UInt64
    private let maximum: UInt64

    package init(minimumMilliseconds: UInt64, maximumMilliseconds: UInt64) {
        minimum = minimumMilliseconds
        maximum = maximumMilliseconds
    }

    /// The wait after one more failure, in milliseconds: between half and all of the doubled step, so that the devices
    /// of a server that comes back do not all arrive in the same instant.
    package mutating func next(using random: inout some RandomNumberGenerator) -> UInt64 {
        // More doublings than bits would overflow; the maximum is reached long before.
        let doublings = min(failures, 40)
        failures += 1
        let (step, overflow) = minimum.multipliedReportingOverflow(by: 1 << UInt64(doublings))
        let bound = overflow ? maximum : min(step, maximum)
        return UInt64.random(in: (bound / 2)...bound, using: &random)
    }

    package mutating func reset() {
        failures = 0
    }
}
