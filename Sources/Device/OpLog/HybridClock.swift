import CausewayModel
import Synchronization

/// The hybrid logical clock of a device: its wall clock, corrected by the offset to the server's, never going back.
///
/// A reading holds milliseconds in its upper 48 bits and a counter in its lower 16, as `Stamp.time` does.
final class HybridClock: Sendable {
    private let offsetMilliseconds = Atomic<Int64>(0)

    /// Takes a reading of the server's clock, made at some moment of a round trip that ended at `localTime`.
    ///
    /// The offset is the smallest that explains the reading. A handshake takes tens of milliseconds one way and next
    /// to nothing the other; to believe its middle would set two good clocks apart and let the earlier write win.
    func observe(serverTime: UInt64, localTime: UInt64, roundTrip: UInt64) {
        let least = Int64(bitPattern: serverTime &- localTime)
        let greatest = least &+ Int64(truncatingIfNeeded: min(roundTrip, Self.millisecondsMaximum))
        let offset = least > 0 ? least : min(greatest, 0)
        offsetMilliseconds.store(offset, ordering: .relaxed)
    }

    /// The reading for a write at wall time `now` on a device whose newest reading is `last`.
    func reading(now: UInt64, after last: UInt64) -> UInt64 {
        let corrected = now &+ UInt64(bitPattern: offsetMilliseconds.load(ordering: .relaxed))
        let wall = min(corrected, Self.millisecondsMaximum) << 16
        return max(wall, last == .max ? last : last + 1)
    }

    private static let millisecondsMaximum: UInt64 = (1 << 48) - 1
}
