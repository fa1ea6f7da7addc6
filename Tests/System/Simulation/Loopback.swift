import CausewayEnvironment
import CausewayIngest
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayOperations
import CausewaySession
import CausewayStorage
import CausewayStore
import CausewayStoreEmbedded
import CausewaySync
import CausewaySyncedFile
import CausewayWire
import Synchronization

// A server and devices that answer each other at once, on one thread: the product's record, sessions, files and
// conversations, without faults and without a network between them. Each message becomes its bytes all the same.

/// The server of ``LoopbackDevice``s.
final class LoopbackServer {
    let record: StoreEmbedded
    fileprivate let sessions: Sessions
    fileprivate let commits: CommitLine
    private let clock: LoopbackClock
    fileprivate static let user = "u"

    /// - Parameter creditBytes: how much the server sends ahead; the parts of a change follow from it.
    init(_ record: StoreEmbedded, now: UInt64, creditBytes: UInt64 = 1 << 22) {
        self.record = record
        let clock = LoopbackClock(now)
        self.clock = clock
        let limits = SessionLimits(frameBytes: 16 << 20, creditBytes: creditBytes, heartbeatMilliseconds: 60_000)
        sessions = Sessions(backend: record, intake: Intake(record), limits: limits, now: { clock.now() })
        commits = CommitLine(backend: record, now: { clock.now() })
    }

    /// Its file as it is now.
    func read<R>(_ body: (Transaction) throws -> R) throws -> R {
        let transaction = try record.store.read()
        defer { transaction.end() }
        return try body(transaction)
    }

    var now: UInt64 {
        get { clock.now() }
        set { clock.time.store(newValue, ordering: .relaxed) }
    }
}

/// A clock that somebody sets.
final class LoopbackClock: WallClock {
    fileprivate let time: Atomic<UInt64>

    init(_ time: UInt64) { self.time = Atomic(time) }

    func now() -> UInt64 { time.load(ordering: .relaxed) }
}

/// A device that is connected while ``sync(with:)`` runs.
final class LoopbackDevice {
    let store: ObjectStore
    let file: SyncedFile
    private let clock: LoopbackClock
    private var conversation: Conversation
    private var download: DownloadWork?
    private var events: [Conversation.Event] = []
    private var isRung = false
    private(set) var traffic = Traffic()
    /// Questions of resyncs that it was asked.
    private(set) var questions = 0

    struct Traffic: Hashable {
        var up = 0
        var down = 0
    }

    init(_ store: ObjectStore, schema: Schema, now: UInt64, limits: ConversationLimits = ConversationLimits()) throws {
        self.store = store
        clock = LoopbackClock(now)
        file = try SyncedFile(store, owner: .init(userID: LoopbackServer.user, appID: "loopback"), clock: clock)
        conversation = try file.conversation(limits: limits)
        try change { try $0.extendSchema(schema.withNestedCollections) }
    }

    // MARK: - The app

    func read<R>(_ body: (Transaction) throws -> R) throws -> R {
        let transaction = try store.read()
        defer { transaction.end() }
        return try body(transaction)
    }

    func write(at now: UInt64, _ body: (Transaction) throws -> Void) throws {
        clock.time.store(now, ordering: .relaxed)
        try change { transaction in
            try body(transaction)
            try file.replica.record(in: transaction, now: now)
        }
    }

    func subscribe(_ queries: [StandingQuery]) throws {
        try change { _ = try SubscriptionTree($0).want(queries) }
    }

    private func change(_ body: (Transaction) throws -> Void) throws {
        let transaction = try store.write()
        defer { transaction.end() }
        try body(transaction)
        _ = try transaction.commit(.relaxed)
    }

    // MARK: - Syncing

    /// Connects, sends what is pending, takes in what the server has, and disconnects.
    ///
    /// - Throws: `Divergence` where the conversation has anything to report.
    func sync(with server: LoopbackServer) throws {
        events = [.committed(try file.standing().logged), .resumed]
        events.append(.queriesChanged(version: try file.subscriptions().version))
        repeat {
            while !events.isEmpty { try handle(events.removeFirst(), server) }
        } while try pump(server)
        guard try file.isSettled() else { throw Divergence("something is pending, and nothing moves any more") }
        try handle(.suspended, server)
        close(server)
    }

    private func handle(_ event: Conversation.Event, _ server: LoopbackServer) throws {
        var random = SystemRandomNumberGenerator()
        for action in conversation.handle(event, at: Moment(milliseconds: 1), using: &random) {
            for errand in file.errands(for: action, of: conversation) { try perform(errand, server) }
        }
    }

