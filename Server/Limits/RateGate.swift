import CausewayModel
import Synchronization

/// The rates of one database, or those that hold for the whole server, with what everybody has used of them.
///
/// Small things are taken before they happen (`take`). Of large ones it is only asked whether they may come (`check`),
/// before anything is spent on them, and they are charged when their size is known (`charge`): one that is larger than
/// the rate passes, and its caller waits for the next one.
package final class RateGate: Sendable {
    private struct State {
        var rates: Rates
        var limiters: [Limit: RateLimiter<ExactString>]
    }

    /// So much of one limit, by one subject: an address, a user or a client.
    package struct Use: Hashable, Sendable {
        package var limit: Limit
        package var subject: String
        package var amount: Int

        package init(_ limit: Limit, of subject: String = "", _ amount: Int = 1) {
            self.limit = limit
            self.subject = subject
            self.amount = amount
        }
    }

    private let state: Mutex<State>
    private let now: @Sendable () -> UInt64
    private let reached: @Sendable (LimitReached) -> Void

    /// Addresses, users or clients that are told apart in each limit.
    package static let keysMax = 20_000
    /// Whoever has met a limit comes again after no less: to be told costs something too.
    package static let waitMinMilliseconds: UInt64 = 1_000

    /// - Parameters:
    ///   - now: nanoseconds of a clock that does not go back.
    ///   - reached: told whenever somebody meets a limit. Must be quick and must not block.
    package init(
        _ rates: Rates, now: @escaping @Sendable () -> UInt64 = RateGate.monotonicNanoseconds,
        reached: @escaping @Sendable (LimitReached) -> Void = { _ in }
    ) {
        state = Mutex(State(rates: rates, limiters: Self.limiters(rates)))
        self.now = now
        self.reached = reached
    }

    package static var unlimited: RateGate { RateGate(.unlimited) }

    /// Other rates from now on. What was used counts on, at the new rates.
    package func replace(by rates: Rates) {
        state.withLock { state in
            var limiters = Self.limiters(rates)
            for (limit, known) in state.limiters {
                guard let rate = limiters[limit]?.rate else { continue }
                limiters[limit] = known
                limiters[limit]?.rate = rate
            }
            state = State(rates: rates, limiters: limiters)
        }
    }

    // MARK: - Passing

    /// Charges all of the uses, or none of them when one is not allowed now.
    ///
    /// - Parameter address: of the caller, for the log.
    package func take(_ uses: Use..., from address: String = "") throws(LimitReached) {
        try pass(uses, from: address, charges: true)
    }

    /// Whether all of the uses may happen now, whatever their amounts. Charges nothing.
    package func check(_ uses: Use..., from address: String = "") throws(LimitReached) {
        try pass(uses, from: address, charges: false)
    }

    /// What `check` would throw, told to nobody.
    package func met(_ uses: Use..., from address: String = "") -> LimitReached? {
        met(uses, from: address, charges: false)
    }

    /// Charges what happens in any case.
    package func charge(_ uses: Use...) {
        let now = now()
        state.withLock { state in Self.charge(uses, at: now, &state) }
    }

    /// A limit that is no rate was met.
    package func note(_ met: LimitReached) {
        reached(met)
    }

    private func pass(_ uses: [Use], from address: String, charges: Bool) throws(LimitReached) {
        guard let met = met(uses, from: address, charges: charges) else { return }
        reached(met)
        throw met
    }

    private func met(_ uses: [Use], from address: String, charges: Bool) -> LimitReached? {
        let now = now()
        return state.withLock { state in
            let waits = uses.map { state.limiters[$0.limit]?.wait(of: ExactString($0.subject), at: now) ?? 0 }
            guard let (use, wait) = zip(uses, waits).max(by: { $0.1 < $1.1 }), wait > 0 else {
                if charges { Self.charge(uses, at: now, &state) }
                return nil
            }
            return LimitReached(
                use.limit, value: state.rates.amounts[use.limit] ?? 0, subject: use.subject, address: address,
                waitMilliseconds: max((wait + 999_999) / 1_000_000, Self.waitMinMilliseconds))
        }
    }

    private static func charge(_ uses: [Use], at now: UInt64, _ state: inout State) {
        for use in uses {
            state.limiters[use.limit]?.charge(use.amount, to: ExactString(use.subject), at: now)
        }
    }

    private static func limiters(_ rates: Rates) -> [Limit: RateLimiter<ExactString>] {
        var limiters: [Limit: RateLimiter<ExactString>] = [:]
        for limit in rates.amounts.keys {
            limiters[limit] = rates.rate(of: limit).map { RateLimiter($0, keysMax: keysMax) }
        }
        return limiters
    }

    /// Nanoseconds since the process first asked.
    package static func monotonicNanoseconds() -> UInt64 {
        let elapsed = start.duration(to: .now).components
        return UInt64(clamping: elapsed.seconds * 1_000_000_000 + elapsed.attoseconds / 1_000_000_000)
    }

    private static let start = ContinuousClock.now
}
