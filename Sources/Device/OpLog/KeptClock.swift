/// How long ago something was acknowledged, by a clock that may be wrong for a moment.
///
/// It goes on as the device's clock does from one acknowledgement to the next, or stays where that goes back a little. A
/// leap of more than a day, either way, is believed once it has lasted for ten minutes; till then nothing grows older. One
/// forward that is believed counts as one day: a clock that was wrong takes little away, and a device that is seldom
/// connected lets go too, later than others.
struct KeptClock: Equatable {
    /// The time of an acknowledgement that comes now, in milliseconds. Only differences mean anything.
    private(set) var time: UInt64
    /// What was believed of the device's clock last.
    private var reading: UInt64
    /// What a leap began with that is not believed yet; zero when there is none.
    private var leapStart: UInt64 = 0

    static let leapMilliseconds: UInt64 = 86_400_000
    static let leapConfirmedMilliseconds: UInt64 = 600_000

    init(startingAt reading: UInt64) {
        time = reading
        self.reading = reading
    }

    /// Takes a reading of the device's clock in.
    mutating func receive(_ now: UInt64) {
        let isForward = now > reading
        let distance = isForward ? now - reading : reading - now
        guard distance > Self.leapMilliseconds else {
            if isForward { (time, reading) = (time &+ distance, now) }
            leapStart = 0
            return
        }
        guard leapStart > 0, now >= leapStart, now - leapStart <= Self.leapMilliseconds else {
            leapStart = now
            return
        }
        guard now - leapStart >= Self.leapConfirmedMilliseconds else { return }
        if isForward { time = time &+ Self.leapMilliseconds }
        (reading, leapStart) = (now, 0)
    }
}

// MARK: - As bytes

extension KeptClock {
    init?(encoded: [UInt8]) {
        guard encoded.count == 24 else { return nil }
        time = Trees.number(encoded[0..<8])
        reading = Trees.number(encoded[8..<16])
        leapStart = Trees.number(encoded[16..<24])
    }

    var encoded: [UInt8] { Trees.key(time) + Trees.key(reading) + Trees.key(leapStart) }
}
