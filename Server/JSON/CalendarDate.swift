/// A date of the Gregorian calendar, used for all times.
package struct CalendarDate: Hashable, Sendable {
    package var year: Int64
    package var month: Int64
    package var day: Int64

    package init(year: Int64, month: Int64, day: Int64) {
        (self.year, self.month, self.day) = (year, month, day)
    }

    // Days are counted from 1 March of the year 0, so that a leap day is the last day of a year. An era has 400 years.

    private static let daysBefore1970: Int64 = 719_468
    private static let daysOfEra: Int64 = 146_097

    /// - Parameter dayNumber: counted from 1970.
    package init(dayNumber: Int64) {
        let shifted = dayNumber + Self.daysBefore1970
        let (era, dayOfEra) = Self.divided(shifted, by: Self.daysOfEra)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        month = (monthFromMarch + 2) % 12 + 1
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Counted from 1970.
    package var dayNumber: Int64 {
        let year = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = Self.divided(year, by: 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * Self.daysOfEra + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - Self.daysBefore1970
    }

    package static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Divides and rounds down, so that what is left is never negative.
    package static func divided(_ number: Int64, by divisor: Int64) -> (quotient: Int64, rest: Int64) {
        let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }

    /// The number with so many digits at least.
    package static func padded(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
}

extension CalendarDate {
    /// A point in time by RFC 3339, in UTC: `2026-11-27T18:59:49.250Z`.
    package static func text(ofMilliseconds milliseconds: UInt64) -> String {
        let (day, time) = divided(Int64(clamping: milliseconds), by: 86_400_000)
        let date = CalendarDate(dayNumber: day)
        let seconds = time / 1_000
        return padded(date.year, 4) + "-" + padded(date.month, 2) + "-" + padded(date.day, 2) + "T"
            + padded(seconds / 3_600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":" + padded(seconds % 60, 2) + "."
            + padded(time % 1_000, 3) + "Z"
    }
}
