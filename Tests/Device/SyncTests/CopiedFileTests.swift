import CausewayOperations
import CausewaySync
import CausewayWire
import Testing

@Suite("A file that was copied, or restored from a backup")
struct CopiedFileTests {
    private func openings(_ runs: (id: UInt64, first: UInt64)...) -> Openings {
        var openings = Openings()
        for run in runs { openings.note(run.id, from: run.first) }
        return openings
    }

    @Test(
        "up to where a copy and the server agree follows from who made what, and is never before what was acknowledged")
    func agreement() {
        let server = openings((1, 1), (2, 5), (4, 8))
        let cases: [(file: Openings, acknowledged: UInt64, committed: UInt64, logged: UInt64, agreed: UInt64?)] = [
            // The file itself: with all, with an answer lost, with more to send.
            (server, 9, 9, 9, nil), (server, 6, 9, 9, nil), (server, 6, 9, 12, nil),
            (openings((1, 1), (2, 5), (4, 8), (6, 10)), 6, 9, 12, nil),
            // Restored, and nothing made since; then something, as much as the server has, and more.
            (openings((1, 1), (2, 5)), 6, 9, 6, 6), (openings((1, 1), (2, 5)), 3, 9, 7, 7),
            (openings((1, 1), (2, 5), (5, 7)), 4, 9, 9, 6), (openings((1, 1), (2, 5), (5, 7)), 4, 9, 20, 6),
            (openings((1, 1), (5, 2)), 1, 9, 9, 1), (openings((1, 1), (2, 5), (5, 9)), 7, 9, 9, 7),
            // The copy was forgotten on the server's side, or both: what is not known to be there is sent.
            (openings((7, 2), (5, 7)), 3, 9, 9, 3), (openings((5, 3)), 4, 9, 9, 4),
            // Of files and servers that know no openings only the numbers tell.
            (Openings(), 4, 9, 9, nil), (Openings(), 4, 9, 8, 4),
            // A server that was restored is filled first.
            (openings((1, 1), (3, 5)), 12, 9, 14, nil),
        ]
        for (number, one) in cases.enumerated() {
            let agreed = one.file.agreement(
                with: server, committed: one.committed, acknowledged: one.acknowledged, logged: one.logged)
            #expect(agreed == one.agreed, "case \(number)")
        }
        // Two programs wrote in turns, and the server has forgotten the oldest turns: what an opening made that both know
        // was made in one past.
        let inTurns = openings((1, 20), (2, 21), (1, 22))
        let copy = openings((1, 1), (2, 3), (9, 7))
        #expect(copy.agreement(with: inTurns, committed: 25, acknowledged: 2, logged: 25) == 6)
        #expect(openings((3, 1), (9, 7)).agreement(with: inTurns, committed: 25, acknowledged: 2, logged: 25) == 2)
        #expect(server.agreement(with: Openings(), committed: 9, acknowledged: 6, logged: 12) == nil)
    }

    @Test("an opening that made nothing leaves no trace, the oldest are forgotten, and what is not in order is refused")
    func noting() {
        var openings = openings((1, 1), (2, 4), (3, 4), (3, 6))
        #expect(openings.runs.map(\.id) == [1, 3] && openings.id(of: 3) == 1 && openings.id(of: 4) == 3)
        openings.note(1, from: 4)
        #expect(openings.runs.map(\.id) == [1])
        for id in 2...40 as ClosedRange<UInt64> { openings.note(id, from: id * 10) }
        #expect(openings.runs.count == Openings.countMax && openings.id(of: 30) == nil && openings.id(of: 405) == 40)
        // Of what is forgotten nobody knows whose it is; of what was made before anything was noted nobody asks.
        #expect(openings.mayIncludeOther(than: 40, in: 30...31) && openings.mayIncludeOther(than: 40, in: 395...405))
        #expect(!openings.mayIncludeOther(than: 40, in: 400...500) && !openings.mayIncludeOther(than: 0, in: 1...500))
        #expect(!self.openings((5, 7)).mayIncludeOther(than: 5, in: 1...9))
        openings.forget(before: 395)
        #expect(openings.runs.map(\.id) == [39, 40])
        #expect(Openings([.init(id: 1, first: 5), .init(id: 2, first: 5)]) == nil)
        #expect(self.openings((0, 1), (2, 3)).id(of: 2) == nil)
    }

