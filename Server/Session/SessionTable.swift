import CausewayLimits
package import CausewayModel
import CausewaySubscriptions
import CausewayWire
package import Synchronization

/// The open sessions of one database. A value; `Sessions` guards it.
struct SessionTable {
    private var open: [UInt64: OpenSession] = [:]
    private var sessionOfClient: [ClientID: UInt64] = [:]
    private var ofUser: ExactDictionary<Share> = [:]
    /// Open sessions whose devices begin anew.
    private(set) var beginnings = 0
    var bounds: SessionBounds
    private let names: @Sendable () -> UInt64
    /// When idle sessions may be looked for again.
    private var nextSweep: UInt64 = 0
    /// Set once the server ends: nothing opens any more.
    private(set) var ending: SyncFailure?
    /// Set while a change is made under which no session may be open.
    private var pausing: SyncFailure?
    var isPaused: Bool { pausing != nil }
    /// Why nothing opens now.
    var closing: SyncFailure? { ending ?? pausing }

    /// Told, under the lock of the table, of sessions that end although they never had a download.
    private let forgotten: @Sendable (OpenSession) -> Void

    /// What the sessions of one user take.
    private struct Share {
        var sessions = 0
        var queryBytes = 0
    }

    /// A session whose device never asked for its download is forgotten after this time.
    static let idleMilliseconds: UInt64 = 60_000
    private static let sweepMilliseconds: UInt64 = 1_000

    init(
        bounds: SessionBounds = SessionBounds(),
        names: @escaping @Sendable () -> UInt64 = { UInt64.random(in: 1...UInt64.max) },
        forgotten: @escaping @Sendable (OpenSession) -> Void = { _ in }
    ) {
        self.bounds = bounds
        self.names = names
        self.forgotten = forgotten
    }

    subscript(session: UInt64) -> OpenSession? { open[session] }

    var all: [OpenSession] { Array(open.values) }

    /// Whether the client's session replaced one of this opening of its file, and is in use. The openings of one device
    /// come one after the other. So an opening that comes back belongs to another copy of the file, and the two would
    /// replace each other for ever.
    func isShared(_ client: ClientID, with opening: UInt64) -> Bool {
        guard opening != 0, let present = sessionOfClient[client].flatMap({ open[$0] }) else { return false }
        return present.isDownloading && present.openingsReplaced.contains(opening)
    }

    /// Opens a session. A client has one session: a new one replaces the one before.
    ///
    /// - Parameter opening: the opening of the device's file that said hello; zero when it did not say.
    /// - Returns: the id of the session, nil when there is no place for it; and the session that it replaced.
    mutating func open(
        _ conversation: DownloadConversation, _ access: Access? = nil, opening: UInt64 = 0, queryBytes: Int = 0,
        beginsAnew: Bool = false, epoch: UInt64, address: String = "", at time: UInt64
    ) -> (session: UInt64?, replaced: OpenSession?) {
        var replaced: OpenSession?
        var openingsReplaced: [UInt64] = []
        if let earlier = sessionOfClient[conversation.client] {
            replaced = close(earlier)
            if let replaced {
                openingsReplaced = ([replaced.opening] + replaced.openingsReplaced).filter { $0 != 0 && $0 != opening }
            }
            replaced?.conversation.withLock {
                $0.ends(SyncFailure(.sessionUnknown, "The same client opened a newer session, which replaces this."))
            }
        }
        let user = conversation.user
        if isFull(for: user, queryBytes) { closeIdle(at: time) }
        guard !isFull(for: user, queryBytes) else { return (nil, replaced) }
        // Random, so that only the two ends of the session know the id: it also seeds the digests of a resync.
        var id = names()
        while open[id] != nil { id = names() }
        open[id] = OpenSession(
            id: id, conversation, access, opening: opening,
            openingsReplaced: Array(openingsReplaced.prefix(OpenSession.openingsReplacedMax)), queryBytes: queryBytes,
            address: address, openedAt: time)
        if beginsAnew {
            beginnings += 1
            open[id]?.isBeginning.store(true, ordering: .relaxed)
        }
        sessionOfClient[conversation.client] = id
        ofUser[user, default: Share()].sessions += 1
        ofUser[user, default: Share()].queryBytes += queryBytes
        return (id, replaced)
    }

