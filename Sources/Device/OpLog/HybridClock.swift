import CausewayModel
import Synchronization

/// The hybrid logical clock of a device: its wall clock, corrected by the offset to the server's, never going back.
///
/// A reading holds milliseconds in its upper 48 bits and a counter in its lower 16, as `Stamp.time` does.
final class HybridClock: Sendable {
    private let offsetMilliseconds = Atomic<Int64>(0)
    private let isMeasured = Atomic<Bool>(false)

    /// Takes a reading of the server's clock, made at some moment of a round trip that ended at `localTime`.
    ///
    /// The offset is the smallest that explains the reading. A handshake takes tens of milliseconds one way and next
    /// to nothing the other; to believe its middle would set two good clocks apart and let the earlier write win.
    func observe(serverTime: UInt64, localTime: UInt64, roundTrip: UInt64) {
        let least = Int64(bitPattern: serverTime &- localTime)
        let greatest = least &+ Int64(truncatingIfNeeded: min(roundTrip, Self.millisecondsMaximum))
        let offset = least > 0 ? least : min(greatest, 0)
        offsetMilliseconds.store(offset, ordering: .relaxed)
        isMeasured.store(true, ordering: .releasing)
    }

    /// The reading for a write at wall time `now` on a device whose newest reading is `last`.
    ///
    /// - Parameters:
    ///   - seen: the newest that came from the server.
    ///   - isSettled: whether the server has all that was written here: it has clamped what was ahead of its clock, so
    ///     nothing but what was seen needs to be followed, and a device that was ahead is so no longer.
    func reading(now: UInt64, after last: UInt64, seen: UInt64, isSettled: Bool) -> UInt64 {
        let wall = wall(at: now)
        let mayGoBack = isSettled && isMeasured.load(ordering: .acquiring)
        let least = mayGoBack ? max(seen, min(last, wall)) : last
        return max(wall, least == .max ? least : least + 1)
    }

    /// The corrected wall clock. One that was set far back since it was compared with the server's reads as 1970.
    private func wall(at now: UInt64) -> UInt64 {
        let offset = offsetMilliseconds.load(ordering: .relaxed)
        let (sum, isOverflow) = Int64(min(now, Self.millisecondsMaximum)).addingReportingOverflow(offset)
        let corrected = isOverflow ? Self.millisecondsMaximum : UInt64(max(sum, 0))
        return min(corrected, Self.millisecondsMaximum) << 16
    }

    private static let millisecondsMaximum: UInt64 = (1 << 48) - 1
}

extension HybridClock {
    /// The reading for the next write on a device that stands there.
    func reading(now: UInt64, for state: ReplicaState) -> UInt64 {
        reading(
            now: now, after: state.clockTime, seen: state.seenTime, isSettled: state.lastSequence == state.acknowledged)
    }
}
