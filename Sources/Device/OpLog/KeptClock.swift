import CausewayEnvironment

/// Measures how long ago something was acknowledged, by a clock that may be wrong for a moment.
///
/// It advances with the device's clock from one acknowledgement to the next, or stays if that goes back a little. A
/// leap of more than a day, either way, is believed once it has lasted for ten minutes; until then nothing ages. A
/// believed leap forward counts as one day. So a clock that was wrong removes little, and a device that is seldom
/// connected removes changesets too, later than others.
struct KeptClock: Equatable {
    /// The time of an acknowledgement now, in milliseconds. Only differences mean anything.
    private(set) var time: UInt64
    /// The believed reading of the device's clock.
    private var clock: DoubtedClock

    init(startingAt reading: UInt64) {
        time = reading
        clock = DoubtedClock(reading: reading)
    }

    /// Takes in a reading of the device's clock.
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