    /// Whether there would be a place for a hello. Asked before anything is written for its client.
    mutating func hasPlace(
        for client: ClientID, of user: String, queryBytes: Int = 0, at time: UInt64
    ) -> Bool {
        if sessionOfClient[client] != nil { return true }
        if isFull(for: user, queryBytes) { closeIdle(at: time) }
        return !isFull(for: user, queryBytes)
    }

    /// Whether one more device may begin anew.
    mutating func mayBegin(at time: UInt64) -> Bool {
        if beginnings >= bounds.beginnings { closeIdle(at: time) }
        return beginnings < bounds.beginnings
    }

    /// The session's device has everything that it wanted when it began.
    mutating func settled(_ session: OpenSession) {
        if session.isBeginning.exchange(false, ordering: .relaxed) { beginnings -= 1 }
    }

    /// Why a user's session finds no place.
    func limitMet(by user: String) -> Limit {
        if open.count >= bounds.sessions { return .sessions }
        let sessions = ofUser[user]?.sessions ?? 0
        return sessions >= bounds.sessionsOfUser ? .sessionsOfUser : .queryMegabytesOfUser
    }

    private func isFull(for user: String, _ queryBytes: Int) -> Bool {
        let share = ofUser[user] ?? Share()
        return open.count >= bounds.sessions || share.sessions >= bounds.sessionsOfUser
            || share.queryBytes + queryBytes > bounds.queryBytesOfUser
    }

    /// Counts other queries for a session; false when its user has no room for so many bytes of them.
    mutating func reweigh(_ session: UInt64, queryBytes: Int) -> Bool {
        guard let known = open[session], let share = ofUser[known.user] else { return true }
        let earlier = known.queryBytes.load(ordering: .relaxed)
        let total = share.queryBytes - earlier + queryBytes
        guard total <= bounds.queryBytesOfUser || queryBytes <= earlier else { return false }
        known.queryBytes.store(queryBytes, ordering: .relaxed)
        ofUser[known.user]?.queryBytes = total
        return true
    }

    mutating func close(_ session: UInt64) -> OpenSession? {
        guard let closed = open.removeValue(forKey: session) else { return nil }
        settled(closed)
        if sessionOfClient[closed.client] == session { sessionOfClient[closed.client] = nil }
        var share = ofUser[closed.user] ?? Share()
        share.sessions -= 1
        share.queryBytes -= closed.queryBytes.load(ordering: .relaxed)
        ofUser[closed.user] = share.sessions > 0 ? share : nil
        return closed
    }

    /// How often nothing could open for a while. What was found out before may not be so any more.
    private(set) var pauses: UInt64 = 0

    /// Lets nothing open until `resume`.
    ///
    /// - Returns: the sessions that are open; nil when nothing opens already.
    mutating func pause(_ failure: SyncFailure) -> [OpenSession]? {
        guard closing == nil else { return nil }
        pausing = failure
        pauses += 1
        return all
    }

    mutating func resume() { pausing = nil }

    mutating func endAll(_ failure: SyncFailure) -> [OpenSession] {
        ending = failure
        return all
    }

    private mutating func closeIdle(at time: UInt64) {
        // Looking at all sessions for every hello of a flood would cost more than the flood.
        guard time >= nextSweep else { return }
        nextSweep = time + Self.sweepMilliseconds
        for session in all where !session.isDownloading && session.openedAt + Self.idleMilliseconds < time {
            if let closed = close(session.id) { forgotten(closed) }
        }
    }
}

