import Foundation

/// Measures runs one by one: how long each took, and how many threads worked on them.
///
/// Threads are not asked for but found: what processor time the others of this process took, beside the caller's.
package struct Stopwatch {
    private var nanoseconds: [Double] = []
    private var callersTime = 0.0
    private var othersTime = 0.0

    package init() {}

    @discardableResult
    package mutating func time<Answer>(_ body: () throws -> Answer) rethrows -> Answer {
        let clock = ContinuousClock()
        let before = (caller: Self.now(CLOCK_THREAD_CPUTIME_ID), all: Self.now(CLOCK_PROCESS_CPUTIME_ID))
        let started = clock.now
        let answer = try body()
        nanoseconds.append((clock.now - started).nanoseconds)
        let caller = Self.now(CLOCK_THREAD_CPUTIME_ID) - before.caller
        callersTime += caller
        othersTime += max(0, Self.now(CLOCK_PROCESS_CPUTIME_ID) - before.all - caller)
        return answer
    }

    package var last: Double? { nanoseconds.last }

    package func sample(operations: Int = 1) -> Sample {
        Sample(
            nanoseconds: nanoseconds.map { $0 / Double(operations) },
            threads: Self.threads(callersTime: callersTime, othersTime: othersTime))
    }

    /// Others that took less than a tenth of the caller's time did something else, as timers do.
    package static func threads(callersTime: Double, othersTime: Double) -> Int {
        guard callersTime > 0, othersTime >= callersTime / 10 else { return 1 }
        return 1 + max(1, Int((othersTime / callersTime).rounded()))
    }

    private static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