    @Test("it goes on as another client: the conversation hangs up, has the file begin again, and says hello anew")
    func beginningAgain() {
        var peer = HandCrankedPeer(changesets: 7, oneWay: 3)
        peer.tell(.resumed)
        let first = peer.attempt
        peer.tell(.waitForUpload(.init(number: 1)))
        let refused = OperationRefusal(sequence: 3, operation: 0, failure: SyncFailure(.operationInvalid, "no"))
        let welcome = Welcome(
            session: 70, protocolVersion: 1, epoch: 5, serverTime: 0, limits: .standard, committed: 6, ingested: 1,
            openings: openings((1, 1), (2, 5)), refused: [refused])
        let greeting = Conversation.Greeting(
            wanted: 0, logged: .init(changesets: 7, oneWay: 3), dropped: .init(changesets: 2, oneWay: 1),
            openings: openings((1, 1), (3, 5)))
        #expect(
            peer.tell(.welcomed(first, welcome, greeting)) == [
                .disconnect(first), .beginAgain(after: .init(changesets: 4, oneWay: 1), refused: [refused]),
            ])
        // Nothing leaves under the old name meanwhile.
        #expect(peer.tell(.committed(.init(changesets: 8, oneWay: 3))) == [])
        let actions = peer.tell(
            .beganAgain(passed: .init(changesets: 4, oneWay: 1), logged: .init(changesets: 4, oneWay: 2)))
        #expect(actions == [.sendHello(peer.attempt)] && peer.attempt != first)
        #expect(peer.conversation.upload.committed == 0 && peer.conversation.upload.logged == 4)
        peer.welcome()
        #expect(peer.actions.contains(.upload(peer.attempt, session: peer.session, after: 0, alone: false)))
        // Who waited for the seventh waits for the third, and for both lanes.
        #expect(
            !peer.tell(.uploadAnswered(peer.attempt, UploadAnswer(committed: 3))).contains(.finish(.init(number: 1))))
        #expect(peer.tell(.ingestAnswered(peer.attempt, through: 2)).contains(.finish(.init(number: 1))))
    }

    @Test("one-way entries of another copy show by themselves that a file is a copy, whatever the changesets say")
    func oneWayEntries() {
        func answer(
            to oneWay: Openings, logged: UInt64 = 5, committed: UInt64 = 4
        ) -> [Conversation.Action] {
            var peer = HandCrankedPeer(changesets: 6, oneWay: logged)
            peer.tell(.resumed)
            let welcome = Welcome(
                session: 70, protocolVersion: 1, epoch: 5, serverTime: 0, limits: .standard, committed: committed,
                ingested: 4, openings: openings((1, 1)), oneWayOpenings: openings((1, 1), (2, 3)))
            let greeting = Conversation.Greeting(
                wanted: 0, logged: .init(changesets: 6, oneWay: logged), dropped: .init(changesets: 2, oneWay: 1),
                openings: openings((1, 1)), oneWayOpenings: oneWay)
            return peer.tell(.welcomed(peer.attempt, welcome, greeting)).filter {
                if case .beginAgain = $0 { true } else { false }
            }
        }
        // Its own, and of a build that noted none.
        #expect(answer(to: openings((1, 1), (2, 3))).isEmpty && answer(to: Openings()).isEmpty)
        // Another one made the last, and what is common ends before it. The changesets are the file's own.
        #expect(
            answer(to: openings((1, 1), (3, 3))) == [.beginAgain(after: .init(changesets: 4, oneWay: 2), refused: [])])
        #expect(
            answer(to: openings((1, 1)), logged: 3) == [
                .beginAgain(after: .init(changesets: 4, oneWay: 2), refused: [])
            ])
        // A server that lost changesets is filled again first.
        #expect(answer(to: openings((1, 1), (3, 3)), committed: 1).isEmpty)
    }

    @Test("a change that acknowledges what another copy made is left alone, and hello is said anew after a pause")
    func changeOfCopy() {
        var peer = HandCrankedPeer(changesets: 3)
        peer.connect()
        peer.receive(.changes(lastPart(1, acknowledged: 1)))
        let first = peer.attempt
        #expect(peer.tell(.ofCopy) == [.disconnect(first)])
        // Nothing was confirmed by it.
        #expect(peer.conversation.upload.dropped == 0)
        guard case .waiting(let until) = peer.conversation.phase else {
            Issue.record("it does not wait")
            return
        }
        peer.now = until
        #expect(peer.tell(.timer) == [.sendHello(peer.attempt)])
    }

    @Test("of two copies that wrote nothing one begins again, once; told so again it waits longer each time")
    func silentCopies() {
        var peer = HandCrankedPeer(changesets: 4, oneWay: 2)
        peer.tell(.resumed)
        var welcome = Welcome(
            session: 0, protocolVersion: 1, epoch: 5, serverTime: 0, limits: .standard, committed: 4, ingested: 2,
            openings: openings((1, 1)), isCopied: true)
        var greeting = Conversation.Greeting(
            wanted: 0, logged: .init(changesets: 4, oneWay: 2), dropped: .init(changesets: 4, oneWay: 2),
            openings: openings((1, 1)))
        let first = peer.attempt
        #expect(
            peer.tell(.welcomed(first, welcome, greeting)) == [
                .disconnect(first), .beginAgain(after: .init(changesets: 4, oneWay: 2), refused: []),
            ])
        let passed = Conversation.Logged(changesets: 4, oneWay: 2)
        #expect(
            peer.tell(.beganAgain(passed: passed, logged: .init(changesets: 0, oneWay: 0))) == [
                .sendHello(peer.attempt)
            ])
        (welcome.committed, welcome.ingested, welcome.openings) = (0, 0, Openings())
        greeting.logged = .init(changesets: 0, oneWay: 0)
        greeting.dropped = greeting.logged
        var waits: [UInt64] = []
        for _ in 0..<5 {
            peer.tell(.welcomed(peer.attempt, welcome, greeting))
            guard case .waiting(let until) = peer.conversation.phase else {
                Issue.record("it does not wait")
                return
            }
            waits.append(until.milliseconds - peer.now.milliseconds)
            peer.now = until
            peer.tell(.timer)
        }
        // Half of the whole step at least, and each step is twice the one before.
        #expect(waits[4] > waits[0] && waits[4] >= 800)
    }

    @Test("a file that cannot begin again, or be filled again, is asked after a pause that grows, not at once")
    func beginningAgainFails() throws {
        for committed in [6, 1] as [UInt64] {
            var peer = HandCrankedPeer(changesets: 7)
            peer.tell(.resumed)
            var waits: [UInt64] = []
            for _ in 0..<6 {
                let welcome = Welcome(
                    session: 70, protocolVersion: 1, epoch: 5, serverTime: 0, limits: .standard, committed: committed,
                    ingested: 0, openings: openings((1, 1), (2, 5)))
                let greeting = Conversation.Greeting(
                    wanted: 0, logged: .init(changesets: 7, oneWay: 0), dropped: .init(changesets: 2, oneWay: 0),
                    openings: openings((1, 1), (3, 5)))
                peer.tell(.welcomed(peer.attempt, welcome, greeting))
                let actions = peer.tell(.fileFailed("The disk is full."))
                #expect(actions == [.report(.file("The disk is full."))])
                guard case .waiting(let until) = peer.conversation.phase else {
                    Issue.record("it does not wait but is \(peer.conversation.phase)")
                    return
                }
                waits.append(until.milliseconds - peer.now.milliseconds)
                peer.now = until
                #expect(peer.tell(.timer) == [.sendHello(peer.attempt)])
            }
            #expect(try #require(waits.last) > 4 * waits[0])
        }
    }
}