/// A conversation with its lock and its bell.
package final class OpenSession: Sendable {
    package let id: UInt64
    package let client: ClientID
    let user: String
    let openedAt: UInt64
    let address: String
    /// The opening of the device's file that said hello, and the openings whose sessions this one replaced, newest
    /// first.
    let opening: UInt64
    let openingsReplaced: [UInt64]
    /// How many copies of a file that are online at once are told apart. More are told apart in later rounds.
    static let openingsReplacedMax = 4
    /// Bytes that its queries take of its user's share. Changed under the lock of the table.
    let queryBytes: Atomic<Int>
    /// What the caller may do. A request with a newer token brings another.
    let access: Mutex<Access?>
    package let conversation: Mutex<DownloadConversation>
    /// Whether its device has left: nobody waits for work in progress.
    let isGone = Atomic(false)
    /// Whether its device began anew and has not got everything yet. Changed under the lock of the table.
    let isBeginning = Atomic(false)
    /// Whether the next finding that it may sleep on is compared with the history.
    let isCheckDue = Atomic(false)
    /// When `WakingWheel` rings for it.
    let wakingTick = Atomic<UInt64>(0)
    /// Nil until the download begins.
    private let download = Mutex<Download?>(nil)

    private struct Download {
        /// Rung when something happened that it may have to react to.
        let bell: @Sendable () -> Void
        /// Sends frames at once, without its task.
        let outlet: DownloadOutlet?
    }

    init(
        id: UInt64, _ conversation: DownloadConversation, _ access: Access?, opening: UInt64,
        openingsReplaced: [UInt64],
        queryBytes: Int, address: String, openedAt: UInt64
    ) {
        self.id = id
        self.opening = opening
        self.openingsReplaced = openingsReplaced
        self.queryBytes = Atomic(queryBytes)
        self.access = Mutex(access)
        client = conversation.client
        user = conversation.user
        self.openedAt = openedAt
        self.address = address
        self.conversation = Mutex(conversation)
    }

    var party: SessionParty { SessionParty(client: client, user: user, address: address, session: id) }

    /// Wakes the download. Calls that it has not noticed yet merge into one.
    func wake() {
        download.withLock { $0 }?.bell()
    }

    /// Has the download tell the device why the session ends. A device that does not read does not hold that up.
    func end() {
        let download = download.withLock { $0 }
        download?.bell()
        download?.outlet?.hurry()
    }

    var isDownloading: Bool { download.withLock { $0 != nil } }

    /// The first download of a session owns it; there is no second one.
    ///
    /// - Parameter bell: rung from any thread. It must not wait.
    func beginDownload(_ bell: @escaping @Sendable () -> Void, _ outlet: DownloadOutlet?) -> Bool {
        download.withLock { known in
            guard known == nil else { return false }
            known = Download(bell: bell, outlet: outlet)
            return true
        }
    }

    /// Sends a heartbeat at once, if one is due and nothing else is.
    ///
    /// - Returns: after how long to look again; nil when the download has to see to it.
    func beat(_ standing: AudienceTable.Standing, now: UInt64) -> UInt64? {
        sendAtOnce { $0.beat(standing, now: now) }
    }

    /// Tells the device what others are told as well.
    ///
    /// - Returns: whether it could be told; if not, its download has to see to it.
    func tell(_ shared: SharedChange, epoch: UInt64, now: UInt64) -> Bool {
        sendAtOnce { conversation in conversation.take(shared, epoch: epoch, now: now).map { ($0, ()) } } != nil
    }

    /// Sends what the conversation decides, unless the device does not read. Under the conversation's lock, so that what
    /// the download sends next comes behind it.
    private func sendAtOnce<Answer>(
        _ decide: (inout DownloadConversation) -> (frames: [UInt8], answer: Answer)?
    ) -> Answer? {
        guard let outlet = download.withLock({ $0 })?.outlet, outlet.isReady() else { return nil }
        return conversation.withLock { conversation in
            guard let decided = decide(&conversation) else { return nil }
            if !decided.frames.isEmpty { outlet.send(decided.frames) }
            return decided.answer
        }
    }
}
