/// The time of a wall clock that may be wrong for a moment: decides which readings are accepted.
///
/// A reading within a day of the last accepted one is accepted; if it is earlier, the time stays. A jump of more than a
/// day in either direction is accepted after it has lasted for ten minutes. Until then the time stays.
///
///     var clock = DoubtedClock(reading: 1_700_000_000_000)
///     clock.receive(1_700_000_060_000)    // .near: a minute later
///     clock.receive(4_102_444_800_000)    // .doubted: the year 2100
package struct DoubtedClock: Equatable, Sendable {
    /// The accepted time, in milliseconds since 1970.
    package private(set) var reading: UInt64
    /// The first reading of a jump that is not accepted yet; zero while there is none.
    package private(set) var leapStart: UInt64

    package static let leapMilliseconds: UInt64 = 86_400_000
    package static let leapConfirmedMilliseconds: UInt64 = 600_000

    package enum Finding: Equatable, Sendable {
        /// The reading is within a day: the time advanced, or stayed.
        case near
        case doubted
        /// A jump has lasted long enough and was accepted.
        case leap
    }

    package init(reading: UInt64, leapStart: UInt64 = 0) {
        self.reading = reading
        self.leapStart = leapStart
    }

    /// Takes a reading of the clock, in milliseconds since 1970.
    @discardableResult
    package mutating func receive(_ now: UInt64) -> Finding {
        guard Self.distance(now, reading) > Self.leapMilliseconds else {
            (reading, leapStart) = (max(reading, now), 0)
            return .near
        }
        guard leapStart > 0, now >= leapStart, now - leapStart <= Self.leapMilliseconds else {
            leapStart = now
            return .doubted
        }
        guard now - leapStart >= Self.leapConfirmedMilliseconds else { return .doubted }
        (reading, leapStart) = (now, 0)
        return .leap
    }

    private static func distance(_ one: UInt64, _ other: UInt64) -> UInt64 { one > other ? one - other : other - one }
}
