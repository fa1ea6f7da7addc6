import CausewayModel
import Synchronization

/// The hybrid logical clock of a device: its wall clock, corrected by the offset to the server's, never going back.
///
/// A reading holds milliseconds in its upper 48 bits and a counter in its lower 16, as `Stamp.time` does. A device that
/// was ahead stays ahead. If it gave a stamp older than one that it gave before, the server would raise that stamp, and
/// a write could win there that lost here. Staying ahead does no harm, since the server lowers stamps to the time of
/// receipt.
final class HybridClock: Sendable {
    private let offsetMilliseconds = Atomic<Int64>(0)

    /// Takes a reading of the server's clock, made at some moment of a round trip that ended at `localTime`.
    ///
    /// All times are in milliseconds. The offset is the smallest that explains the reading. A handshake takes tens of
    /// milliseconds one way and next to nothing the other. Assuming the middle would set two good clocks apart and let
    /// the earlier write win.
    func observe(serverTime: UInt64, localTime: UInt64, roundTrip: UInt64) {
        let least = Int64(bitPattern: serverTime &- localTime)
        let greatest = least &+ Int64(min(roundTrip, Stamp.wallMillisecondsMax))
        let offset = least > 0 ? least : min(greatest, 0)
        offsetMilliseconds.store(offset, ordering: .relaxed)
    }

    /// The reading for a write at wall time `now` on a device whose newest reading is `last`.
    func reading(now: UInt64, after last: UInt64) -> UInt64 {
        max(wall(at: now) << 16, last == .max ? last : last + 1)
    }

    /// The corrected wall clock. If it was set far back after the comparison with the server's, it reads as 1970.
    private func wall(at now: UInt64) -> UInt64 {
        let offset = offsetMilliseconds.load(ordering: .relaxed)
        let (sum, isOverflow) = Int64(min(now, Stamp.wallMillisecondsMax)).addingReportingOverflow(offset)
        return isOverflow ? Stamp.wallMillisecondsMax : min(UInt64(max(sum, 0)), Stamp.wallMillisecondsMax)
    }
}
