/// The time by a wall clock that may be wrong for a moment: which of its readings are believed.
///
/// Within a day of what was believed last, the time goes on, or stays where the clock goes back a little. A leap of more
/// than that, either way, is believed once it has lasted for ten minutes; till then the time stays.
///
///     var clock = DoubtedClock(reading: 1_700_000_000_000)
///     clock.receive(1_700_000_060_000)    // .near: a minute later
///     clock.receive(4_102_444_800_000)    // .doubted: the year 2100
package struct DoubtedClock: Equatable, Sendable {
    /// What is believed, in milliseconds since 1970.
    package private(set) var reading: UInt64
    /// The first reading of a leap that is not believed yet; zero while there is none.
    package private(set) var leapStart: UInt64

    package static let leapMilliseconds: UInt64 = 86_400_000
    package static let leapConfirmedMilliseconds: UInt64 = 600_000

    package enum Finding: Equatable, Sendable {
        /// The time went on, or stayed.
        case near
        case doubted
        /// A leap has lasted.
        case leap
    }

    package init(reading: UInt64, leapStart: UInt64 = 0) {
        self.reading = reading
        self.leapStart = leapStart
    }

    /// Takes a reading of the clock in.
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
