import CausewaySync
import CausewayWire
import Testing

@Suite("A device's conversation: a server at its limits")
struct RestTests {
    private let busy = SyncFailure(.serverBusy, "over the rate", retryAfterMilliseconds: 5_000)

    private func wakes(_ actions: [Conversation.Action]) -> [Moment] {
        actions.compactMap { if case .wake(let moment) = $0 { moment } else { nil } }
    }

    @Test("an upload that is not taken now leaves again after the time, in the same session")
    func sameSession() {
        var peer = HandCrankedPeer(changesets: 3)
        peer.connect()
        let actions = peer.tell(.failed(peer.attempt, .upload, .refused(busy)))
        #expect(!actions.contains(.disconnect(peer.attempt)))
        #expect(actions.contains { if case .report(.interrupted(.refused(busy))) = $0 { true } else { false } })
        let until = peer.conversation.upload.restEnd
        #expect(until.map { (5_000...7_500).contains($0.milliseconds - peer.now.milliseconds) } == true)
        // What comes down meanwhile is taken, and nothing leaves.
        peer.pass(milliseconds: 4_000)
        #expect(peer.receive(.heartbeat(serverTime: 1)).allSatisfy { $0 != upload(peer) })
        peer.pass(milliseconds: 3_500)
        #expect(peer.tell(.timer).contains(upload(peer)))
    }

    @Test("what was taken before the failure is not sent again, and the other lane goes on")
    func full() {
        var peer = HandCrankedPeer(changesets: 3, oneWay: 1)
        peer.connect()
        let full = SyncFailure(.serverOutOfSpace, "as large as it may be", retryAfterMilliseconds: 300_000)
        peer.tell(.uploadAnswered(peer.attempt, UploadAnswer(committed: 2, failure: full)))
        #expect(peer.conversation.upload.committed == 2)
        #expect(peer.conversation.upload.restEnd != nil)
        #expect(peer.tell(.ingestAnswered(peer.attempt, through: 1)) == [.dropOneWay(through: 1)])
    }

    @Test("the app hears once of a log that meets the limit again and again, and again of the next one")
    func reports() {
        var peer = HandCrankedPeer(changesets: 2)
        peer.connect()
        var reports = 0
        func tell(_ event: Conversation.Event) {
            reports += peer.tell(event).count { if case .report = $0 { true } else { false } }
        }
        for _ in 0..<5 {
            tell(.failed(peer.attempt, .upload, .refused(busy)))
            peer.pass(milliseconds: 7_500)
            tell(.received(peer.attempt, .heartbeat(serverTime: 1), bytes: 1))
        }
        #expect(reports == 1)
        tell(.uploadAnswered(peer.attempt, UploadAnswer(committed: 2)))
        tell(.committed(.init(changesets: 3, oneWay: 0)))
        tell(.failed(peer.attempt, .upload, .refused(busy)))
        #expect(reports == 2)
    }

    @Test("a server that is busy and names no time costs the session, as before")
    func noTime() {
        var peer = HandCrankedPeer(changesets: 1)
        peer.connect()
        let actions = peer.tell(.failed(peer.attempt, .upload, .refused(SyncFailure(.serverBusy, "busy"))))
        #expect(actions.contains(.disconnect(peer.attempt)))
    }

    private func upload(_ peer: HandCrankedPeer) -> Conversation.Action {
        .upload(peer.attempt, session: peer.session, after: 0)
    }
}
