import CausewayEnvironment

/// How long ago something was acknowledged, by a clock that may be wrong for a moment.
///
/// It goes on as the device's clock does from one acknowledgement to the next, or stays where that goes back a little. A
/// leap of more than a day, either way, is believed once it has lasted for ten minutes; till then nothing grows older. One
/// forward that is believed counts as one day: a clock that was wrong takes little away, and a device that is seldom
/// connected lets go too, later than others.
struct KeptClock: Equatable {
    /// The time of an acknowledgement that comes now, in milliseconds. Only differences mean anything.
    private(set) var time: UInt64
    /// What is believed of the device's clock.
    private var clock: DoubtedClock

    init(startingAt reading: UInt64) {
        time = reading
        clock = DoubtedClock(reading: reading)
    }

    /// Takes a reading of the device's clock in.
    mutating func receive(_ now: UInt64) {
        let before = clock.reading
        switch clock.receive(now) {
        case .near: time = time &+ (clock.reading - before)
        case .doubted: break
        case .leap: if clock.reading > before { time = time &+ DoubtedClock.leapMilliseconds }
        }
    }
}

// MARK: - As bytes

extension KeptClock {
    init?(encoded: [UInt8]) {
        guard encoded.count == 24 else { return nil }
        time = Trees.number(encoded[0..<8])
        clock = DoubtedClock(reading: Trees.number(encoded[8..<16]), leapStart: Trees.number(encoded[16..<24]))
    }

    var encoded: [UInt8] { Trees.key(time) + Trees.key(clock.reading) + Trees.key(clock.leapStart) }
}
