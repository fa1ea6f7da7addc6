import CausewayModel
import CausewaySync
import CausewayWire
import Testing

@Suite("A device's conversation: downloads")
struct DownloadTests {
    func change(_ parts: [ViewChunk], spilled: Int = 0) -> ViewChange {
        ViewChange(partsSpilled: spilled, parts: parts, checkpoint: parts.last!.checkpoint!)
    }

    @Test("parts wait for the one with the checkpoint, then all are applied at once")
    func staging() {
        var peer = HandCrankedPeer()
        peer.connect()
        #expect(peer.receive(.changes(part(7))) == [])
        #expect(peer.conversation.downloadProgress == Progress(transferred: 0, transferrable: 7))
        #expect(peer.receive(.changes(part(8))) == [])
        #expect(peer.receive(.changes(lastPart(3))) == [.apply([change([part(7), part(8), lastPart(3)])])])
    }

    @Test("changes that arrive while one is being applied are applied together afterwards, in order")
    func coalescing() {
        var peer = HandCrankedPeer()
        peer.connect()
        #expect(peer.receive(.changes(lastPart(1))) == [.apply([change([lastPart(1)])])])
        #expect(peer.receive(.changes(lastPart(2))) == [])
        #expect(peer.receive(.changes(lastPart(3))) == [])
        #expect(
            peer.tell(.applied(acknowledged: 0)) == [
                .apply([change([lastPart(2)]), change([lastPart(3)])])
            ])
        #expect(peer.tell(.applied(acknowledged: 0)) == [])
    }

    @Test("beyond the bound of memory the parts move to the file, one move at a time")
    func spilling() {
        var limits = ConversationLimits()
        limits.stagingBytes = 1_000
        var peer = HandCrankedPeer(limits: limits)
        peer.connect()
        #expect(peer.receive(.changes(part(1)), bytes: 900) == [])
        #expect(peer.receive(.changes(part(2)), bytes: 900) == [.spill([part(1), part(2)], from: 0)])
        #expect(peer.receive(.changes(part(3)), bytes: 900) == [])
        #expect(peer.receive(.changes(part(4)), bytes: 900) == [])
        #expect(peer.tell(.spilled) == [.spill([part(3), part(4)], from: 2)])
        #expect(peer.receive(.changes(lastPart(9)), bytes: 10) == [])
        #expect(peer.tell(.spilled) == [.apply([change([lastPart(9)], spilled: 4)])])
    }

    @Test("a complete change is applied before the parts of the next one move to the file")
    func spillAfterApply() {
        var limits = ConversationLimits()
        limits.stagingBytes = 1_000
        var peer = HandCrankedPeer(limits: limits)
        peer.connect()
        peer.receive(.changes(lastPart(1)))
        peer.receive(.changes(lastPart(2)))
        peer.receive(.changes(part(5)), bytes: 2_000)
        #expect(peer.tell(.applied(acknowledged: 0)) == [.apply([change([lastPart(2)])])])
        #expect(peer.tell(.applied(acknowledged: 0)) == [.spill([part(5)], from: 0)])
    }

    @Test("credit goes back when a quarter of the window is taken in, and not while the file is busy")
    func credit() {
        var peer = HandCrankedPeer()
        peer.connect(limits: SessionLimits(frameBytes: 1 << 20, creditBytes: 4_000, heartbeatMilliseconds: 15_000))
        #expect(peer.receive(.changes(part(1)), bytes: 999) == [])
        #expect(
            peer.receive(.changes(part(1)), bytes: 1) == [
                .sendCredit(peer.attempt, session: peer.session, bytes: 1_000)
            ])
        // One call at a time; what is consumed meanwhile goes with the next.
        #expect(peer.receive(.changes(part(1)), bytes: 1_500) == [])
        #expect(
            peer.tell(.creditTaken(peer.attempt)) == [
                .sendCredit(peer.attempt, session: peer.session, bytes: 1_500)
            ])
        peer.tell(.creditTaken(peer.attempt))
        peer.receive(.changes(lastPart(1)), bytes: 1)
        #expect(peer.receive(.changes(part(1)), bytes: 3_000) == [])
        #expect(
            peer.tell(.applied(acknowledged: 0)) == [
                .sendCredit(peer.attempt, session: peer.session, bytes: 3_001)
            ])
    }

    @Test("a cut throws staged parts away, and hello waits for the transaction that is under way")
    func cutWhileApplying() {
        var peer = HandCrankedPeer()
        peer.connect()
        peer.receive(.changes(lastPart(1)))
        peer.receive(.changes(part(7)))
        peer.tell(.downloadClosed(peer.attempt))
        #expect(peer.tell(.reconnect) == [])
        #expect(peer.conversation.phase == .settling)
        #expect(peer.tell(.applied(acknowledged: 0)) == [.sendHello(peer.attempt)])
        peer.welcome()
        #expect(peer.receive(.changes(lastPart(2))) == [.apply([change([lastPart(2)])])])
    }

    @Test("a cut moves the parts up to the last resume point to the file, before the next hello")
    func cutBehindResumePoint() {
        var peer = HandCrankedPeer()
        peer.connect()
        peer.receive(.changes(resumablePart(4, of: 9)))
        peer.receive(.changes(part(9)))
        let cut = peer.tell(.downloadClosed(peer.attempt))
        #expect(cut.contains(.spill([resumablePart(4, of: 9)], from: 0)))
        #expect(peer.tell(.reconnect) == [])
        #expect(peer.conversation.downloadProgress == Progress(transferred: 4, transferrable: 9))
        #expect(peer.tell(.spilled) == [.sendHello(peer.attempt)])
        // An attempt of which nothing came leaves the count where it was.
        peer.tell(.failed(peer.attempt, .hello, .unreachable("no network")))
        #expect(peer.conversation.downloadProgress == Progress(transferred: 4, transferrable: 9))
    }

    @Test("on a slow network, what came some seconds ago moves to the file, so that the process may end")
    func slowly() {
        var peer = HandCrankedPeer()
        peer.connect()
        #expect(peer.receive(.changes(resumablePart(1, of: 9))) == [])
        peer.pass(milliseconds: 6_000)
        #expect(
            peer.receive(.changes(resumablePart(2, of: 9))) == [.spill([resumablePart(1, of: 9)], from: 0)])
        #expect(peer.tell(.spilled) == [])
        #expect(peer.receive(.changes(resumablePart(3, of: 9))) == [])
    }

    @Test("a session that goes on counts on what is staged, in parts and in objects")
    func resumed() throws {
        var peer = HandCrankedPeer()
        let staged = try #require(StagedChange.adding(resumablePart(4, of: 9), number: 0, to: nil))
        peer.tell(.resumed)
        peer.welcome(staged: staged)
        #expect(peer.conversation.downloadProgress == Progress(transferred: 4, transferrable: 9))
        peer.receive(.changes(resumablePart(2, of: 6)))
        #expect(peer.conversation.downloadProgress == Progress(transferred: 6, transferrable: 10))
        let cut = peer.tell(.downloadClosed(peer.attempt))
        var counted = resumablePart(2, of: 6)
        (counted.objectsDone, counted.objectsTotal) = (6, 10)
        #expect(cut.contains(.spill([counted], from: 1)))
        peer.tell(.spilled)
        peer.tell(.reconnect)
        peer.welcome(staged: StagedChange.adding(counted, number: 1, to: staged))
        var last = lastPart(3)
        (last.objectsTotal, last.objectsDone) = (4, 4)
        let actions = peer.receive(.changes(last))
        guard case .apply(let changes) = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(changes.map(\.partsSpilled) == [2])
        #expect(peer.conversation.downloadProgress == Progress(transferred: 10, transferrable: 10, finished: 1))
    }

    @Test("parts behind a change that the file is taking in are not kept: it may fail")
    func cutBehindApply() {
        var peer = HandCrankedPeer()
        peer.connect()
        peer.receive(.changes(lastPart(1)))
        peer.receive(.changes(resumablePart(4, of: 9)))
        peer.tell(.downloadClosed(peer.attempt))
        #expect(peer.tell(.applied(acknowledged: 0)) == [])
    }

    @Test("parts behind a change that the file did not take are not kept")
    func cutBehindFailure() {
        var peer = HandCrankedPeer()
        peer.connect()
        peer.receive(.changes(lastPart(1)))
        peer.receive(.changes(resumablePart(4, of: 9)))
        let actions = peer.tell(.fileFailed("the disk is full"))
        #expect(actions.contains(.disconnect(peer.attempt)))
        #expect(!actions.contains(.spill([resumablePart(4, of: 9)], from: 0)))
        #expect(peer.tell(.reconnect) == [.sendHello(peer.attempt)])
    }

    @Test("what is staged is applied in segments, one for each version that it was told at")
    func segments() throws {
        var staged = try #require(StagedChange.adding(resumablePart(1, of: 9, version: 4), number: 0, to: nil))
        staged = try #require(StagedChange.adding(resumablePart(2, of: 9, version: 4), number: 1, to: staged))
        staged = try #require(StagedChange.adding(part(9), number: 2, to: staged))
        #expect(staged.parts == 2)
        staged = try #require(StagedChange.adding(resumablePart(3, of: 9, version: 7), number: 2, to: staged))
        #expect(staged.parts == 3)
        #expect(try StagedChange(encoded: staged.encoded()) == staged)
        let ends = [2, 3]
        #expect(staged.segments(before: change([lastPart(8)], spilled: 4)).map(\.end) == ends)
        // Parts of the same version as the checkpoint belong to it.
        #expect(staged.segments(before: change([lastPart(7)], spilled: 4)).map(\.end) == [2])
    }

    @Test("a file that cannot take a change is reported, and the change comes again")
    func fileFails() {
        var peer = HandCrankedPeer()
        peer.connect()
        peer.receive(.changes(lastPart(1)))
        let actions = peer.tell(.fileFailed("the disk is full"))
        #expect(
            actions == [.disconnect(peer.attempt), .report(.file("the disk is full"))]
                || actions == [.report(.file("the disk is full")), .disconnect(peer.attempt)])
        #expect(peer.tell(.reconnect) == [.sendHello(peer.attempt)])
    }

    @Test("a mark is true once everything sent before it is in the file")
    func marks() {
        var peer = HandCrankedPeer()
        peer.connect()
        let first = Conversation.Waiter(number: 1)
        let second = Conversation.Waiter(number: 2)
        #expect(peer.tell(.waitForDownload(first)) == [.sendMark(peer.attempt, session: peer.session, id: 1)])
        #expect(peer.tell(.waitForDownload(second)) == [.sendMark(peer.attempt, session: peer.session, id: 2)])
        peer.receive(.changes(lastPart(1)))
        #expect(peer.receive(.mark(1)) == [])
        #expect(peer.receive(.changes(lastPart(2))) == [])
        #expect(peer.receive(.mark(2)) == [])
        // The mark came while change 1 was with the file, so it stands behind the change that waits.
        peer.tell(.applied(acknowledged: 0))
        #expect(peer.tell(.applied(acknowledged: 0)).contains(.finish(second)))
        #expect(peer.tell(.applied(acknowledged: 0)) == [])
    }

    @Test("a mark with nothing before it is true at once; after a cut it is asked for again")
    func marksAfterCut() {
        var peer = HandCrankedPeer()
        peer.connect()
        let waiter = Conversation.Waiter(number: 1)
        peer.tell(.waitForDownload(waiter))
        peer.tell(.downloadClosed(peer.attempt))
        peer.tell(.reconnect)
        let actions = peer.welcome()
        #expect(actions.contains(.sendMark(peer.attempt, session: peer.session, id: 2)))
        #expect(peer.receive(.mark(1)) == [])
        #expect(peer.receive(.mark(2)) == [.finish(waiter)])
    }

    @Test("new queries are told once, the newest last, and what the server says of them is passed on")
    func queries() {
        var peer = HandCrankedPeer()
        peer.connect()
        #expect(
            peer.tell(.queriesChanged(version: 1)) == [.sendQueries(peer.attempt, session: peer.session)])
        #expect(peer.tell(.queriesChanged(version: 2)) == [])
        #expect(
            peer.tell(.queriesTaken(peer.attempt, version: 1)) == [
                .sendQueries(peer.attempt, session: peer.session)
            ])
        #expect(peer.tell(.queriesTaken(peer.attempt, version: 2)) == [])
        let failure = SyncFailure(.queryInvalid, "no such class")
        #expect(
            peer.receive(.queriesRefused(querySet: 2, failure)) == [.queriesRefused(version: 2, failure)])
        #expect(peer.conversation.connectionState == .connected)
    }

    @Test("a mark waits until the newest queries are told, so that it stands behind what they match")
    func markBehindQueries() {
        var peer = HandCrankedPeer()
        peer.connect()
        let waiter = Conversation.Waiter(number: 1)
        peer.tell(.queriesChanged(version: 1))
        #expect(peer.tell(.waitForDownload(waiter)) == [])
        #expect(
            peer.tell(.queriesTaken(peer.attempt, version: 1)) == [
                .sendMark(peer.attempt, session: peer.session, id: 1)
            ])
    }

    @Test("new classes in the file begin a new session")
    func schemaChanged() {
        var peer = HandCrankedPeer()
        #expect(peer.tell(.schemaChanged) == [])
        peer.connect()
        let old = peer.attempt
        #expect(peer.tell(.schemaChanged) == [.disconnect(old), .sendHello(peer.attempt)])
    }

    @Test("queries changed while hello was on its way are told after the welcome")
    func queriesDuringHello() {
        var peer = HandCrankedPeer()
        peer.tell(.resumed)
        peer.tell(.queriesChanged(version: 3))
        #expect(peer.welcome(wanted: 2).contains(.sendQueries(peer.attempt, session: peer.session)))
        peer.tell(.suspended)
        peer.tell(.resumed)
        #expect(!peer.welcome(wanted: 3).contains(.sendQueries(peer.attempt, session: peer.session)))
    }

    @Test("uploads and downloads do not wait for each other")
    func lanes() {
        var peer = HandCrankedPeer(changesets: 1, oneWay: 1)
        peer.connect()
        #expect(peer.receive(.changes(lastPart(1))) == [.apply([change([lastPart(1)])])])
        peer.tell(.uploadAnswered(peer.attempt, UploadAnswer(committed: 1)))
        #expect(
            peer.tell(.committed(.init(changesets: 2, oneWay: 1))) == [
                .upload(peer.attempt, session: peer.session, after: 1)
            ])
    }
}
