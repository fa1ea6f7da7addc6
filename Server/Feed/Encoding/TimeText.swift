import CausewayJSON
package import CausewayModel

/// Points in time as ISO 8601 in UTC, in the calendar that is used today, for all times.
package enum TimeText {
    /// With as many digits of the second as are needed: none, three, six or nine.
    package static func iso8601(_ time: Timestamp) -> String {
        // A time before 1970 has a negative fraction.
        var (seconds, nanoseconds) = (time.seconds, Int64(time.nanoseconds))
        if nanoseconds < 0 { (seconds, nanoseconds) = (seconds &- 1, nanoseconds + 1_000_000_000) }
        let (days, second) = CalendarDate.divided(seconds, by: 86_400)
        let date = CalendarDate(dayNumber: days)
        let clock = "\(padded(second / 3_600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
        return
            "\(yearText(date.year))-\(padded(date.month, 2))-\(padded(date.day, 2))T\(clock)\(fraction(nanoseconds))Z"
    }

    /// - Parameter milliseconds: since 1970.
    package static func iso8601(milliseconds: UInt64) -> String {
        iso8601(
            Timestamp(
                seconds: Int64(clamping: milliseconds / 1_000), nanoseconds: Int32(milliseconds % 1_000) * 1_000_000))
    }

    private static func yearText(_ year: Int64) -> String {
        if (0...9_999).contains(year) { return padded(year, 4) }
        return (year < 0 ? "-" : "+") + padded(Int64(year.magnitude), 6)
    }

    private static func fraction(_ nanoseconds: Int64) -> String {
        if nanoseconds == 0 { return "" }
        if nanoseconds % 1_000_000 == 0 { return "." + padded(nanoseconds / 1_000_000, 3) }
        if nanoseconds % 1_000 == 0 { return "." + padded(nanoseconds / 1_000, 6) }
        return "." + padded(nanoseconds, 9)
    }

    private static func padded(_ number: Int64, _ digits: Int) -> String { CalendarDate.padded(number, digits) }
}
