#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The source of the time of day. Logic never asks the system for the time; it is passed in, so that tests control it.
///
/// The name avoids a clash with Swift's `Clock`, which measures durations and has no date.
package protocol WallClock: Sendable {
    /// Milliseconds since 1970 in UTC. May step back when the system's clock is set.
    func now() -> UInt64
}

/// The system's clock.
package struct SystemClock: WallClock {
    package init() {}

    package func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        // A time before 1970 reads as 1970, because a stamp has no earlier time.
        guard time.tv_sec >= 0 else { return 0 }
        return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }
}
