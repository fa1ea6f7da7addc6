import CausewayModel
import Synchronization

/// The hybrid logical clock of a device: its wall clock, corrected by the offset to the server's, never going back.
///
/// A reading holds milliseconds in its upper 48 bits and a counter in its lower 16, as `Stamp.time` does.
final class HybridClock: Sendable {
    private let offsetMilliseconds = Atomic<Int64>(0)

    func observe(serverTime: UInt64, localTime: UInt64) {
        offsetMilliseconds.store(Int64(bitPattern: serverTime &- localTime), ordering: .relaxed)
    }

    /// The reading for a write at wall time `now` on a device whose newest reading is `last`.
    func reading(now: UInt64, after last: UInt64) -> UInt64 {
        let corrected = now &+ UInt64(bitPattern: offsetMilliseconds.load(ordering: .relaxed))
        let wall = min(corrected, Self.millisecondsMaximum) << 16
        return max(wall, last == .max ? last : last + 1)
    }

    private static let millisecondsMaximum: UInt64 = (1 << 48) - 1
}
