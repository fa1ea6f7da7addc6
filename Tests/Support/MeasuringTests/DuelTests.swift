import CausewayFolders
import CausewayMeasuring
import Foundation
import Testing

@Suite struct DuelTests {
    @Test("two different answers end a duel")
    func disagreement() {
        #expect(throws: Duel.Disagreement.self) {
            try Duel("sums", smoke: true, ours: { [1, 2] }, theirs: { [1, 3] })
        }
        #expect(throws: Duel.Disagreement.self) {
            try Duel("sums", smoke: true, ours: { [1] }, theirs: { [1, 1] })
        }
    }

    @Test("sums may differ in their last digits")
    func lastDigits() throws {
        let duel = try Duel("sums", smoke: true, ours: { [0.1 + 0.2] }, theirs: { [0.3] })
        #expect(duel.conditions.runs == 1)
    }

    @Test("both sides are run by the same rule, in turn")
    func sameRule() throws {
        var calls = ""
        let duel = try Duel(
            "nothing", smoke: false,
            ours: {
                calls += "o"
                return []
            },
            theirs: {
                calls += "t"
                return []
            })
        // Which of the two a side gets depends on the machine.
        #expect(calls.wholeMatch(of: /ot((o|ooooo)(t|ttttt)){5}/) != nil, "\(calls)")
        #expect(duel.ours.runs == calls.count { $0 == "o" } - 1)
        #expect(duel.theirs.runs == calls.count { $0 == "t" } - 1)
        #expect(duel.conditions.cache == .hot)
    }

    @Test("a side whose first run is over at once runs five times a round")
    func quickRuns() {
        #expect(Duel.runs(afterFirst: 4_999_999) == 5)
        #expect(Duel.runs(afterFirst: 5_000_000) == 1)
    }

    @Test(
        "a cold duel opens its files before each run, and what was opened is gone before the next one",
        .enabled(if: PageCache.isOnDisk(URL(fileURLWithPath: "/tmp"))))
    func cold() throws {
        final class Opened {}
        let folder = try TemporaryFolder()
        folder.write([1, 2, 3], to: "ours")
        folder.write([1, 2, 3], to: "theirs")
        weak var last: Opened?
        var openings = 0
        let duel = try Duel(
            cold: "read", runs: 3, ourFile: URL(fileURLWithPath: folder.file("ours")),
            theirFile: URL(fileURLWithPath: folder.file("theirs")),
            ours: {
                #expect(last == nil)
                let opened = Opened()
                last = opened
                openings += 1
                return { withExtendedLifetime(opened) { [7] } }
            },
            theirs: { { [7] } })
        #expect(openings == 3)
        #expect(duel.conditions.runs == 3 && duel.conditions.peerRuns == 3 && duel.conditions.cache == .cold)
    }

    @Test("in a rotation each side does a block in turn, and the first times do not count")
    func rotation() throws {
        var calls: [String] = []
        let samples = try Rotation.run(
            warmUp: 3, count: 2, block: 2, [{ calls.append("a\($0)") }, { calls.append("b\($0)") }])
        #expect(calls == ["a0", "a1", "b0", "b1", "a2", "a3", "b2", "b3", "a4", "b4"])
        #expect(samples.map(\.runs) == [2, 2])
    }
}
