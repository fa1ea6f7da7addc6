import CausewayModel
import CausewayWire
import Synchronization

/// The open sessions of one database. A value; `Conversations` guards it.
struct SessionTable {
    private var open: [UInt64: OpenSession] = [:]
    private var sessionOfClient: [ClientID: UInt64] = [:]
    private var countOfUser: [String: Int] = [:]
    /// When idle sessions may be looked for again.
    private var nextSweep: UInt64 = 0
    private var last: UInt64
    /// Set once the server ends: nothing opens any more.
    private(set) var ending: SyncFailure?

    /// Bounds what hellos without a download can make the server keep.
    static let sessionsMax = 20_000
    /// Of one user, so that nobody takes the places of all.
    static let sessionsOfUserMax = 2_000
    /// A session whose device never asked for its download is forgotten after this time.
    static let idleMilliseconds: UInt64 = 60_000
    private static let sweepMilliseconds: UInt64 = 1_000

    init(seed: UInt64) {
        last = seed
    }

    subscript(session: UInt64) -> OpenSession? { open[session] }

    var all: [OpenSession] { Array(open.values) }

    /// A device has one session: a new one replaces what it left behind.
    mutating func open(
        _ conversation: Conversation, _ access: Access? = nil, epoch: UInt64, at time: UInt64
    ) -> (session: UInt64?, replaced: OpenSession?) {
        var replaced: OpenSession?
        if let earlier = sessionOfClient[conversation.client] {
            replaced = close(earlier)
            replaced?.conversation.withLock {
                $0.ends(SyncFailure(.sessionUnknown, "The same client opened a newer session, which replaces this."))
            }
        }
        let user = conversation.user
        if isFull(for: user) { closeIdle(at: time) }
        guard !isFull(for: user) else { return (nil, replaced) }
        last = Self.next(after: last)
        while last == 0 || open[last] != nil { last = Self.next(after: last) }
        open[last] = OpenSession(id: last, conversation, access, openedAt: time)
        sessionOfClient[conversation.client] = last
        countOfUser[user, default: 0] += 1
        return (last, replaced)
    }

    /// Whether a hello has any prospect, asked before anything is written down for its client.
    mutating func hasPlace(for client: ClientID, of user: String, at time: UInt64) -> Bool {
        if sessionOfClient[client] != nil { return true }
        if isFull(for: user) { closeIdle(at: time) }
        return !isFull(for: user)
    }

    private func isFull(for user: String) -> Bool {
        open.count >= Self.sessionsMax || countOfUser[user, default: 0] >= Self.sessionsOfUserMax
    }

    mutating func close(_ session: UInt64) -> OpenSession? {
        guard let closed = open.removeValue(forKey: session) else { return nil }
        if sessionOfClient[closed.client] == session { sessionOfClient[closed.client] = nil }
        let left = countOfUser[closed.user, default: 1] - 1
        countOfUser[closed.user] = left > 0 ? left : nil
        return closed
    }

    mutating func endAll(_ failure: SyncFailure) -> [OpenSession] {
        ending = failure
        return all
    }

    private mutating func closeIdle(at time: UInt64) {
        // Looking at all sessions for every hello of a flood would cost more than the flood.
        guard time >= nextSweep else { return }
        nextSweep = time + Self.sweepMilliseconds
        for session in all where !session.isDownloading && session.openedAt + Self.idleMilliseconds < time {
            _ = close(session.id)
        }
    }

    /// SplitMix64: spreads ids so that one session's id tells nothing useful about another's. Authorisation does not
    /// rest on it: every request is checked against the session's user.
    private static func next(after value: UInt64) -> UInt64 {
        let step = value &+ 0x9E37_79B9_7F4A_7C15
        var mixed = (step ^ (step >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A conversation with its lock and its bell.
final class OpenSession: Sendable {
    let id: UInt64
    let client: ClientID
    let user: String
    let openedAt: UInt64
    /// What the caller may do. A request with a newer token brings another.
    let access: Mutex<Access?>
    let conversation: Mutex<Conversation>
    /// Rung when something happened that the download may have to react to. Nil until it begins.
    private let bell = Mutex<AsyncStream<Void>.Continuation?>(nil)

    init(id: UInt64, _ conversation: Conversation, _ access: Access?, openedAt: UInt64) {
        self.id = id
        self.access = Mutex(access)
        client = conversation.client
        user = conversation.user
        self.openedAt = openedAt
        self.conversation = Mutex(conversation)
    }

    /// Rings that the download has not heard yet become one.
    func wake() {
        _ = bell.withLock { $0 }?.yield()
    }

    var isDownloading: Bool { bell.withLock { $0 != nil } }

    /// The first download of a session owns it; there is no second one.
    func beginDownload() -> AsyncStream<Void>? {
        bell.withLock { bell in
            guard bell == nil else { return nil }
            let (rings, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            bell = continuation
            return rings
        }
    }
}
