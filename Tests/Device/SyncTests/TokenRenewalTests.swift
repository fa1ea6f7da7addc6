import CausewaySync
import CausewayWire
import Testing

@Suite("The token of a session that goes on")
struct TokenRenewalTests {
    private let outage = TransportFailure.unreachable("nobody there")

    /// A session that began at zero by the server's clock, with a token that lasts for forty seconds.
    private func peer() -> HandCrankedPeer {
        var peer = HandCrankedPeer()
        peer.tell(.tokenLasts(until: 40_000))
        peer.connect()
        return peer
    }

    @Test("a token is replaced before it expires, and the session shows the new one without ending")
    func replaced() {
        var peer = peer()
        let attempt = peer.attempt
        peer.pass(milliseconds: 29_999)
        #expect(peer.tell(.timer) == [])
        peer.pass(milliseconds: 1)
        #expect(peer.tell(.timer) == [.renewToken])
        #expect(peer.tell(.timer) == [])
        #expect(peer.tell(.tokenLasts(until: 80_000)) == [.sendCredit(attempt, session: peer.session, bytes: 0)])
        #expect(peer.tell(.tokenRenewed) == [])
        peer.tell(.creditTaken(attempt))
        peer.receive(.heartbeat(serverTime: 30_000))
        // Fifty seconds are left of it.
        peer.pass(milliseconds: 37_499)
        #expect(peer.tell(.timer) == [])
        peer.pass(milliseconds: 1)
        #expect(peer.tell(.timer) == [.renewToken])
        #expect(peer.attempt == attempt)
    }

    @Test("a long-lived token is replaced a minute before its end")
    func longLived() {
        var peer = HandCrankedPeer()
        peer.tell(.tokenLasts(until: 3_600_000))
        peer.connect()
        for _ in 0..<118 {
            peer.pass(milliseconds: 30_000)
            peer.receive(.heartbeat(serverTime: 0))
            if peer.now.milliseconds < 1_000 + 3_540_000 { #expect(peer.tell(.timer) == []) }
        }
        #expect(peer.tell(.timer) == [.renewToken])
    }

    @Test("the wake is armed for it")
    func armed() {
        var peer = HandCrankedPeer()
        peer.connect()
        peer.tell(.tokenLasts(until: 8_000))
        #expect(peer.actions.contains(.wake(Moment(milliseconds: 1_000 + 6_000))))
    }

    @Test("a new token behind a credit on its way is shown by the next one")
    func creditInFlight() {
        var peer = peer()
        let quarter = SessionLimits.standard.creditBytes / 4
        let full = peer.receive(.mark(1), bytes: Int(quarter))
        #expect(full == [.sendCredit(peer.attempt, session: peer.session, bytes: quarter)])
        peer.receive(.mark(1), bytes: 10)
        #expect(peer.tell(.tokenLasts(until: 80_000)) == [])
        let next = peer.tell(.creditTaken(peer.attempt))
        #expect(next == [.sendCredit(peer.attempt, session: peer.session, bytes: 10)])
        #expect(peer.tell(.creditTaken(peer.attempt)) == [])
    }

    @Test("what could not be had for the network is asked for again while there is time, and then the server ends it")
    func outages() {
        var peer = peer()
        var asked = 0
        for _ in 0..<80 {
            peer.pass(milliseconds: 500)
            peer.receive(.heartbeat(serverTime: 0))
            if peer.tell(.timer) == [.renewToken] {
                asked += 1
                #expect(peer.tell(.renewalFailed(outage)) == [])
            }
        }
        #expect(asked > 3)
        #expect(peer.conversation.connectionState == .connected)
        let failure = SyncFailure(.tokenExpired, "get a new token")
        #expect(peer.receive(.end(failure)) == [.disconnect(peer.attempt), .renewToken])
    }

    @Test("without a way to a new token the session goes on to the end of the old one")
    func noWay() {
        var peer = peer()
        peer.pass(milliseconds: 30_000)
        #expect(peer.tell(.timer) == [.renewToken])
        #expect(peer.tell(.renewalFailed(nil)) == [])
        peer.pass(milliseconds: 5_000)
        #expect(peer.tell(.timer) == [])
        #expect(peer.conversation.connectionState == .connected)
    }

    @Test("a login that is over ends the session when that is known")
    func refused() {
        var peer = peer()
        peer.pass(milliseconds: 30_000)
        #expect(peer.tell(.timer) == [.renewToken])
        let refused = TransportFailure.refused(SyncFailure(.tokenInvalid, "log in again"))
        let actions = peer.tell(.renewalFailed(refused))
        #expect(actions == [.disconnect(peer.attempt), .report(.stopped(refused))])
    }

    @Test("a token of unknown end, and one that is over by the server's clock, are not asked about")
    func unknown() {
        for end in [nil, 0, 999] as [UInt64?] {
            var peer = HandCrankedPeer()
            peer.tell(.tokenLasts(until: end))
            peer.connect()
            peer.pass(milliseconds: 44_000)
            #expect(peer.tell(.timer) == [], "\(end as Any)")
        }
    }
}