    private func perform(_ errand: Errand, _ server: LoopbackServer) throws {
        switch errand {
        case .tell(let event): events.append(event)
        case .call(let call): try carry(call, server)
        case .file(let work):
            let outcome = file.perform(work)
            if let failure = outcome.failure { throw failure }
            if let refused = outcome.refused.first { throw Divergence("the server refuses: \(refused.reason)") }
            if let event = outcome.event { events.append(event) }
        case .report(let trouble): throw Divergence("the conversation reports: \(trouble.message)")
        case .disconnect: close(server)
        case .renewToken, .wake, .finish, .fail: break
        }
    }

    private func carry(_ call: OutgoingCall, _ server: LoopbackServer) throws {
        let (sessions, user) = (server.sessions, LoopbackServer.user)
        var answer = OutgoingCall.Answer.taken
        switch call.request {
        case .hello(let greeting):
            let arrival = try sessions.admit(try went(greeting.hello), user: user, access: nil)
            let welcome = try came(sessions.open(arrival, sessions.look(arrival)))
            file.observe(welcome, localTime: clock.now(), roundTrip: 0)
            answer = .welcome(welcome)
        case .download(let session):
            let here = OneThread(self)
            download = try sessions.download(session, user: user, outlet: DownloadOutlet { here.part.receive($0) }) {
                here.part.isRung = true
            }
            isRung = true
            return
        case .upload(let request):
            let request = try went(request)
            let batch = try sessions.batch(request.session, user: user, request.changesets)
            let outcome = Mutex<Result<CommitOutcome, StoreFailure>?>(nil)
            let starts = server.commits.add(batch) {
                if sessions.committed() { sessions.look() }
            } answer: { result in
                outcome.withLock { $0 = result }
            }
            if starts { while server.commits.commitGroup() {} }
            guard let result = outcome.withLock({ $0 }) else { throw Divergence("a commit answers nothing") }
            answer = .upload(try came(UploadAnswer(result)))
        case .ingest(let batch):
            let batch = try sessions.oneWay(try went(batch), user: user, access: nil)
            answer = .ingest(try came(IngestAnswer(acknowledged: sessions.ingest(batch, receivedAt: server.now))))
        case .queries(let request):
            let request = try went(request)
            try sessions.want(request.session, user: user, request.wanted)
        case .mark(let request): try sessions.mark(request.session, user: user, id: try went(request).mark)
        case .credit(let request): try sessions.credit(request.session, user: user, bytes: try went(request).bytes)
        case .digests(let request): try sessions.digests(try went(request), user: user)
        }
        if let event = call.event(answer) { events.append(event) }
    }

    /// Lets the download send what it has.
    ///
    /// - Returns: whether it did anything.
    private func pump(_ server: LoopbackServer) throws -> Bool {
        guard let download, isRung else { return false }
        isRung = false
        var due: DownloadConversation.Action?
        while events.isEmpty {
            let action = due ?? download.next()
            due = nil
            switch action {
            case .difference(let request):
                let begun = download.beginHere(request)
                try receive(begun.message)
                due = begun.due
            case .question: try receive(download.ask())
            case .compare(let reports): while !download.compare(reports) {}
            case .part(let bytes): try receive(download.part(bytes))
            case .send(let message): try receive(message)
            case .wait: return !events.isEmpty
            case .finish(let failure): throw failure
            }
        }
        isRung = true
        return true
    }

    private func receive(_ message: DownloadMessage?) throws {
        guard let message else { return }
        download?.sending()
        let bytes = WireCodec.encode(message)
        download?.sent(bytes: bytes.count)
        if case .digestsWanted = message { questions += 1 }
        receive(bytes)
    }

    private func receive(_ frames: [UInt8]) {
        traffic.down += frames.count
        guard let read = try? WireCodec.decode(DownloadMessage.self, body: frames) else {
            preconditionFailure("The server sends what nobody can read.")
        }
        events.append(.received(conversation.attempt, read, bytes: frames.count))
    }

    private func close(_ server: LoopbackServer) {
        guard let download else { return }
        self.download = nil
        server.sessions.close(download)
        download.forget()
        server.sessions.passTurn(download.open)
    }

    private func went<Message: WireMessage>(_ message: Message) throws -> Message { try carried(message, \.up) }

    private func came<Message: WireMessage>(_ message: Message) throws -> Message { try carried(message, \.down) }

    /// The message as it comes out of its bytes at the other end.
    private func carried<Message: WireMessage>(
        _ message: Message, _ direction: WritableKeyPath<Traffic, Int>
    ) throws -> Message {
        let bytes = WireCodec.encode(message)
        traffic[keyPath: direction] += bytes.count
        return try WireCodec.decode(Message.self, body: bytes)
    }
}
