import CausewayModel
import CausewaySeeds
import CausewaySync
import CausewayWire
import Testing

@Suite("A device's conversation: coming and going")
struct ConversationTests {
    @Test("a file that cannot be read for a moment costs a pause, whatever was to be sent", arguments: [false, true])
    func unreadableFile(isConnected: Bool) throws {
        var peer = HandCrankedPeer(changesets: 3)
        if isConnected { peer.connect() } else { peer.tell(.resumed) }
        let actions = peer.tell(.fileUnreadable(peer.attempt, "The disk is full."))
        #expect(
            actions.contains(.report(.interrupted(.unusable("The disk is full."))))
                && actions.contains(.disconnect(peer.attempt)))
        guard case .waiting(let until) = peer.conversation.phase else {
            Issue.record("it does not wait but is \(peer.conversation.phase)")
            return
        }
        // What an earlier attempt could not read means nothing by now.
        let earlier = peer.attempt
        peer.now = until
        #expect(peer.tell(.timer) == [.sendHello(peer.attempt)])
        #expect(peer.tell(.fileUnreadable(earlier, "The disk is full.")) == [])
    }

    @Test("resuming says hello, and a welcome opens the download")
    func hello() {
        var peer = HandCrankedPeer()
        #expect(peer.conversation.connectionState == .disconnected)
        #expect(peer.tell(.resumed) == [.sendHello(peer.attempt)])
        #expect(peer.conversation.connectionState == .connecting)
        #expect(peer.welcome() == [.openDownload(peer.attempt, session: peer.session)])
        #expect(peer.conversation.connectionState == .connected)
    }

    @Test("an outage is reported once, and the waits between attempts double up to the maximum, never the same")
    func backoff() {
        var peer = HandCrankedPeer()
        peer.tell(.resumed)
        var reports = 0
        var previousBound: UInt64 = 0
        for failure in 0..<20 {
            let actions = peer.tell(.failed(peer.attempt, .hello, .unreachable("nobody there")))
            reports += actions.filter { $0 == .report(.interrupted(.unreachable("nobody there"))) }.count
            guard case .waiting(let until) = peer.conversation.phase else {
                Issue.record("after failure \(failure) the conversation waits")
                return
            }
            let wait = until.milliseconds - peer.now.milliseconds
            let bound = min(60_000, UInt64(100) << UInt64(failure))
            #expect(wait >= bound / 2 && wait <= bound, "failure \(failure)")
            #expect(bound >= previousBound)
            previousBound = bound
            peer.pass(milliseconds: wait - 1)
            #expect(peer.tell(.timer) == [])
            peer.pass(milliseconds: 1)
            #expect(peer.tell(.timer) == [.sendHello(peer.attempt)])
        }
        #expect(reports == 1)
    }

    @Test("a server at its limits is left alone for as long as it asks, and up to half as long again")
    func toldToWait() {
        for (asked, least) in [(7_000, 7_000), (86_400_000, 600_000)] as [(UInt64, UInt64)] {
            var waits: Set<UInt64> = []
            for _ in 0..<20 {
                var peer = HandCrankedPeer(seed: UInt64.random(in: 0...UInt64.max))
                peer.tell(.resumed)
                let busy = SyncFailure(.serverBusy, "full", retryAfterMilliseconds: asked)
                peer.tell(.failed(peer.attempt, .hello, .refused(busy)))
                guard case .waiting(let until) = peer.conversation.phase else {
                    Issue.record("it does not wait")
                    return
                }
                let wait = until.milliseconds - peer.now.milliseconds
                #expect(wait >= least && wait <= least + least / 2)
                waits.insert(wait)
            }
            #expect(waits.count > 1, "all devices come at once")
        }
    }

    @Test("a session that brought a message makes the next wait short again and the next outage worth a report")
    func backoffResets() {
        var peer = HandCrankedPeer()
        peer.tell(.resumed)
        for _ in 0..<8 {
            peer.tell(.failed(peer.attempt, .hello, .timeout("slow")))
            peer.pass(milliseconds: 60_000)
            peer.tell(.timer)
        }
        peer.welcome()
        peer.receive(.heartbeat(serverTime: 1))
        let actions = peer.tell(.downloadClosed(peer.attempt))
        #expect(actions.contains(.disconnect(peer.attempt)))
        #expect(actions.contains { if case .report(.interrupted) = $0 { true } else { false } })
        guard case .waiting(let until) = peer.conversation.phase else {
            Issue.record("a closed stream leads to a wait")
            return
        }
        #expect(until <= peer.now + 100)
    }

    @Test("a stream that stays silent for three heartbeats is dead; any message keeps it alive")
    func silence() {
        var peer = HandCrankedPeer()
        peer.connect()
        for _ in 0..<10 {
            peer.pass(milliseconds: 44_000)
            peer.receive(.heartbeat(serverTime: 1))
            #expect(peer.tell(.timer) == [])
        }
        peer.pass(milliseconds: 45_000)
        let actions = peer.tell(.timer)
        #expect(actions.first { if case .report(.interrupted(.timeout)) = $0 { true } else { false } } != nil)
        #expect(actions.contains(.disconnect(peer.attempt, inDoubt: true)))
    }

    @Test("an upload without an answer is a lost connection")
    func answerOverdue() {
        var peer = HandCrankedPeer(changesets: 1)
        peer.connect()
        for _ in 0..<6 {
            peer.pass(milliseconds: 10_000)
            peer.receive(.heartbeat(serverTime: 1))
        }
        #expect(peer.tell(.timer).contains(.disconnect(peer.attempt, inDoubt: true)))
    }

    @Test("a wake is armed no later than the next deadline, and a busy stream does not re-arm it")
    func wakes() {
        var peer = HandCrankedPeer()
        peer.tell(.resumed)
        #expect(peer.actions.contains(.wake(peer.now + 60_000)))
        peer.welcome()
        #expect(peer.actions.contains(.wake(peer.now + 45_000)))
        for _ in 0..<100 {
            peer.pass(milliseconds: 10)
            peer.receive(.heartbeat(serverTime: 1))
            #expect(peer.actions == [])
        }
    }

    @Test("suspending hangs up and forgets; resuming says hello again")
    func suspend() {
        var peer = HandCrankedPeer(changesets: 3)
        peer.connect()
        let first = peer.attempt
        #expect(peer.tell(.suspended) == [.disconnect(first)])
        #expect(peer.tell(.suspended) == [])
        #expect(peer.tell(.uploadAnswered(first, UploadAnswer(committed: 3))) == [])
        #expect(peer.conversation.upload.committed == 0)
        peer.pass(milliseconds: 1_000_000)
        #expect(peer.tell(.timer) == [])
        #expect(peer.tell(.resumed) == [.sendHello(peer.attempt)])
        #expect(peer.attempt > first)
    }

    @Test("what belongs to an older attempt is ignored")
    func staleAnswers() {
        var peer = HandCrankedPeer()
        peer.connect()
        let old = peer.attempt
        peer.tell(.downloadClosed(old))
        peer.pass(milliseconds: 60_000)
        peer.tell(.timer)
        peer.welcome()
        #expect(peer.tell(.downloadClosed(old)) == [])
        #expect(peer.tell(.received(old, .changes(lastPart(9)), bytes: 10)) == [])
        #expect(peer.tell(.failed(old, .download, .unreachable("late"))) == [])
        #expect(peer.conversation.connectionState == .connected)
    }

    @Test("reconnect skips the backoff")
    func reconnect() {
        var peer = HandCrankedPeer()
        peer.tell(.resumed)
        for _ in 0..<5 {
            peer.tell(.failed(peer.attempt, .hello, .unreachable("nobody there")))
            #expect(peer.tell(.reconnect) == [.sendHello(peer.attempt)])
        }
    }

    @Test("a certificate that is not trusted stops the attempts, fails who waits, and a reconnect tries again")
    func untrusted() {
        var peer = HandCrankedPeer()
        let waiter = Conversation.Waiter(number: 1)
        peer.tell(.resumed)
        peer.tell(.waitForDownload(waiter))
        let trouble = Trouble.stopped(.untrusted("add the CA"))
        #expect(
            peer.tell(.failed(peer.attempt, .hello, .untrusted("add the CA"))) == [
                .disconnect(peer.attempt), .report(trouble), .fail(waiter, trouble),
            ])
        peer.pass(milliseconds: 1_000_000)
        #expect(peer.tell(.timer) == [])
        let nothingToSend = Conversation.Waiter(number: 2)
        #expect(peer.tell(.waitForUpload(nothingToSend)) == [.finish(nothingToSend)])
        let late = Conversation.Waiter(number: 3)
        #expect(peer.tell(.waitForDownload(late)) == [.fail(late, trouble)])
        #expect(peer.tell(.reconnect) == [.sendHello(peer.attempt)])
    }

    @Test("an expired token asks for another and goes on with it, and the app hears nothing")
    func renewedToken() {
        var peer = HandCrankedPeer()
        peer.connect()
        let waiter = Conversation.Waiter(number: 1)
        peer.tell(.waitForDownload(waiter))
        let first = peer.attempt
        let failure = SyncFailure(.tokenExpired, "get a new token")
        #expect(peer.receive(.end(failure)) == [.disconnect(first), .renewToken])
        #expect(peer.conversation.connectionState == .connecting)
        // Neither time nor an impatient app asks twice.
        peer.pass(milliseconds: 1_000_000)
        #expect(peer.tell(.timer) == [])
        #expect(peer.tell(.reconnect) == [])
        #expect(peer.tell(.tokenRenewed) == [.sendHello(peer.attempt)])
        #expect(peer.welcome().contains(.openDownload(peer.attempt, session: peer.session)))
        #expect(peer.tell(.tokenRenewed) == [])
        #expect(peer.tell(.renewalFailed(nil)) == [])
    }

    @Test("an expired token without a way to another stops the attempts until the app logs in")
    func expiredToken() {
        var peer = HandCrankedPeer()
        peer.connect()
        let failure = SyncFailure(.tokenExpired, "get a new token")
        #expect(peer.receive(.end(failure)).contains(.renewToken))
        #expect(peer.tell(.renewalFailed(nil)) == [.report(.stopped(.refused(failure)))])
        #expect(peer.tell(.tokenChanged) == [.sendHello(peer.attempt)])
    }

    @Test("a token that cannot be renewed for the network is asked for again later; one that is refused stops")
    func failedRenewal() {
        var peer = HandCrankedPeer()
        peer.connect()
        let failure = SyncFailure(.tokenExpired, "get a new token")
        peer.receive(.end(failure))
        let outage = TransportFailure.unreachable("nobody there")
        #expect(peer.tell(.renewalFailed(outage)) == [.report(.interrupted(outage))])
        guard case .waiting = peer.conversation.phase else {
            Issue.record("an outage leads to a wait")
            return
        }
        peer.pass(milliseconds: 60_000)
        #expect(peer.tell(.timer) == [.sendHello(peer.attempt)])
        peer.tell(.failed(peer.attempt, .hello, .refused(failure)))
        let refused = TransportFailure.refused(SyncFailure(.tokenInvalid, "log in again"))
        #expect(peer.tell(.renewalFailed(refused)) == [.report(.stopped(refused))])
    }

    @Test("a server that takes no token as fresh is not asked without a pause")
    func staleTokens() {
        var peer = HandCrankedPeer()
        peer.tell(.resumed)
        let failure = TransportFailure.refused(SyncFailure(.tokenExpired, "get a new token"))
        peer.tell(.failed(peer.attempt, .hello, failure))
        #expect(peer.tell(.tokenRenewed) == [.sendHello(peer.attempt)])
        peer.tell(.failed(peer.attempt, .hello, failure))
        #expect(peer.tell(.tokenRenewed) == [.report(.interrupted(failure))])
        guard case .waiting = peer.conversation.phase else {
            Issue.record("the second stale token leads to a wait")
            return
        }
    }

    @Test("an app's own bound on silence holds instead of three heartbeats, but never less than two")
    func ownSilence() {
        var limits = ConversationLimits()
        for (bound, expected) in [(UInt64(1), UInt64(30_000)), (40_000, 40_000), (90_000, 90_000)] {
            limits.silenceMilliseconds = bound
            var peer = HandCrankedPeer(limits: limits)
            peer.connect()
            let session = SessionLimits.standard
            #expect(session.heartbeatMilliseconds == 15_000)
            peer.pass(milliseconds: expected - 1)
            peer.tell(.timer)
            #expect(peer.conversation.connectionState == .connected, "bound \(bound)")
            peer.pass(milliseconds: 1)
            peer.tell(.timer)
            #expect(peer.conversation.connectionState == .disconnected, "bound \(bound)")
        }
    }

    @Test("an unknown session says hello again at once, but a second time in a row waits")
    func restart() {
        var peer = HandCrankedPeer()
        peer.connect()
        peer.receive(.heartbeat(serverTime: 1))
        let failure = TransportFailure.refused(SyncFailure(.sessionUnknown, "say hello again"))
        let first = peer.attempt
        let actions = peer.tell(.failed(first, .credit, failure))
        #expect(actions == [.disconnect(first), .sendHello(peer.attempt)])
        peer.welcome()
        peer.tell(.failed(peer.attempt, .download, failure))
        guard case .waiting = peer.conversation.phase else {
            Issue.record("the second restart waits, else both sides spin")
            return
        }
    }

    @Test("a file behind what the server has of it begins again, and sends nothing before")
    func restoredFile() {
        var peer = HandCrankedPeer(changesets: 2)
        let actions = peer.connect(committed: 7)
        #expect(actions.contains(.beginAgain(after: .init(changesets: 0, oneWay: 0), refused: [])))
        #expect(!actions.contains { if case .upload = $0 { true } else { false } })
    }

    @Test(
        "a server behind what it had confirmed gets it again: first the file's log is filled, then hello is said anew")
    func restoredServer() {
        var conversation = Conversation(
            logged: .init(changesets: 9, oneWay: 0), dropped: .init(changesets: 5, oneWay: 0), queriesWanted: 0)
        var random = SeededNumbers(seed: 1)
        let now = Moment(milliseconds: 0)
        func happens(_ event: Conversation.Event) -> [Conversation.Action] {
            conversation.handle(event, at: now, using: &random).filter { if case .wake = $0 { false } else { true } }
        }
        _ = happens(.resumed)
        let welcome = Welcome(
            session: 1, protocolVersion: 1, epoch: 2, serverTime: 0, limits: .standard, committed: 3, ingested: 0,
            skipped: 2)
        let greeting = Conversation.Greeting(wanted: 0, logged: .init(changesets: 9, oneWay: 0))
        let first = conversation.attempt
        #expect(
            happens(.welcomed(first, welcome, greeting)) == [
                .report(.changesetsLost(2, through: 3)), .disconnect(first), .refill(after: 3),
            ])
        #expect(happens(.committed(.init(changesets: 10, oneWay: 0))) == [])
        #expect(happens(.refilled(after: 3)) == [.sendHello(conversation.attempt)])
        var second = welcome
        second.skipped = 0
        #expect(
            happens(.welcomed(conversation.attempt, second, greeting)) == [
                .openDownload(conversation.attempt, session: 1), .upload(conversation.attempt, session: 1, after: 3),
            ])
    }

    @Test("what the file says has left its logs counts, whatever its commits were thought to have done")
    func droppedOfTheFile() {
        var conversation = Conversation(
            logged: .init(changesets: 9, oneWay: 4), dropped: .init(changesets: 0, oneWay: 0), queriesWanted: 0)
        var random = SeededNumbers(seed: 1)
        let now = Moment(milliseconds: 0)
        func happens(_ event: Conversation.Event) -> [Conversation.Action] {
            conversation.handle(event, at: now, using: &random).filter { if case .wake = $0 { false } else { true } }
        }
        _ = happens(.resumed)
        var welcome = Welcome(
            session: 1, protocolVersion: 1, epoch: 2, serverTime: 0, limits: .standard, committed: 9, ingested: 4)
        var greeting = Conversation.Greeting(
            wanted: 0, logged: .init(changesets: 9, oneWay: 4), dropped: .init(changesets: 0, oneWay: 0))
        _ = happens(.welcomed(conversation.attempt, welcome, greeting))
        // The change that acknowledged them is said to have failed, and is in the file; the one-way entries are said to
        // be gone, and are there. And the server is restored from a copy that has neither.
        _ = happens(.fileFailed("The disk is full."))
        _ = happens(.reconnect)
        (welcome.committed, welcome.ingested) = (3, 0)
        greeting.dropped = .init(changesets: 9, oneWay: 0)
        let attempt = conversation.attempt
        #expect(
            happens(.welcomed(attempt, welcome, greeting)) == [.disconnect(attempt), .refill(after: 3)])
        _ = happens(.refilled(after: 3))
        greeting.dropped = .init(changesets: 3, oneWay: 0)
        let actions = happens(.welcomed(conversation.attempt, welcome, greeting))
        #expect(actions.contains(.upload(conversation.attempt, session: 1, after: 3)))
        #expect(actions.contains(.ingest(conversation.attempt, after: 0)))
    }

    @Test("a log that cannot be filled stops the session with the reason, and asks nobody again and again")
    func impossibleRefill() {
        var conversation = Conversation(
            logged: .init(changesets: 9, oneWay: 0), dropped: .init(changesets: 5, oneWay: 0), queriesWanted: 0)
        var random = SeededNumbers(seed: 1)
        let now = Moment(milliseconds: 0)
        _ = conversation.handle(.resumed, at: now, using: &random)
        let welcome = Welcome(
            session: 1, protocolVersion: 1, epoch: 2, serverTime: 0, limits: .standard, committed: 3, ingested: 0)
        let greeting = Conversation.Greeting(wanted: 0, logged: .init(changesets: 9, oneWay: 0))
        _ = conversation.handle(.welcomed(conversation.attempt, welcome, greeting), at: now, using: &random)
        let failure = TransportFailure.refused(SyncFailure(.epochChanged, "gone"))
        #expect(
            conversation.handle(.refillFailed("gone"), at: now, using: &random) == [.report(.stopped(failure))])
        #expect(conversation.phase == .stopped(failure))
    }

    @Test("a download that can never be read stops the session after some attempts; any change in between begins anew")
    func unreadable() {
        var peer = HandCrankedPeer()
        peer.connect()
        let failure = TransportFailure.unintelligible("a message of no kind")
        func fail() -> [Conversation.Action] {
            let actions = peer.tell(.failed(peer.attempt, .download, failure))
            if case .stopped = peer.conversation.phase { return actions }
            guard case .waiting(let until) = peer.conversation.phase else { return actions }
            peer.now = until
            peer.tell(.timer)
            peer.welcome()
            return actions
        }
        let most = peer.conversation.limits.unreadableMaximum
        for _ in 1..<most { #expect(!fail().contains(.report(.stopped(failure)))) }
        peer.receive(.changes(lastPart(1)))
        peer.tell(.applied(acknowledged: 0))
        for _ in 1..<most { #expect(!fail().contains(.report(.stopped(failure)))) }
        #expect(fail().contains(.report(.stopped(failure))))
        #expect(peer.conversation.phase == .stopped(failure))
    }
}
