import CausewayModel
import CausewayWire
import Testing

@testable import CausewaySession

/// Who is told to come again when a fleet connects at once.
@Suite("The line of hellos")
struct HelloGateTests {
    /// A line in which hellos take so long.
    private func gate(tookMilliseconds: UInt64) -> HelloGate {
        var gate = HelloGate()
        for _ in 0..<200 {
            _ = gate.enter(beginsAnew: false)
            gate.leave(tookMicroseconds: tookMilliseconds * 1_000)
        }
        return gate
    }

    @Test("devices that begin anew are told first, then those that go on, and each after how long")
    func order() {
        var gate = gate(tookMilliseconds: 100)
        var taken = 0
        while gate.enter(beginsAnew: true) == nil { taken += 1 }
        // Half of ten seconds, at a tenth of a second each.
        #expect((50...53).contains(taken))
        let early = gate.enter(beginsAnew: true) ?? 0
        #expect((5_000...5_300).contains(early))
        var others = 0
        while gate.enter(beginsAnew: false) == nil { others += 1 }
        #expect((48...53).contains(others))
        let late = gate.enter(beginsAnew: false) ?? 0
        #expect((10_000...10_300).contains(late))
        gate.leave(tookMicroseconds: 100_000)
        gate.leave(tookMicroseconds: 100_000)
        let isTaken = gate.enter(beginsAnew: false)
        #expect(isTaken == nil)
    }

    @Test("an empty line takes everybody, however long the hellos before took")
    func empty() {
        var gate = gate(tookMilliseconds: 60_000)
        let first = gate.enter(beginsAnew: true)
        #expect(first == nil)
        let second = gate.enter(beginsAnew: false)
        #expect(second != nil)
        gate.leave(tookMicroseconds: 1_000)
        let third = gate.enter(beginsAnew: true)
        #expect(third == nil)
    }

    @Test("so many devices begin at a time, and one that has everything, or leaves, makes room")
    func beginnings() throws {
        var table = SessionTable(bounds: SessionBounds(beginnings: 2))
        func begin(_ client: UInt64) throws -> OpenSession {
            let wanted = QuerySet(version: 1, queries: [StandingQuery(className: "Dog", predicate: "age > 1")])
            let hello = Hello(
                client: ClientID(client), protocolVersions: 1...1, schema: Schema(), checkpoint: .nothing, held: wanted,
                wanted: wanted)
            #expect(hello.beginsAnew)
            let conversation = DownloadConversation(hello: hello, user: "ann", limits: .standard, now: 0)
            let id = try #require(table.open(conversation, beginsAnew: true, epoch: 1, at: 0).session)
            let session = try #require(table[id])
            let begins = session.beginDownload({}, nil)
            #expect(begins)
            return session
        }
        let first = try begin(1)
        let hasRoom = table.mayBegin(at: 0)
        #expect(hasRoom)
        let second = try begin(2)
        let isFull = table.mayBegin(at: 0)
        #expect(!isFull)
        table.settled(first)
        table.settled(first)
        let hasRoomAgain = table.mayBegin(at: 0)
        #expect(hasRoomAgain && table.beginnings == 1)
        _ = table.close(first.id)
        #expect(table.beginnings == 1)
        _ = table.close(second.id)
        #expect(table.beginnings == 0)
    }
}
