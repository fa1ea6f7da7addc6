import CausewayMerge
import CausewaySync
import CausewayWire
import Testing

@Suite("A device's conversation: resync")
struct ResyncTests {
    private let question = DigestQuestion(
        number: 1, seed: 5, acknowledged: 2, asks: [DigestAsk(DigestRange("A"), .whole)])
    private let reports = [DigestReport.whole(.empty)]

    @Test("a question goes to the file, and its answer to the server")
    func answered() {
        var peer = HandCrankedPeer()
        peer.connect()
        #expect(peer.receive(.digestsWanted(question)) == [.digest(peer.attempt, question)])
        // The file does one thing at a time.
        #expect(peer.receive(.changes(lastPart(1))) == [])
        let answer = ResyncRequest(session: peer.session, number: 1, reports: reports)
        let actions = peer.tell(.digested(peer.attempt, number: 1, reports))
        #expect(actions.first == .sendDigests(peer.attempt, answer))
        #expect(actions.count == 2)
        guard case .apply = actions.last else {
            Issue.record("what waited for the file still waits")
            return
        }
    }

    @Test("what is complete is in the file before it is asked what it holds")
    func afterApplying() {
        var peer = HandCrankedPeer()
        peer.connect()
        guard case .apply = peer.receive(.changes(lastPart(1))).first else {
            Issue.record("nothing is applied")
            return
        }
        #expect(peer.receive(.changes(lastPart(2))) == [])
        #expect(peer.receive(.digestsWanted(question)) == [])
        let next = peer.tell(.applied(acknowledged: 0))
        guard case .apply = next.first, next.count == 1 else {
            Issue.record("\(next)")
            return
        }
        #expect(peer.tell(.applied(acknowledged: 0)) == [.digest(peer.attempt, question)])
    }

    @Test("an answer that outlives its connection goes nowhere, and the next hello waits for the file")
    func cut() {
        var peer = HandCrankedPeer()
        peer.connect()
        peer.receive(.digestsWanted(question))
        let old = peer.attempt
        peer.tell(.suspended)
        #expect(peer.tell(.resumed) == [])
        #expect(peer.tell(.digested(old, number: 1, reports)) == [.sendHello(peer.attempt)])
        #expect(peer.attempt > old)
    }

    @Test("a server that refuses the answer ends the session, a network that loses it begins a new one")
    func failures() {
        var peer = HandCrankedPeer()
        peer.connect()
        peer.receive(.digestsWanted(question))
        peer.tell(.digested(peer.attempt, number: 1, reports))
        peer.tell(.failed(peer.attempt, .digests, .unreachable("gone")))
        guard case .waiting = peer.conversation.phase else {
            Issue.record("\(peer.conversation.phase)")
            return
        }
        peer.tell(.reconnect)
        peer.welcome()
        peer.tell(.failed(peer.attempt, .digests, .refused(SyncFailure(.messageMalformed, "no"))))
        guard case .stopped = peer.conversation.phase else {
            Issue.record("\(peer.conversation.phase)")
            return
        }
    }
}
