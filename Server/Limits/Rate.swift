/// How much of something may happen: so much at once, and then so much in each period.
package struct Rate: Hashable, Sendable {
    /// In each period; at least 1.
    package var amount: Int
    package var period: Period
    /// How much may come in one instant after a quiet time; at least 1.
    package var atOnce: Int

    package enum Period: UInt64, Hashable, Sendable {
        case second = 1_000_000_000
        case hour = 3_600_000_000_000

        var nanoseconds: UInt64 { rawValue }
    }

    package init(_ amount: Int, per period: Period, atOnce: Int) {
        self.amount = max(amount, 1)
        self.period = period
        self.atOnce = max(atOnce, 1)
    }

    /// How long it takes until so much may happen again. Rounded up, so that rounding gives nothing away.
    func nanoseconds(of count: Int) -> UInt64 {
        let product = UInt64(max(count, 0)).multipliedFullWidth(by: period.nanoseconds)
        let divisor = UInt64(amount)
        guard product.high < divisor else { return Self.nanosecondsMax }
        let (quotient, remainder) = divisor.dividingFullWidth(product)
        return min(quotient + (remainder > 0 ? 1 : 0), Self.nanosecondsMax)
    }

    /// Nobody waits longer, whatever they have done: a year.
    static let nanosecondsMax: UInt64 = 365 * 24 * Period.hour.rawValue
}
