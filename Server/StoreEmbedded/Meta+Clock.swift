// A clock that may be wrong for a moment.

extension Meta {
    /// A clock is believed at once that goes on, or back, by so much: a day.
    static let leapMilliseconds: UInt64 = 86_400_000
    /// A clock that leapt further is believed once it has stood by it for so long: ten minutes.
    private static let leapConfirmedMilliseconds: UInt64 = 600_000

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
        let distance = time > received ? time - received : received - time
        guard received > 0, distance > Self.leapMilliseconds else {
            received = max(received, time)
            leapStart = 0
            return
        }
        guard leapStart > 0, time >= leapStart, time - leapStart <= Self.leapMilliseconds else {
            leapStart = time
            return
        }
        guard time - leapStart >= Self.leapConfirmedMilliseconds else { return }
        (received, leapEnd, leapStart) = (time, time, 0)
        if oldestTime > 0 { oldestTime = time }
    }

    /// When a version counts as received whose record says that it was at some time.
    func whenReceived(_ time: UInt64) -> UInt64 {
        leapEnd > 0 && (time < leapEnd || time > received) ? leapEnd : time
    }
}
