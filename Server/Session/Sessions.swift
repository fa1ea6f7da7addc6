package import CausewayLimits
import CausewayModel
package import CausewayOperations
package import CausewayStore
import CausewaySubscriptions
package import CausewayWire
import Synchronization

/// All sessions of one database, without threads of their own. A request's work is done where it is called. Long work
/// is a call by itself, so that the caller chooses the thread for it.
///
/// `Conversations` calls it with tasks and threads. The simulation calls it as it is.
package final class Sessions: Sendable {
    package let backend: any StoreBackend
    let intake: any OneWayIntake
    private let limitsInForce: Mutex<SessionLimits>
    /// What new sessions are told, and hold to.
    var limits: SessionLimits { limitsInForce.withLock { $0 } }
    var bounds: SessionBounds { table.withLock { $0.bounds } }
    package let now: @Sendable () -> UInt64
    let table: Mutex<SessionTable>
    /// Which sessions may have a comparison open. Where both are locked, this comes before a conversation.
    let turns: Mutex<Turns>
    /// The memory of what open downloads have still to tell.
    let plans: PlanLedger
    /// The terms of the queries of open downloads.
    let terms: TermLedger
    /// Whom commits concern. Locked inside of nothing, and nothing is locked inside of it.
    let audiences: Mutex<AudienceTable>
    let isLookDue = Atomic(false)
    let lookChecks: LookChecks
    /// What users may do in a time; also told of limits that are no rates.
    let rates: RateGate
    let observer: any SessionObserver
    /// Locked inside of nothing, and nothing is locked inside of it.
    let commitTimes = Mutex(CommitTimes())
    /// When a piece of work that others wait for has to give way.
    let stepEnd: @Sendable () -> StepEnd

    /// - Parameters:
    ///   - intake: where one-way objects go: `Intake` of `CausewayIngest` around the same backend.
    ///   - comparisonsAtOnce: how many devices are asked at a time what they hold; others wait for their turn.
    ///   - lookChecks: how often what a look found out is compared with the history.
    ///   - rates: what callers may do in a time.
    ///   - names: draws the ids of sessions. They must not be guessable: they seed the digests of a resync.
    ///   - now: milliseconds since 1970.
    package init(
        backend: any StoreBackend, intake: any OneWayIntake, limits: SessionLimits = .standard,
        bounds: SessionBounds = SessionBounds(), comparisonsAtOnce: Int = Sessions.comparisonsAtOnce,
        names: @escaping @Sendable () -> UInt64 = { UInt64.random(in: 1...UInt64.max) },
        lookChecks: LookChecks = .none, rates: RateGate = .unlimited,
        observer: any SessionObserver = NoSessionObserver(),
        stepEnd: @escaping @Sendable () -> StepEnd = StepEnd.ofClock,
        now: @escaping @Sendable () -> UInt64
    ) {
        self.backend = backend
        self.lookChecks = lookChecks
        self.rates = rates
        self.observer = observer
        audiences = Mutex(AudienceTable(at: backend.version))
        self.intake = intake
        limitsInForce = Mutex(limits)
        self.now = now
        self.stepEnd = stepEnd
        table = Mutex(
            SessionTable(bounds: bounds, names: names) { forgotten in
                observer.observe(.ended(forgotten.party, .idle, lifeMilliseconds: SessionTable.idleMilliseconds))
            })
        plans = PlanLedger(bytesMaxOfUser: bounds.planBytesOfUser)
        terms = TermLedger(
            termsMaxOfUser: max(
                bounds.queryTermsOfUser, Self.devicesOfMostTerms * Int(clamping: min(limits.queryTerms, 1 << 32))))
        turns = Mutex(Turns(places: comparisonsAtOnce))
    }

    /// So many devices of one user may each use up a device's limit, whatever the operator sets it to.
    private static let devicesOfMostTerms = 10

    /// Other limits, for new sessions. What is made once for all sessions stays: the interval of heartbeats, and the terms of
    /// queries.
    package func take(_ limits: SessionLimits, _ bounds: SessionBounds) {
        limitsInForce.withLock { known in
            let before = known
            known = limits
            (known.heartbeatMilliseconds, known.queryTerms) = (before.heartbeatMilliseconds, before.queryTerms)
            // Uploads are read within those of the endpoint.
            (known.frameBytes, known.operations) = (before.frameBytes, before.operations)
        }
        table.withLock { $0.bounds = bounds }
    }

    // MARK: - Upload

    /// The batch that an upload of a session commits.
    package func batch(
        _ session: UInt64, user: String, _ changesets: [Changeset]
    ) throws(SyncFailure) -> UploadBatch {
        let open = try find(session, user)
        // Its download may still be telling the device so.
        if let failure = open.conversation.withLock(\.ending) { throw failure }
        for changeset in changesets where changeset.client != open.client {
            throw SyncFailure(
                .permissionDenied,
                "Changeset \(changeset.sequence) was made by another client than the one this session belongs to. "
                    + "Send it in a session of its own client.")
        }
        let permissions = open.access.withLock { $0 }?.permissions()
        return UploadBatch(client: open.client, user: user, permissions: permissions, changesets: changesets)
    }

    // MARK: - Small requests

    /// The queries the device wants from now on. The answer to them comes in the download.
    package func want(_ session: UInt64, user: String, _ queries: QuerySet) throws(SyncFailure) {
        let open = try find(session, user)
        let queryBytes = queries.weight + open.conversation.withLock { $0.held.weight }
        guard table.withLock({ $0.reweigh(session, queryBytes: queryBytes) }) else {
            throw noPlace(for: user, .queryMegabytesOfUser)
        }
        open.conversation.withLock { $0.wants(queries) }
        open.wake()
    }

    /// The device has consumed so many bytes of its download.
    package func credit(_ session: UInt64, user: String, bytes: UInt64) throws(SyncFailure) {
        let open = try find(session, user)
        open.conversation.withLock { $0.credited(bytes: bytes) }
        open.wake()
    }

    /// Takes what the device holds: its answer to a question of its download.
    package func digests(_ request: ResyncRequest, user: String) throws(SyncFailure) {
        let open = try find(request.session, user)
        open.conversation.withLock { $0.answered(request.number, request.reports) }
        open.wake()
    }

    package func mark(_ session: UInt64, user: String, id: UInt64) throws(SyncFailure) {
        let open = try find(session, user)
        let newest = backend.version
        guard open.conversation.withLock({ $0.marked(id, newest: newest) }) else {
            throw SyncFailure(
                .serverBusy,
                "\(DownloadConversation.marksMax) marks of this session wait already. Wait for their answers.")
        }
        open.wake()
    }

    // MARK: - One-way objects

    /// The record's form of a batch of one-way objects.
    package func oneWay(_ batch: IngestBatch, user: String, access: Access?) throws(SyncFailure) -> OneWayBatch {
        if let failure = table.withLock({ $0.closing }) { throw failure }
        return OneWayBatch(
            client: batch.client, user: user, permissions: access?.permissions(), first: batch.first,
            entries: batch.entries, opening: batch.opening)
    }

    /// Keeps a batch, which takes a commit; returns the last entry that is durable.
    package func ingest(_ batch: OneWayBatch, receivedAt time: UInt64) throws(StoreFailure) -> UInt64 {
        try intake.accept(batch, receivedAt: time)
    }

    // MARK: - The end

    /// Tells every download why, and finishes it; refuses new sessions. Commits under way finish.
    package func end(_ failure: SyncFailure) {
        for session in table.withLock({ $0.endAll(failure) }) {
            session.conversation.withLock { $0.ends(failure) }
            session.end()
        }
    }

    func find(_ session: UInt64, _ user: String) throws(SyncFailure) -> OpenSession {
        // The same answer for an unknown session and for somebody else's, so that ids cannot be probed.
        guard let open = table.withLock({ $0[session] }), open.user.isSame(as: user) else {
            throw SyncFailure(
                .sessionUnknown, "This session does not exist or has ended. Open a new one from the stored checkpoint.")
        }
        return open
    }
}

extension Sessions {
    /// Refuses a session for which there is no room.
    func noPlace(for user: String, address: String = "") -> SyncFailure {
        noPlace(for: user, address: address, table.withLock { $0.limitMet(by: user) })
    }

    private func noPlace(for user: String, address: String = "", _ limit: Limit) -> SyncFailure {
        let failure = SyncFailure.noPlace(bounds)
        let value =
            switch limit {
            case .sessions: bounds.sessions
            case .sessionsOfUser: bounds.sessionsOfUser
            default: bounds.queryBytesOfUser >> 20
            }
        rates.note(
            LimitReached(
                limit, value: value, subject: limit.scope == .user ? user : "", address: address,
                waitMilliseconds: failure.retryAfterMilliseconds ?? 0))
        return failure
    }
}

extension SyncFailure {
    fileprivate static func noPlace(_ bounds: SessionBounds) -> SyncFailure {
        SyncFailure(
            .serverBusy,
            "This server carries as many sessions as it can, \(bounds.sessions) in all and \(bounds.sessionsOfUser) of "
                + "one user with \(bounds.queryBytesOfUser >> 20) MiB of queries. Try again later.",
            retryAfterMilliseconds: 30_000)
    }
}
