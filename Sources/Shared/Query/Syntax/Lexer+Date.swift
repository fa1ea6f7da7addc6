import CausewayModel

extension Lexer {
    /// `2015-01-31@12:00:00` or `2015-01-31T12:00:00:500`: a day and a time of day in UTC, with nanoseconds or without.
    /// Nil when only a number begins here.
    mutating func date() throws(QueryError) -> Value? {
        let start = offset
        var look = self
        guard let year = look.number(atMost: 6), look.skip(UInt8(ascii: "-")), let month = look.number(atMost: 2),
            look.skip(UInt8(ascii: "-")), let day = look.number(atMost: 2),
            look.skip(UInt8(ascii: "@")) || look.skip(UInt8(ascii: "T")), let hour = look.number(atMost: 2),
            look.skip(UInt8(ascii: ":"))
        else { return nil }
        let minute = look.number(atMost: 2)
        let isTimed = look.skip(UInt8(ascii: ":"))
        let second = look.number(atMost: 2)
        var nanosecond: Int? = 0
        if look.skip(UInt8(ascii: ":")) { nanosecond = look.number(atMost: 10) }
        guard let minute, isTimed, let second, let nanosecond, look.peek().map(Self.continuesWord) != true,
            (1...12).contains(month), (1...CivilDay.length(ofMonth: month, year)).contains(day), hour < 24,
            minute < 60, second < 60, nanosecond < 1_000_000_000
        else {
            throw failure(
                at: start, found: "a date", expected: "a day and a time such as 2015-01-31@12:00:00",
                remedy: "Hours, minutes and seconds are those of UTC; nanoseconds may follow after a colon.")
        }
        offset = look.offset
        let seconds = CivilDay.number(year, month, day) * 86400 + hour * 3600 + minute * 60 + second
        return .timestamp(Timestamp(seconds: Int64(seconds), nanoseconds: Int32(nanosecond)).normalised)
    }

    private mutating func number(atMost limit: Int) -> Int? {
        let start = offset
        guard digits() > 0, offset - start <= limit else { return nil }
        return Int(String(decoding: text[start..<offset], as: UTF8.self))
    }
}

extension Timestamp {
    /// The same time, with nanoseconds of the sign that the seconds have.
    fileprivate var normalised: Timestamp {
        seconds < 0 && nanoseconds > 0
            ? Timestamp(seconds: seconds + 1, nanoseconds: nanoseconds - 1_000_000_000) : self
    }
}

/// Days of the Gregorian calendar, also before it was introduced.
private enum CivilDay {
    static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    static func length(ofMonth month: Int, _ year: Int) -> Int {
        month == 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// The days since 1 January 1970. The year must be 0 or later.
    static func number(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let before = year - 1
        // Leap days until the end of the year before; year 0 was a leap year itself.
        let leaps = year == 0 ? -1 : before / 4 - before / 100 + before / 400
        let january = before * 365 + leaps
        return january + (1..<month).reduce(0) { $0 + length(ofMonth: $1, year) } + day - 1 - 719162
    }
}
