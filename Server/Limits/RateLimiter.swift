/// Holds each of many keys (a user, an address) to a rate. A value without a clock: callers say what time it is.
///
/// It is the generic cell rate algorithm, which keeps one number a key: when everything that was charged to the key is
/// made up for. A key may go on while less than `rate.atOnce` is still to be made up for. What is charged may exceed
/// that, for something that is larger than the rate allows at once must pass too. The key is then in debt, and waits
/// longer for the next one.
///
/// Numbered for tests:
/// 1. In any time a key is charged no more than `atOnce`, what the rate makes up for in that time, and what its last
///    charge had more than 1.
/// 2. A key that comes again after the time that it was told may go on, if nothing was charged to it meanwhile.
/// 3. No more than `keysMax` keys are kept. To forget one lets it do more, never less. Those that owe nothing are
///    forgotten first, then those that owe least, so that a flood of keys does not free those at their limit.
package struct RateLimiter<Key: Hashable & Sendable>: Sendable {
    /// By key, in nanoseconds of the caller's clock.
    private var madeUp: [Key: UInt64] = [:]
    package var rate: Rate
    private let keysMax: Int

    package init(_ rate: Rate, keysMax: Int) {
        precondition(keysMax > 0, "A limiter that keeps no key limits nobody.")
        self.rate = rate
        self.keysMax = keysMax
    }

    package var keyCount: Int { madeUp.count }

    /// After how many nanoseconds a key may go on; zero when it may now.
    package func wait(of key: Key, at now: UInt64) -> UInt64 {
        guard let end = madeUp[key], end > now else { return 0 }
        let (debt, allowed) = (end - now, rate.nanoseconds(of: rate.atOnce - 1))
        return debt > allowed ? debt - allowed : 0
    }

    /// Charges something that happens, whether or not the key may go on.
    package mutating func charge(_ amount: Int, to key: Key, at now: UInt64) {
        guard amount > 0 else { return }
        if madeUp[key] == nil { makeRoom(at: now) }
        let debt = max(madeUp[key] ?? now, now) - now
        madeUp[key] = now + min(debt + rate.nanoseconds(of: amount), Rate.nanosecondsMax)
    }

    private mutating func makeRoom(at now: UInt64) {
        guard madeUp.count >= keysMax else { return }
        madeUp = madeUp.filter { $0.value > now }
        // A tenth at a time, so that sorting costs each new key little.
        let surplus = madeUp.count - keysMax + max(keysMax / 10, 1)
        guard surplus > 0 else { return }
        for entry in madeUp.sorted(by: { $0.value < $1.value }).prefix(surplus) { madeUp[entry.key] = nil }
    }
}
