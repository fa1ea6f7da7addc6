/// The rates in force, as the operator writes them.
package struct Rates: Hashable, Sendable {
    /// By the limits that are rates. One that is missing limits nobody.
    package var amounts: [Limit: Int]
    /// How many seconds' worth of a rate per second may come at once. A rate per hour may come at once.
    package var burstSeconds: Int

    package init(amounts: [Limit: Int], burstSeconds: Int = Rates.burstSecondsStandard) {
        self.amounts = amounts
        self.burstSeconds = burstSeconds
    }

    package static let burstSecondsStandard = 60
    package static let standard = Rates(amounts: standardAmounts)
    /// Limits nobody: for tests, and for programs that are their own callers.
    package static let unlimited = Rates(amounts: [:])

    private static let standardAmounts = Dictionary(
        uniqueKeysWithValues: Limit.allCases.compactMap { limit in limit.form.map { (limit, $0.standard) } })

    /// The rate in what is charged.
    func rate(of limit: Limit) -> Rate? {
        guard let form = limit.form, let value = amounts[limit] else { return nil }
        let amount = Self.product(value, form.scale)
        let atOnce = limit.period == .hour ? amount : Self.product(amount, burstSeconds)
        return Rate(amount, per: limit.period, atOnce: atOnce)
    }

    private static func product(_ first: Int, _ second: Int) -> Int {
        let (product, overflows) = first.multipliedReportingOverflow(by: second)
        return overflows ? .max : product
    }
}
