import CausewayEnvironment

// A clock that may be wrong for a moment.

extension Meta {
    /// Takes in a reading of the clock.
    ///
    /// Within a day of the last reading the time advances, or stays if the clock goes back a little. Stamps must not be
    /// pushed back behind those that are here. Otherwise what a device writes about an object that it has seen would be
    /// older than the object, and have no effect. A leap beyond a day, either way, is believed once it has lasted.
    /// Until then stamps follow the order of arrival, and nothing ages.
    ///
    /// A leap that is believed ages nothing either: what was received before it counts as received now. So a wrong
    /// clock trims nothing, however long it is wrong. After a year in which no server ran, the history is kept for its
    /// whole age once more.
    mutating func receive(at time: UInt64) {
        // The first reading is believed.
        var clock = DoubtedClock(reading: received > 0 ? received : time, leapStart: leapStart)
        if clock.receive(time) == .leap {
            leapEnd = time
            if oldestTime > 0 { oldestTime = time }
        }
        (received, leapStart) = (clock.reading, clock.leapStart)
    }

    /// The time at which a version counts as received, by the time in its record.
    func whenReceived(_ time: UInt64) -> UInt64 {
        leapEnd > 0 && (time < leapEnd || time > received) ? leapEnd : time
    }
}
