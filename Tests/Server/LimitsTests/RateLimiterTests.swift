import CausewaySeeds
import Testing

@testable import CausewayLimits

/// Cites the numbers of `RateLimiter`. Times are in nanoseconds of a clock that the tests set.
@Suite("A rate limiter")
struct RateLimiterTests {
    private static let second = Rate.Period.second.rawValue

    @Test(
        "1: in no span of time is a key charged more than the burst and what the rate makes up for", arguments: 1...20)
    func neverMore(seed: Int) {
        var numbers = SeededNumbers(seed: UInt64(seed))
        let rate = Rate(numbers.number(1...1_000), per: .second, atOnce: numbers.number(1...2_000))
        var limiter = RateLimiter<String>(rate, keysMax: 10)
        var now: UInt64 = 0
        var charged: [(time: UInt64, amount: Int)] = []
        for _ in 0..<400 {
            now += UInt64(numbers.below(50)) * 1_000_000
            let amount = numbers.once(in: 10) ? numbers.number(1...3_000) : 1
            guard limiter.wait(of: "one", at: now) == 0 else { continue }
            limiter.charge(amount, to: "one", at: now)
            charged.append((now, amount))
        }
        for (index, first) in charged.enumerated() {
            var sum = 0
            for last in charged[index...] {
                sum += last.amount
                let madeUp = Double(rate.amount) * Double(last.time - first.time) / Double(Self.second)
                #expect(
                    Double(sum) <= Double(rate.atOnce) + madeUp + Double(last.amount - 1) + 0.001,
                    "seed \(seed), \(rate): \(sum) from \(first.time) to \(last.time)")
            }
        }
    }

    @Test("1: a burst passes whole, and not one more")
    func burst() {
        var limiter = RateLimiter<String>(Rate(10, per: .second, atOnce: 25), keysMax: 10)
        var passed = 0
        while limiter.wait(of: "one", at: 5) == 0 {
            limiter.charge(1, to: "one", at: 5)
            passed += 1
        }
        #expect(passed == 25)
        #expect(limiter.wait(of: "one", at: 5) == Self.second / 10)
        #expect(limiter.wait(of: "another", at: 5) == 0, "nobody else notices")
    }

    @Test("2: whoever comes again when they were told may go on", arguments: 1...20)
    func told(seed: Int) {
        var numbers = SeededNumbers(seed: UInt64(seed))
        let rate = Rate(numbers.number(1...100_000), per: numbers.once(in: 2) ? .hour : .second, atOnce: 50)
        var limiter = RateLimiter<String>(rate, keysMax: 10)
        var now: UInt64 = 1
        for _ in 0..<100 {
            limiter.charge(numbers.number(1...500), to: "one", at: now)
            let wait = limiter.wait(of: "one", at: now)
            if wait > 0 {
                #expect(limiter.wait(of: "one", at: now + wait - 1) > 0, "it was not told more than it takes")
            }
            now += wait
            #expect(limiter.wait(of: "one", at: now) == 0)
        }
    }

    @Test("something larger than the burst passes, and its debt is paid off in time")
    func debt() {
        var limiter = RateLimiter<String>(Rate(100, per: .second, atOnce: 100), keysMax: 10)
        #expect(limiter.wait(of: "one", at: 0) == 0)
        limiter.charge(1_000, to: "one", at: 0)
        let wait = limiter.wait(of: "one", at: 0)
        #expect(wait == (1_000 - 99) * Self.second / 100)
        limiter.charge(1_000, to: "one", at: wait)
        #expect(limiter.wait(of: "one", at: wait) > 0)
    }

    @Test("3: keys have a bound, and those that owe most are kept")
    func bounded() {
        var limiter = RateLimiter<Int>(Rate(1, per: .second, atOnce: 5), keysMax: 100)
        limiter.charge(1_000, to: -1, at: 0)
        for key in 0..<100_000 {
            limiter.charge(1, to: key, at: UInt64(key))
            #expect(limiter.keyCount <= 100)
        }
        #expect(limiter.wait(of: -1, at: 100_000) > 900 * Self.second, "a flood of others frees nobody")
    }

    @Test("3: keys that owe nothing are forgotten first, which nobody notices")
    func forgotten() {
        var limiter = RateLimiter<Int>(Rate(1, per: .second, atOnce: 5), keysMax: 100)
        for key in 0..<100 { limiter.charge(4, to: key, at: 0) }
        let later = 10 * Self.second
        for key in 100..<190 { limiter.charge(5, to: key, at: later) }
        #expect(limiter.keyCount == 90)
        for key in 100..<190 { #expect(limiter.wait(of: key, at: later) == Self.second) }
    }

    @Test("amounts and rates that are out of all proportion overflow nothing")
    func extremes() {
        for amount in [1, 7, .max] {
            var limiter = RateLimiter<String>(Rate(amount, per: .hour, atOnce: .max), keysMax: 1)
            limiter.charge(.max, to: "one", at: 1)
            limiter.charge(.max, to: "one", at: 1)
            #expect(limiter.wait(of: "one", at: 1) <= Rate.nanosecondsMax)
            limiter.charge(-5, to: "two", at: 1)
            #expect(limiter.wait(of: "two", at: 1) == 0)
        }
    }
}
