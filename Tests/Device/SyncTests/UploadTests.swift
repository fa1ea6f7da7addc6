import CausewayOperations
import CausewaySync
import CausewayWire
import Testing

@Suite("A device's conversation: uploads")
struct UploadTests {
    @Test("a commit leaves at once when the lane is idle, and one batch is in flight at a time")
    func oneInFlight() {
        var peer = HandCrankedPeer()
        peer.connect()
        #expect(
            peer.tell(.committed(.init(changesets: 1, oneWay: 0))) == [
                .upload(peer.attempt, session: peer.session, after: 0)
            ])
        #expect(peer.tell(.committed(.init(changesets: 2, oneWay: 0))) == [])
        #expect(peer.tell(.committed(.init(changesets: 3, oneWay: 0))) == [])
        #expect(
            peer.tell(.uploadAnswered(peer.attempt, UploadAnswer(committed: 1))) == [
                .upload(peer.attempt, session: peer.session, after: 1)
            ])
        #expect(peer.tell(.uploadAnswered(peer.attempt, UploadAnswer(committed: 3))) == [])
    }

    @Test("after any doubt the upload starts where the welcome says the server is")
    func afterDoubt() {
        var peer = HandCrankedPeer(changesets: 9)
        peer.connect(committed: 2)
        #expect(peer.actions.contains(.upload(peer.attempt, session: peer.session, after: 2)))
        peer.tell(.failed(peer.attempt, .upload, .unreachable("cut in the middle")))
        peer.tell(.reconnect)
        // The cut upload had arrived as a whole.
        let actions = peer.welcome(committed: 6)
        #expect(actions.contains(.upload(peer.attempt, session: peer.session, after: 6)))
    }

    @Test("one-way entries have a lane of their own and are dropped once they are on the server")
    func oneWay() {
        var peer = HandCrankedPeer(changesets: 1, oneWay: 4)
        let actions = peer.connect(ingested: 1)
        #expect(
            actions == [
                .dropOneWay(through: 1), .openDownload(peer.attempt, session: peer.session),
                .upload(peer.attempt, session: peer.session, after: 0), .ingest(peer.attempt, after: 1),
            ])
        #expect(peer.tell(.ingestAnswered(peer.attempt, through: 4)) == [.dropOneWay(through: 4)])
        // The file may have failed to: it is asked again after the next hello.
        peer.tell(.suspended)
        #expect(peer.connect(ingested: 4).contains(.dropOneWay(through: 4)))
    }

    @Test(
        "a changeset that the server takes in no form is set aside, then a new session sends its empty place and the rest"
    )
    func setAside() {
        var peer = HandCrankedPeer(changesets: 5)
        peer.connect()
        let failure = SyncFailure(.operationInvalid, "no such property")
        let waiter = Conversation.Waiter(number: 1)
        peer.tell(.waitForUpload(waiter))
        let first = peer.attempt
        #expect(
            peer.tell(.uploadAnswered(first, UploadAnswer(committed: 2, failure: failure))) == [
                .disconnect(first), .setAside(.changeset(3, failure)),
            ])
        // Nothing of the old session counts, and no other begins, before the file has done it.
        #expect(peer.tell(.reconnect) == [])
        #expect(peer.tell(.setAside(.changesets)) == [.sendHello(peer.attempt)])
        #expect(peer.welcome(committed: 2).contains(.upload(peer.attempt, session: peer.session, after: 2)))
        #expect(
            peer.tell(.uploadAnswered(peer.attempt, UploadAnswer(committed: 5))) == [.finish(waiter)])
    }

    @Test("of a batch that is refused as a whole the changesets leave one by one, until the one to blame is found")
    func oneByOne() {
        var peer = HandCrankedPeer(changesets: 9)
        peer.connect()
        let failure = SyncFailure(.frameTooLarge, "65 MiB")
        func alone(_ after: UInt64) -> [Conversation.Action] {
            [.upload(peer.attempt, session: peer.session, after: after, alone: true)]
        }
        #expect(peer.tell(.failed(peer.attempt, .upload, .refused(failure))) == alone(0))
        #expect(peer.tell(.uploadAnswered(peer.attempt, UploadAnswer(committed: 1))) == alone(1))
        let attempt = peer.attempt
        #expect(
            peer.tell(.failed(attempt, .upload, .refused(failure))) == [
                .disconnect(attempt), .setAside(.changeset(2, failure)),
            ])
        // A disk that is full must not be asked without a pause.
        #expect(peer.tell(.setAsideFailed(.changesets, "full")) == [.report(.file("full"))])
        peer.tell(.reconnect)
        #expect(peer.welcome(committed: 1).contains(.upload(peer.attempt, session: peer.session, after: 1)))
    }

    @Test("a changeset is set aside when the file is free; a session that ends before is told the same again")
    func setAsideLater() {
        var peer = HandCrankedPeer(changesets: 1)
        peer.connect()
        let failure = SyncFailure(.messageMalformed, "no message")
        peer.receive(.changes(lastPart(3)))
        let answer = UploadAnswer(committed: 0, failure: failure)
        #expect(peer.tell(.uploadAnswered(peer.attempt, answer)) == [])
        #expect(peer.tell(.failed(peer.attempt, .download, .unreachable("cut"))).count == 2)
        #expect(peer.tell(.applied(acknowledged: 0)) == [])
        peer.tell(.reconnect)
        #expect(peer.welcome().contains(.upload(peer.attempt, session: peer.session, after: 0)))
        peer.receive(.changes(lastPart(4)))
        peer.tell(.uploadAnswered(peer.attempt, answer))
        let attempt = peer.attempt
        #expect(
            peer.tell(.applied(acknowledged: 0)) == [.disconnect(attempt), .setAside(.changeset(1, failure))])
    }

    @Test("where the server keeps no more of what it refused, the next hello waits until the file has all of that")
    func refusalsUnread() {
        var peer = HandCrankedPeer(changesets: 9)
        peer.connect()
        let failure = SyncFailure(.refusalsUnread, "read what was refused")
        let first = peer.attempt
        #expect(peer.tell(.uploadAnswered(first, UploadAnswer(committed: 4, failure: failure))) == [])
        #expect(peer.tell(.committed(.init(changesets: 10, oneWay: 0))) == [])
        peer.receive(.changes(lastPart(3, acknowledged: 2)))
        #expect(peer.tell(.applied(acknowledged: 2)) == [])
        peer.receive(.changes(lastPart(4, acknowledged: 4)))
        #expect(peer.tell(.applied(acknowledged: 4)) == [.disconnect(first), .sendHello(peer.attempt)])
        #expect(
            peer.welcome(committed: 4).contains(.upload(peer.attempt, session: peer.session, after: 4)))
        // The file may have it before the answer says that it is wanted.
        peer.receive(.changes(lastPart(6, acknowledged: 6)))
        peer.tell(.applied(acknowledged: 6))
        let second = peer.attempt
        #expect(
            peer.tell(.uploadAnswered(second, UploadAnswer(committed: 6, failure: failure))) == [
                .disconnect(second), .sendHello(peer.attempt),
            ])
    }

    @Test("a server that wants to be told what the hello has said already is asked again after a pause")
    func refusalsUnreadForNothing() {
        var peer = HandCrankedPeer(changesets: 9)
        peer.connect()
        let failure = SyncFailure(.refusalsUnread, "read what was refused")
        let first = peer.attempt
        #expect(
            peer.tell(.uploadAnswered(first, UploadAnswer(committed: 0, failure: failure))) == [
                .disconnect(first), .sendHello(peer.attempt),
            ])
        peer.welcome()
        let actions = peer.tell(.uploadAnswered(peer.attempt, UploadAnswer(committed: 0, failure: failure)))
        #expect(actions == [.report(.interrupted(.refused(failure))), .disconnect(peer.attempt)])
    }

    @Test("a one-way entry that the server takes in no form is set aside, and the session goes on")
    func oneWaySetAside() {
        var peer = HandCrankedPeer(oneWay: 4)
        peer.connect()
        let failure = SyncFailure(.operationInvalid, "no such class")
        peer.tell(.failed(peer.attempt, .ingest, .refused(failure)))
        #expect(
            peer.tell(.failed(peer.attempt, .ingest, .refused(failure))) == [.setAside(.oneWay(1, failure))])
        #expect(peer.tell(.committed(.init(changesets: 0, oneWay: 5))) == [])
        #expect(peer.tell(.setAside(.oneWay)) == [.ingest(peer.attempt, after: 0)])
    }

    @Test("of one-way entries only the operations that are refused are set aside, at once")
    func oneWayOperations() {
        var peer = HandCrankedPeer(oneWay: 4)
        peer.connect()
        let denied = SyncFailure(.permissionDenied, "not yours")
        var failure = denied
        failure.refused = [OperationRefusal(sequence: 1, operation: 2, failure: denied)]
        #expect(
            peer.tell(.failed(peer.attempt, .ingest, .refused(failure))) == [
                .setAside(.oneWayOperations(failure.refused))
            ])
        #expect(peer.tell(.setAside(.oneWay)) == [.ingest(peer.attempt, after: 0)])
    }

    @Test("a caller that may not send stops its lane only, and nothing is set aside; a reconnect tries once more")
    func refused() {
        var peer = HandCrankedPeer(changesets: 5)
        peer.connect()
        let failure = SyncFailure(.permissionDenied, "another user's client")
        let waiter = Conversation.Waiter(number: 1)
        peer.tell(.waitForUpload(waiter))
        let trouble = Trouble.uploadRefused(failure, after: 2)
        #expect(
            peer.tell(.uploadAnswered(peer.attempt, UploadAnswer(committed: 2, failure: failure))) == [
                .report(trouble), .fail(waiter, trouble),
            ])
        #expect(peer.tell(.committed(.init(changesets: 6, oneWay: 0))) == [])
        #expect(
            peer.receive(.changes(lastPart(3))) == [
                .apply([.init(partsSpilled: 0, parts: [lastPart(3)], checkpoint: lastPart(3).checkpoint!)])
            ])
        // Whoever begins to wait now would wait for ever.
        let late = Conversation.Waiter(number: 9)
        #expect(peer.tell(.waitForUpload(late)) == [.fail(late, trouble)])
        #expect(peer.tell(.reconnect) == [.upload(peer.attempt, session: peer.session, after: 2)])
    }

    @Test("a server that is full makes the device try later, and nothing is lost")
    func serverFull() {
        var peer = HandCrankedPeer(changesets: 1)
        peer.connect()
        let failure = SyncFailure(.serverOutOfSpace, "free some space")
        let actions = peer.tell(.uploadAnswered(peer.attempt, UploadAnswer(committed: 0, failure: failure)))
        #expect(actions.contains(.report(.interrupted(.refused(failure)))))
        peer.tell(.reconnect)
        #expect(peer.welcome().contains(.upload(peer.attempt, session: peer.session, after: 0)))
    }

    @Test("an answer that takes nothing and refuses nothing does not make the device spin")
    func emptyAnswer() {
        var peer = HandCrankedPeer(changesets: 1)
        peer.connect()
        peer.tell(.uploadAnswered(peer.attempt, UploadAnswer(committed: 0)))
        guard case .waiting = peer.conversation.phase else {
            Issue.record("an empty answer is a failure of the session")
            return
        }
    }

    @Test("waiting for upload ends when everything logged before is acknowledged, not later")
    func waiting() {
        var peer = HandCrankedPeer(changesets: 2, oneWay: 1)
        peer.connect()
        let first = Conversation.Waiter(number: 1)
        let second = Conversation.Waiter(number: 2)
        #expect(peer.tell(.waitForUpload(first)) == [])
        peer.tell(.committed(.init(changesets: 3, oneWay: 1)))
        #expect(peer.tell(.waitForUpload(second)) == [])
        peer.tell(.uploadAnswered(peer.attempt, UploadAnswer(committed: 2)))
        #expect(
            peer.tell(.ingestAnswered(peer.attempt, through: 1)) == [.dropOneWay(through: 1), .finish(first)])
        #expect(peer.tell(.uploadAnswered(peer.attempt, UploadAnswer(committed: 3))) == [.finish(second)])
        let third = Conversation.Waiter(number: 3)
        #expect(peer.tell(.waitForUpload(third)) == [.finish(third)])
    }
}
