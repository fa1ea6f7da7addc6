import CausewaySeeds
import Testing

@testable import CausewayStorage

@Suite("The table of sessions")
struct SealingSessionsTests {
    private static let seeds = SeedList.drawn(for: "session-tables", count: 500)

    private func table(_ births: [UInt64]) -> SealingSessions {
        var table = SealingSessions()
        table.learn(births.map { Session(firstBirth: $0, salt: SessionSalt(low: $0, high: ~$0)) })
        return table
    }

    @Test("each birth is found in the last session that began before it")
    func looksUpAsAListDoes() {
        // Every set of first births below eight, and every birth around them.
        for set in 0..<256 {
            let births = (0..<UInt64(8)).filter { set >> $0 & 1 == 1 }
            let table = table(births.reversed())
            #expect(table.sessions.map(\.firstBirth) == births)
            for birth in UInt64(0)...9 {
                let expected = births.lastIndex { $0 <= birth }
                let found = table.index(ofBirth: birth)
                #expect(found == expected, "birth \(birth) among \(births)")
                if let found { #expect(table.births(at: found).contains(birth)) }
            }
        }
    }

    @Test("what is known of a birth stays")
    func learningKeepsWhatIsKnown() {
        var table = table([5])
        table.learn([Session(firstBirth: 5, salt: SealingFixture.salt)])
        #expect(table.sessions == [Session(firstBirth: 5, salt: SessionSalt(low: 5, high: ~5))])
    }

    @Test("a table comes back from its bytes, 24 for a session")
    func roundTrip() {
        for count in 1...20 {
            let table = table((0..<UInt64(count)).map { $0 * 1000 })
            let bytes = table.encoded()
            #expect(bytes.count == count * 24)
            let last = table.sessions[count - 1].salt
            #expect(bytes.withUnsafeBytes { SealingSessions($0, endingWith: last) } == table)
            #expect(bytes.withUnsafeBytes { SealingSessions($0, endingWith: SealingFixture.salt) } == nil)
        }
        let one = SealingSessions(only: SealingFixture.salt).encoded()
        let number: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
        let salt: [UInt8] = [
            0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21, 0x38, 0x37, 0x36, 0x35, 0x34, 0x33, 0x32, 0x31,
        ]
        #expect(one == number + salt)
    }

    @Test("bytes that are no table are refused")
    func refusesHostileBytes() {
        let last = SessionSalt(low: 20, high: ~20)
        func decoded(_ bytes: [UInt8]) -> SealingSessions? {
            bytes.withUnsafeBytes { SealingSessions($0, endingWith: last) }
        }
        let good = table([10, 20]).encoded()
        #expect(decoded(good) != nil)
        for count in 0..<good.count where decoded(Array(good[..<count])) != nil { Issue.record("\(count) bytes") }
        // Not ascending, the same twice, beyond all births.
        #expect(decoded(Array(good[24...] + good[..<24])) == nil)
        #expect(decoded(Array(good[24...] + good[24...])) == nil)
        var late = good
        late[24 + 7] = 1
        #expect(decoded(late) == nil)
        for seed in Self.seeds {
            // Whatever comes of them, it is no trap.
            _ = decoded(SealingFixture.bytes(Int(seed % 7) * 24, seed: seed))
        }
    }
}
