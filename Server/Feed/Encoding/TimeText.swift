package import CausewayModel

/// Points in time as ISO 8601 in UTC, in the calendar that is used today, for all times.
package enum TimeText {
    /// With as many digits of the second as are needed: none, three, six or nine.
    package static func iso8601(_ time: Timestamp) -> String {
        // A time before 1970 has a negative fraction.
        var (seconds, nanoseconds) = (time.seconds, Int64(time.nanoseconds))
        if nanoseconds < 0 { (seconds, nanoseconds) = (seconds &- 1, nanoseconds + 1_000_000_000) }
        var (days, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
        if rest < 0 { (days, rest) = (days - 1, rest + 86_400) }
        let second = Int(rest)
        let (year, month, day) = date(ofDay: days)
        let clock = "\(padded(second / 3_600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
        return "\(yearText(year))-\(padded(month, 2))-\(padded(day, 2))T\(clock)\(fraction(nanoseconds))Z"
    }

    /// - Parameter milliseconds: since 1970.
    package static func iso8601(milliseconds: UInt64) -> String {
        iso8601(
            Timestamp(
                seconds: Int64(clamping: milliseconds / 1_000), nanoseconds: Int32(milliseconds % 1_000) * 1_000_000))
    }

    /// The date of a day, counted from 1970, in the Gregorian calendar. An era has 400 years, and begins in March, so that the
    /// day that is not always there is its last.
    private static func date(ofDay days: Int64) -> (year: Int64, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), Int(month), Int(day))
    }

    private static func yearText(_ year: Int64) -> String {
        if (0...9_999).contains(year) { return padded(Int(year), 4) }
        return (year < 0 ? "-" : "+") + padded(Int(year.magnitude), 6)
    }

    private static func fraction(_ nanoseconds: Int64) -> String {
        if nanoseconds == 0 { return "" }
        if nanoseconds % 1_000_000 == 0 { return "." + padded(Int(nanoseconds / 1_000_000), 3) }
        if nanoseconds % 1_000 == 0 { return "." + padded(Int(nanoseconds / 1_000), 6) }
        return "." + padded(Int(nanoseconds), 9)
    }

    private static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
