package import CausewayModel

/// Points in time as text: RFC 3339, in UTC, in the calendar that is used today for all times.
package enum DateText {
    private static let secondsOfDay: Int64 = 86_400
    /// The years of four digits, from the year 1 on.
    private static let range: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

    /// `2026-11-27T18:59:49.000000001Z`, with as many digits of a second as the point has; nil for a point outside of the years
    /// 1 to 9999.
    package static func text(_ point: Timestamp) -> String? {
        guard range.contains(point.seconds) else { return nil }
        var seconds = point.seconds
        var nanoseconds = Int64(point.nanoseconds)
        if nanoseconds < 0 {
            seconds -= 1
            nanoseconds += 1_000_000_000
        }
        guard range.contains(seconds) else { return nil }
        var digits = padded(nanoseconds, 9)
        while digits.hasSuffix("0") { digits.removeLast() }
        return text(seconds, fraction: digits)
    }

    /// A time of receipt, with three digits of the second or none: some readers take no others.
    ///
    /// - Parameter milliseconds: since 1970; what is behind the year 9999 is its end.
    package static func text(milliseconds: UInt64) -> String {
        let seconds = min(Int64(clamping: milliseconds / 1_000), range.upperBound)
        let rest = Int64(milliseconds % 1_000)
        return text(seconds, fraction: rest > 0 ? padded(rest, 3) : "")
    }

    private static func text(_ seconds: Int64, fraction: String) -> String {
        let (day, time) = CalendarDate.divided(seconds, by: secondsOfDay)
        let date = CalendarDate(dayNumber: day)
        let days = padded(date.year, 4) + "-" + padded(date.month, 2) + "-" + padded(date.day, 2)
        let clock = padded(time / 3_600, 2) + ":" + padded(time / 60 % 60, 2) + ":" + padded(time % 60, 2)
        return days + "T" + clock + (fraction.isEmpty ? "" : "." + fraction) + "Z"
    }

    /// Reads RFC 3339 with up to nine digits of a second, and any offset; nil for any other text.
    package static func point(_ text: String) -> Timestamp? {
        var reader = Digits(rest: Array(text.utf8)[...])
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
            let day = reader.number(2), reader.take("T"), let hour = reader.number(2), reader.take(":"),
            let minute = reader.number(2), reader.take(":"), let second = reader.number(2),
            (1...9_999).contains(year), (1...12).contains(month),
            (1...CalendarDate.days(in: month, of: year)).contains(day),
            hour < 24, minute < 60, second < 60
        else { return nil }
        guard let nanoseconds = reader.take(".") ? reader.fraction() : 0, let offset = reader.offset(),
            reader.rest.isEmpty
        else { return nil }
        let seconds =
            CalendarDate(year: year, month: month, day: day).dayNumber * secondsOfDay + hour * 3_600 + minute * 60
            + second - offset * 60
        // Both parts have one sign.
        return seconds < 0 && nanoseconds > 0
            ? Timestamp(seconds: seconds + 1, nanoseconds: Int32(nanoseconds - 1_000_000_000))
            : Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
    }

    private struct Digits {
        var rest: ArraySlice<UInt8>

        mutating func take(_ character: Character) -> Bool {
            guard let first = rest.first, first == character.asciiValue else { return false }
            rest.removeFirst()
            return true
        }

        mutating func number(_ count: Int) -> Int64? {
            guard rest.count >= count else { return nil }
            var number: Int64 = 0
            for byte in rest.prefix(count) {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                number = number * 10 + Int64(byte - UInt8(ascii: "0"))
            }
            rest = rest.dropFirst(count)
            return number
        }

        /// One to nine digits, as nanoseconds.
        mutating func fraction() -> Int64? {
            var nanoseconds: Int64 = 0
            var count = 0
            while count < 9, let digit = number(1) {
                nanoseconds = nanoseconds * 10 + digit
                count += 1
            }
            guard count > 0 else { return nil }
            for _ in count..<9 { nanoseconds *= 10 }
            return nanoseconds
        }

        /// In minutes.
        mutating func offset() -> Int64? {
            if take("Z") { return 0 }
            let isBehind = take("-")
            guard isBehind || take("+"), let hours = number(2), take(":"), let minutes = number(2), hours < 24,
                minutes < 60
            else { return nil }
            return (isBehind ? -1 : 1) * (hours * 60 + minutes)
        }
    }

    private static func padded(_ number: Int64, _ count: Int) -> String { CalendarDate.padded(number, count) }
}
