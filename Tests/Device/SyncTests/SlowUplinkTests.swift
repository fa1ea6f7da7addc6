import CausewaySync
import CausewayWire
import Testing

@Suite("A device's conversation: uploads on a slow way")
struct SlowUplinkTests {
    /// A session whose upload has just left.
    private func sending(bytes: Int? = nil) -> HandCrankedPeer {
        var peer = HandCrankedPeer(changesets: 100)
        peer.connect()
        peer.departs(bytes: bytes)
        return peer
    }

    @Test("a batch that is lost on the way is followed by one of half its size, down to the smallest")
    func halved() {
        var peer = sending()
        for expected in [2 << 20, 1 << 20, 512 << 10, 256 << 10, 128 << 10, 64 << 10, 64 << 10] {
            peer.loses(.timeout("no answer"))
            #expect(peer.conversation.upload.batchBytes == expected)
            peer.departs()
        }
    }

    @Test("each full batch that is answered in good time is followed by one of twice its size, up to the largest")
    func doubled() {
        var peer = sending()
        for _ in 0..<3 { peer.loses(.unreachable("cut")) }
        #expect(peer.conversation.upload.batchBytes == 2 << 20, "the size of what had not left yet is not to blame")
        for _ in 0..<2 {
            peer.departs()
            peer.loses(.unreachable("cut"))
        }
        #expect(peer.conversation.upload.batchBytes == 512 << 10)
        for (committed, expected) in zip(UInt64(1)..., [1 << 20, 2 << 20, 4 << 20, 4 << 20]) {
            peer.departs()
            peer.pass(milliseconds: 2_000)
            peer.tell(.uploadAnswered(peer.attempt, UploadAnswer(committed: committed)))
            #expect(peer.conversation.upload.batchBytes == expected)
        }
    }

    @Test("a batch that left room, or twice of which would be late, is followed by no larger one")
    func notDoubled() {
        var peer = sending()
        peer.loses(.timeout("no answer"))
        peer.departs()
        peer.loses(.timeout("no answer"))
        #expect(peer.conversation.upload.batchBytes == 1 << 20)
        peer.departs(bytes: 100)
        peer.tell(.uploadAnswered(peer.attempt, UploadAnswer(committed: 1)))
        #expect(peer.conversation.upload.batchBytes == 1 << 20)
        // Twice as much has 60 + 256 seconds.
        for (milliseconds, expected) in [(UInt64(158_001), 1 << 20), (158_000, 2 << 20)] {
            let committed = peer.conversation.upload.committed
            peer.departs()
            peer.pass(milliseconds: milliseconds)
            peer.tell(.uploadAnswered(peer.attempt, UploadAnswer(committed: committed + 1)))
            #expect(peer.conversation.upload.batchBytes == expected)
        }
    }

    @Test("what is small already, or refused, is not lost for its size")
    func notToBlame() {
        var peer = sending(bytes: 64 << 10)
        peer.loses(.timeout("no answer"))
        #expect(peer.conversation.upload.batchBytes == 4 << 20)
        peer.departs()
        peer.loses(.refused(SyncFailure(.serverOutOfSpace, "free some space")))
        #expect(peer.conversation.upload.batchBytes == 4 << 20)
        peer.departs()
        peer.tell(.failed(peer.attempt, .upload, .refused(SyncFailure(.frameTooLarge, "65 MiB"))))
        #expect(peer.conversation.upload.batchBytes == 4 << 20)
        #expect(peer.actions.contains(.upload(peer.attempt, session: peer.session, after: 0, alone: true)))
    }

    @Test("a server that waited for a body in vain, and a page from between, count as a loss of the way")
    func lostOnTheWay() {
        for failure in [
            TransportFailure.refused(SyncFailure(.serverBusy, "the rest did not come in time")),
            .unintelligible("413, from a proxy"),
        ] {
            var peer = sending()
            peer.loses(failure)
            #expect(peer.conversation.upload.batchBytes == 2 << 20, "\(failure)")
        }
    }

    @Test("one-way batches become smaller and larger as uploads do, by themselves")
    func oneWay() {
        var peer = HandCrankedPeer(oneWay: 9)
        peer.connect()
        peer.tell(.departed(peer.attempt, .oneWay, bytes: 2 << 20))
        peer.loses(.timeout("no answer"))
        #expect(peer.conversation.ingest.batchBytes == 1 << 20)
        #expect(peer.conversation.upload.batchBytes == 4 << 20)
        peer.tell(.departed(peer.attempt, .oneWay, bytes: 1 << 20))
        peer.tell(.ingestAnswered(peer.attempt, through: 4))
        #expect(peer.conversation.ingest.batchBytes == 2 << 20)
    }

    @Test("a batch has the time of an answer, and a second more for each 8 KiB that it sends, nine minutes at most")
    func deadline() {
        for (bytes, seconds) in [(8 << 10, UInt64(61)), (1 << 20, 60 + 128), (4 << 20, 60 + 512), (64 << 20, 600)] {
            var peer = sending(bytes: bytes)
            peer.lives(seconds: seconds - 1)
            peer.pass(milliseconds: 999)
            peer.tell(.timer)
            #expect(peer.conversation.connectionState == .connected, "\(bytes) bytes")
            peer.pass(milliseconds: 1)
            peer.tell(.timer)
            #expect(peer.conversation.connectionState == .disconnected, "\(bytes) bytes")
        }
        #expect(RequestTime.milliseconds(bytes: .max, answerMilliseconds: .max) == .max)
    }

