import CausewayModel
package import CausewayOperations
package import CausewayStore
import CausewaySubscriptions
package import CausewayWire
import Synchronization

/// Where the messages of one download go. Returns the bytes the message became on the wire, for the credit account;
/// throws when the device is gone.
package protocol DownloadSink: Sendable {
    func send(_ message: DownloadMessage) async throws -> Int
}

/// All sessions of one database: performs what each `Conversation` decides.
///
/// One task runs per download stream; store calls that block run on threads of their own, one that writes and several that
/// read (`ReadingLanes`), so that a large catch-up delays neither a commit nor what other devices wait for.
package final class Conversations: Sendable {
    let backend: any StoreBackend
    let intake: any OneWayIntake
    let limits: SessionLimits
    private let bounds: SessionBounds
    let now: @Sendable () -> UInt64
    let sessions: Mutex<SessionTable>
    /// Whose comparison may be open. Locked before a conversation, where both are.
    let turns: Mutex<Turns>
    let commits: CommitQueue
    let lanes = ReadingLanes()
    let intakeThread: StoreThread
    /// What open downloads have still to tell.
    let plans: PlanLedger
    /// What the queries of open downloads ask.
    let terms: TermLedger
    private let pulse: Pulse

    /// - Parameters:
    ///   - bounds: how many sessions there may be, and what they may hold.
    ///   - intake: where one-way objects go: `Intake` of `CausewayIngest` around the same backend.
    ///   - comparisonsAtOnce: how many devices are asked at a time what they hold; others wait for their turn.
    ///   - now: milliseconds since 1970.
    package init(
        backend: any StoreBackend, intake: any OneWayIntake, limits: SessionLimits = .standard,
        bounds: SessionBounds = SessionBounds(), comparisonsAtOnce: Int = Conversations.comparisonsAtOnce,
        now: @escaping @Sendable () -> UInt64
    ) {
        self.backend = backend
        self.intake = intake
        self.limits = limits
        self.now = now
        self.bounds = bounds
        sessions = Mutex(SessionTable(bounds: bounds))
        plans = PlanLedger(bytesMaxOfUser: bounds.planBytesOfUser)
        terms = TermLedger(
            termsMaxOfUser: max(
                bounds.queryTermsOfUser, Self.devicesOfMostTerms * Int(clamping: min(limits.queryTerms, 1 << 32))))
        turns = Mutex(Turns(places: comparisonsAtOnce))
        commits = CommitQueue(backend: backend, now: now)
        intakeThread = StoreThread(label: "causeway.intake")
        pulse = Pulse(lanes.all + [commits.thread, intakeThread])
    }

    /// So many devices of one user may ask for as much as one may, whatever the operator lets that be.
    private static let devicesOfMostTerms = 10

    /// Whether the database answers: every thread that works on it has come round to what it was given within
    /// `answerMillisecondsMax`. To be asked again and again, as a balancer does: the first time it says yes.
    package var isAnswering: Bool { pulse.beats(at: now(), within: Self.answerMillisecondsMax) }

    /// The longest time that a commit or a plan of the largest size takes on a slow machine.
    package static let answerMillisecondsMax: UInt64 = 10_000

    // MARK: - Hello

    package func open(_ hello: Hello, user: String) async throws(SyncFailure) -> Welcome {
        try await open(hello, user: user, access: nil)
    }

    /// - Parameter access: what the caller may do; nil is everything.
    package func open(_ hello: Hello, user: String, access: Access?) async throws(SyncFailure) -> Welcome {
        if let failure = sessions.withLock({ $0.ending }) { throw failure }
        let spoken = Self.protocolVersions.clamped(to: hello.protocolVersions)
        guard hello.protocolVersions.contains(spoken.upperBound), Self.protocolVersions.contains(spoken.upperBound)
        else {
            throw SyncFailure(
                .protocolVersionUnsupported,
                "The device speaks protocol versions \(hello.protocolVersions), this server "
                    + "\(Self.protocolVersions). Update the older of the two.")
        }
        let checkpoint = hello.checkpoint
        // A database restored from a copy keeps its epoch. Another epoch is another database: nothing on the device may
        // go because an operator pointed it to an empty one.
        guard checkpoint.epoch == backend.epoch || checkpoint.isBeforeFirst else {
            throw SyncFailure(
                .epochChanged,
                "The server's database is not the one this device's checkpoint was made from. The device keeps its data "
                    + "and its unsent changes; the operator brings the database back, from a backup of any age, or the "
                    + "app opens a new file and copies over what it needs.")
        }
        let arrival = now()
        let queryBytes = hello.queryWeight
        guard sessions.withLock({ $0.hasPlace(for: hello.client, of: user, queryBytes: queryBytes, at: arrival) })
        else { throw .noPlace(bounds) }
        let backend = backend
        let termsMax = Int(clamping: limits.queryTerms)
        let mayExtendSchema = access?.permissions()?.rules.mayExtendSchema ?? true
        let declarer = Declarer(user: user, time: arrival)
        typealias Finding = (
            record: ClientRecord, refused: [OperationRefusal], isLost: Bool, isStagedKnown: Bool
        )
        let (record, refused, isLost, isStagedKnown) = try await lanes.hellos.run {
            () throws(StoreFailure) -> Finding in
            // Before anything is written: a device that is refused leaves no trace.
            if !mayExtendSchema { try backend.requireSchema(hello.schema, by: declarer) }
            let record = try backend.register(
                hello.client, user: user,
                standing: DeviceStanding(
                    oldest: hello.oldest, oldestOneWay: hello.oldestOneWay, acknowledged: checkpoint.acknowledged,
                    predecessor: hello.predecessor))
            if mayExtendSchema { try backend.extendSchema(hello.schema, by: declarer) }
            if checkpoint == .nothing, hello.staged == nil, record.committed <= checkpoint.acknowledged {
                return (record, [], false, false)
            }
            let snapshot = try backend.snapshot()
            let refused = Welcome.told(
                try snapshot.refusals(
                    of: hello.client, after: checkpoint.acknowledged, through: record.committed,
                    limit: Welcome.refusedMax))
            let isStagedKnown = try hello.isStagedKnown(
                to: snapshot, epoch: backend.epoch, termsMax: termsMax)
            let isLost = try hello.isLost(to: snapshot, record: record, isStagedKnown: isStagedKnown)
            return (record, refused, isLost, isStagedKnown)
        }
        let time = now()
        if sessions.withLock({ $0.isShared(hello.client, with: hello.opening) }) {
            return Welcome(
                session: 0, protocolVersion: spoken.upperBound, epoch: backend.epoch, serverTime: time, limits: limits,
                committed: record.committed, ingested: record.ingested, skipped: record.skipped,
                openings: record.openings, oneWayOpenings: record.oneWayOpenings, isCopied: true,
                refused: refused)
        }
        let opening = hello.opening
        var hello = hello
        hello.checkpoint.acknowledged = min(checkpoint.acknowledged, record.committed)
        hello.checkpoint.opening = record.openings.id(of: hello.checkpoint.acknowledged) ?? 0
        let conversation = Conversation(
            hello: hello, isLost: isLost, awaited: checkpoint.acknowledged, isStagedKnown: isStagedKnown, user: user,
            limits: limits, permissions: access?.permissions(), now: time)
        let opened = sessions.withLock {
            $0.open(
                conversation, access, opening: opening, queryBytes: queryBytes, epoch: backend.epoch, at: time)
        }
        opened.replaced?.wake()
        guard let session = opened.session else { throw .noPlace(bounds) }
        return Welcome(
            session: session, protocolVersion: spoken.upperBound, epoch: backend.epoch, serverTime: time,
            limits: limits, committed: record.committed, ingested: record.ingested, skipped: record.skipped,
            resumes: conversation.resumes, openings: record.openings, oneWayOpenings: record.oneWayOpenings,
            refused: refused)
    }

    package static let protocolVersions: ClosedRange<UInt32> = 1...1

    // MARK: - Upload

    package func upload(
        _ session: UInt64, user: String, _ changesets: [Changeset]
    ) async throws(SyncFailure) -> UploadAnswer {
        let open = try find(session, user)
        for changeset in changesets where changeset.client != open.client {
            throw SyncFailure(
                .permissionDenied,
                "Changeset \(changeset.sequence) was made by another client than the one this session belongs to. "
                    + "Send it in a session of its own client.")
        }
        let outcome: CommitOutcome
        do {
            let permissions = open.access.withLock { $0 }?.permissions()
            let batch = UploadBatch(client: open.client, user: user, permissions: permissions, changesets: changesets)
            outcome = try await commits.submit(batch) { [self] authors in wakeAll(after: authors) }
        } catch {
            throw SyncFailure(error)
        }
        return UploadAnswer(committed: outcome.committed, failure: outcome.failure.map { SyncFailure($0) })
    }

    // MARK: - Small requests

    /// The queries the device wants from now on. The answer to them comes in the download.
    package func want(_ session: UInt64, user: String, _ queries: QuerySet) async throws(SyncFailure) {
        let open = try find(session, user)
        let queryBytes = queries.weight + open.conversation.withLock { $0.held.weight }
        guard sessions.withLock({ $0.reweigh(session, queryBytes: queryBytes) }) else { throw .noPlace(bounds) }
        open.conversation.withLock { $0.wants(queries) }
        open.wake()
    }

    /// The device has consumed so many bytes of its download.
    package func credit(_ session: UInt64, user: String, bytes: UInt64) async throws(SyncFailure) {
        let open = try find(session, user)
        open.conversation.withLock { $0.credited(bytes: bytes) }
        open.wake()
    }

    /// What the device holds, in answer to a question of its download.
    package func digests(_ request: ResyncRequest, user: String) async throws(SyncFailure) {
        let open = try find(request.session, user)
        open.conversation.withLock { $0.answered(request.number, request.reports) }
        open.wake()
    }

    package func mark(_ session: UInt64, user: String, id: UInt64) async throws(SyncFailure) {
        let open = try find(session, user)
        let newest = backend.version
        guard open.conversation.withLock({ $0.marked(id, newest: newest) }) else {
            throw SyncFailure(
                .serverBusy, "\(Conversation.marksMax) marks of this session wait already. Wait for their answers.")
        }
        open.wake()
    }

    /// Keeps one-way objects; answers the last entry that is durable.
    package func ingest(_ batch: IngestBatch, user: String) async throws(SyncFailure) -> UInt64 {
        try await ingest(batch, user: user, access: nil)
    }

    package func ingest(_ batch: IngestBatch, user: String, access: Access?) async throws(SyncFailure) -> UInt64 {
        if let failure = sessions.withLock({ $0.ending }) { throw failure }
        let intake = intake
        let time = now()
        let oneWay = OneWayBatch(
            client: batch.client, user: user, permissions: access?.permissions(), first: batch.first,
            entries: batch.entries, opening: batch.opening)
        return try await intakeThread.run { () throws(StoreFailure) -> UInt64 in
            try intake.accept(oneWay, receivedAt: time)
        }
    }

    /// Every download is told why and finishes; new sessions are refused. Commits under way finish.
    package func end(_ failure: SyncFailure) async {
        let open = sessions.withLock { $0.endAll(failure) }
        for session in open {
            session.conversation.withLock { $0.ends(failure) }
            session.wake()
        }
    }

    // MARK: - Sessions

    func find(_ session: UInt64, _ user: String) throws(SyncFailure) -> OpenSession {
        // One answer for an unknown session and for somebody else's: ids cannot be probed.
        guard let open = sessions.withLock({ $0[session] }), open.user.isSame(as: user) else {
            throw SyncFailure(
                .sessionUnknown, "This session does not exist or has ended. Open a new one from the stored checkpoint.")
        }
        return open
    }

    /// Others have been waiting for what was committed; its authors only for a checkpoint.
    private func wakeAll(after authors: Set<ClientID>) {
        let all = sessions.withLock { $0.all }
        for session in all where !authors.contains(session.client) { session.wake() }
        for session in all where authors.contains(session.client) { session.wake() }
    }
}

extension SyncFailure {
    fileprivate static func noPlace(_ bounds: SessionBounds) -> SyncFailure {
        SyncFailure(
            .serverBusy,
            "This server carries as many sessions as it can, \(bounds.sessions) in all and \(bounds.sessionsOfUser) of "
                + "one user with \(bounds.queryBytesOfUser >> 20) MiB of queries. Try again later.")
    }
}
