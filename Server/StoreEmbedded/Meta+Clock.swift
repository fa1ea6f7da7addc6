import CausewayEnvironment

// A clock that may be wrong for a moment.

extension Meta {
    /// Takes a reading of the clock in.
    ///
    /// Within a day of what was read before, the time goes on, or stays where the clock goes back a little: stamps must not
    /// be pushed back behind those that are here, or what a device writes about an object that it has seen would be older
    /// than the object, and come to nothing. A leap beyond that, either way, is believed once it has lasted. Till then
    /// stamps follow the order of arrival, and nothing grows older.
    ///
    /// Nor does a leap that is believed make anything older: what was received before it counts as received now. So a wrong
    /// clock trims nothing, however long it is wrong, and after a year in which no server ran the history is kept for its
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

    /// When a version counts as received whose record says that it was at some time.
    func whenReceived(_ time: UInt64) -> UInt64 {
        leapEnd > 0 && (time < leapEnd || time > received) ? leapEnd : time
    }
}