    @Test("a changeset larger than a batch leaves alone and has its time; lost, it leaves the others their size")
    func single() {
        var peer = sending()
        for _ in 0..<6 {
            peer.loses(.timeout("no answer"))
            peer.departs()
        }
        #expect(peer.conversation.upload.batchBytes == 64 << 10)
        peer.departs(bytes: 1 << 20)
        peer.lives(seconds: 187)
        #expect(peer.conversation.connectionState == .connected)
        peer.loses(.timeout("no answer"))
        #expect(peer.conversation.upload.batchBytes == 64 << 10)
    }

    @Test("a connection that is dead is noticed as early while much is on its way")
    func dead() {
        var peer = sending(bytes: 4 << 20)
        let silence = SessionLimits.standard.heartbeatMilliseconds * 3
        peer.pass(milliseconds: silence - 1)
        peer.tell(.timer)
        #expect(peer.conversation.connectionState == .connected)
        peer.pass(milliseconds: 1)
        peer.tell(.timer)
        #expect(peer.conversation.connectionState == .disconnected)
    }

    @Test("however slow the way is, all gets across, and few batches are lost until one fits")
    func slowWay() {
        for (kibPerSecond, entryKiB, count, lost) in [(70, 300, 40, 0), (9, 300, 40, 0), (3, 10, 400, 4)] {
            var uplink = SlowUplink(entryKiB: entryKiB, count: count, kibPerSecond: kibPerSecond)
            uplink.run()
            #expect(uplink.committed == count, "\(kibPerSecond) KiB/s")
            #expect(uplink.lost == lost, "\(kibPerSecond) KiB/s")
            #expect(uplink.batches <= 30, "\(kibPerSecond) KiB/s")
            // What was lost on the way took no longer than what came across at its best.
            #expect(uplink.seconds <= 2 * entryKiB * count / kibPerSecond, "\(kibPerSecond) KiB/s")
        }
    }

    @Test("on a way that breaks every half minute each session brings something across, after the first")
    func brokenWay() {
        var uplink = SlowUplink(entryKiB: 300, count: 40, kibPerSecond: 70, cutSeconds: 30)
        uplink.run()
        #expect(uplink.committed == 40)
        #expect(uplink.hellos <= 10)
    }
}

extension HandCrankedPeer {
    /// The upload in flight is on its way; of as many bytes as a batch may have, unless said otherwise.
    fileprivate mutating func departs(bytes: Int? = nil) {
        tell(.departed(attempt, .changesets, bytes: bytes ?? conversation.upload.batchBytes))
    }

    /// The session ends with a failure of the upload, and the next begins where it began.
    fileprivate mutating func loses(_ failure: TransportFailure) {
        let (committed, ingested) = (conversation.upload.committed, conversation.ingest.committed)
        tell(.failed(attempt, .upload, failure))
        tell(.reconnect)
        welcome(committed: committed, ingested: ingested)
    }

    /// Time passes while the server is heard.
    fileprivate mutating func lives(seconds: UInt64) {
        for _ in 0..<seconds {
            pass(milliseconds: 1_000)
            receive(.heartbeat(serverTime: 0))
            tell(.timer)
        }
    }
}

/// A log of changesets of one size, a way that takes so many bytes a second, and a server that takes whatever came
/// across whole.
private struct SlowUplink {
    let entryBytes: Int
    let count: Int
    let bytesPerSecond: Int
    /// How long a connection lasts.
    let cutSeconds: Int?
    var peer: HandCrankedPeer
    var batch: (through: Int, bytesLeft: Int)?
    var connectedSeconds = 0
    // What came of it.
    var committed = 0
    var batches = 0
    var lost = 0
    var hellos = 0
    var seconds = 0

    init(entryKiB: Int, count: Int, kibPerSecond: Int, cutSeconds: Int? = nil) {
        entryBytes = entryKiB << 10
        self.count = count
        bytesPerSecond = kibPerSecond << 10
        self.cutSeconds = cutSeconds
        peer = HandCrankedPeer(changesets: UInt64(count))
    }

    mutating func run() {
        perform(peer.tell(.resumed))
        while committed < count, seconds < 20_000 { second() }
    }

    private mutating func second() {
        seconds += 1
        connectedSeconds += 1
        peer.pass(milliseconds: 1_000)
        if peer.conversation.connectionState == .connected {
            if connectedSeconds % 15 == 0 { perform(peer.receive(.heartbeat(serverTime: 0))) }
            batch?.bytesLeft -= bytesPerSecond
            if let (through, bytesLeft) = batch, bytesLeft <= 0 {
                batch = nil
                committed = through
                perform(peer.tell(.uploadAnswered(peer.attempt, UploadAnswer(committed: UInt64(committed)))))
            }
            if connectedSeconds == cutSeconds {
                perform(peer.tell(.failed(peer.attempt, .download, .unreachable("cut"))))
            }
        }
        perform(peer.tell(.timer))
    }

    private mutating func perform(_ actions: [Conversation.Action]) {
        for action in actions {
            switch action {
            case .sendHello:
                hellos += 1
                connectedSeconds = 0
                perform(peer.welcome(committed: UInt64(committed)))
            case .upload(let attempt, _, let after, let alone):
                let fitting = alone ? 1 : max(peer.conversation.upload.batchBytes / entryBytes, 1)
                let through = min(Int(after) + fitting, count)
                let bytes = (through - Int(after)) * entryBytes
                batch = (through, bytes)
                batches += 1
                perform(peer.tell(.departed(attempt, .changesets, bytes: bytes)))
            case .disconnect:
                if batch != nil { lost += 1 }
                batch = nil
            default:
                break
            }
        }
    }
}
