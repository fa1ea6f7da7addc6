import CausewayModel
import Testing

@testable import CausewaySession

@Suite("When versions were committed")
struct CommitTimesTests {
    private let start = ContinuousClock.now

    private func time(_ version: Int) -> ContinuousClock.Instant { start + .milliseconds(version) }

    @Test("behind a version the first commit is found, as long as it is kept")
    func first() {
        var times = CommitTimes()
        #expect(times.first(after: ServerVersion(1)) == nil)
        // Each commit makes three versions.
        for version in stride(from: 3, through: 9, by: 3) {
            times.note(ServerVersion(UInt64(version)), at: time(version))
        }
        for (behind, found) in [(3, 6), (4, 6), (5, 6), (6, 9), (8, 9)] {
            #expect(times.first(after: ServerVersion(UInt64(behind))) == time(found), "\(behind)")
        }
        #expect(times.first(after: ServerVersion(9)) == nil)
        // Of what came before the first that is known nobody knows when it was committed.
        #expect(times.first(after: ServerVersion(2)) == nil)
    }

    @Test("old ones are forgotten, and the same version is noted once")
    func bound() {
        var times = CommitTimes()
        for version in 1...10_000 {
            for _ in 1...2 { times.note(ServerVersion(UInt64(version)), at: time(version)) }
        }
        #expect(times.first(after: ServerVersion(9_998)) == time(9_999))
        #expect(times.first(after: ServerVersion(9_999 - UInt64(CommitTimes.kept))) != nil)
        #expect(times.first(after: ServerVersion(9_999 - 2 * UInt64(CommitTimes.kept))) == nil)
    }
}
