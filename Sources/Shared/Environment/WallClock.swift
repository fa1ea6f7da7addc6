#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The door to the time of day. Rules never ask the system for it; they are told, so that a test decides.
///
/// Named so as not to clash with Swift's `Clock`, which measures durations and cannot tell the date.
package protocol WallClock: Sendable {
    /// Milliseconds since 1970 in UTC. May step back when the system's clock is set.
    func now() -> UInt64
}

/// The real one.
package struct SystemClock: WallClock {
    package init() {}

    package func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        // A clock set before 1970 reads as 1970: a stamp has no earlier time.
        guard time.tv_sec >= 0 else { return 0 }
        return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }
}
