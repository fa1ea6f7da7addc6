package import CausewayLimits
import CausewayModel
package import CausewayOperations
package import CausewayStore
package import CausewayWire
import Synchronization

/// Where the messages of one download go. Returns the bytes the message became on the wire, for the credit account;
/// throws when the device is gone.
package protocol DownloadSink: Sendable {
    func send(_ message: DownloadMessage) async throws -> Int

    /// The way for small messages that nobody waits for; nil for a sink that only sends one after the other.
    var outlet: DownloadOutlet? { get }
}

extension DownloadSink {
    package var outlet: DownloadOutlet? { nil }
}

/// Sends small frames at once, from any thread and in the order of the calls.
package struct DownloadOutlet: Sendable {
    /// Whether the device reads: what was sent before has left.
    package let isReady: @Sendable () -> Bool
    /// Does not wait until the frames are out. Never called while a message is being sent. What is for a device that is
    /// gone is dropped.
    package let send: @Sendable (_ frames: [UInt8]) -> Void
    /// The session ends: a device that does not read is waited for no longer than the end may take.
    package let hurry: @Sendable () -> Void

    package init(
        isReady: @escaping @Sendable () -> Bool = { true }, hurry: @escaping @Sendable () -> Void = {},
        send: @escaping @Sendable (_ frames: [UInt8]) -> Void
    ) {
        (self.isReady, self.hurry, self.send) = (isReady, hurry, send)
    }
}

/// The sessions of one database, with the threads and tasks that they run on.
///
/// A download has a task only while it has something to do (`RunningDownload`). Store calls that block run on threads of their own, one that writes and several that
/// read (`ReadingLanes`), so that a large catch-up delays neither a commit nor what other devices wait for.
package final class Conversations: Sendable {
    /// Which opening of the database this is, for callers that were found in one.
    package let opening = DatabaseOpening()
    let sessions: Sessions
    let commits: CommitQueue
    let lanes: ReadingLanes
    let intakeThread: StoreThread
    let callClients = CallClients()
    /// What users and clients may do in a time, and what all of them may.
    package let rates: RateGate
    /// A quarter of the interval of heartbeats is precise enough for them.
    let wheel: WakingWheel
    private let pulse: Pulse
    private let gate = Mutex(HelloGate())

    /// - Parameters:
    ///   - bounds: how many sessions there may be, and what they may hold.
    ///   - intake: where one-way objects go: `Intake` of `CausewayIngest` around the same backend.
    ///   - comparisonsAtOnce: how many devices are asked at a time what they hold; others wait for their turn.
    ///   - cores: of the machine; as many threads read long things at a time.
    ///   - lookChecks: how often what a look at the commits found out is compared with the history.
    ///   - rates: what callers may do in a time.
    ///   - now: milliseconds since 1970.
    package init(
        backend: any StoreBackend, intake: any OneWayIntake, limits: SessionLimits = .standard,
        bounds: SessionBounds = SessionBounds(), comparisonsAtOnce: Int = Sessions.comparisonsAtOnce,
        cores: Int = 2, lookChecks: LookChecks = .none, rates: RateGate = .unlimited,
        observer: any SessionObserver = NoSessionObserver(), now: @escaping @Sendable () -> UInt64
    ) {
        self.rates = rates
        lanes = ReadingLanes(cores: cores)
        sessions = Sessions(
            backend: backend, intake: intake, limits: limits, bounds: bounds, comparisonsAtOnce: comparisonsAtOnce,
            lookChecks: lookChecks, rates: rates, observer: observer, now: now)
        wheel = WakingWheel(precisionMilliseconds: limits.heartbeatMilliseconds / 4) { [sessions, lanes] due in
            await lanes.quick.runFreely {
                // Whatever changed the record without an upload, or failed before.
                if sessions.hasUnseen { sessions.look() }
                return due.compactMap { session in sessions.beat(session).map { (session, $0) } }
            }
        }
        commits = CommitQueue(CommitLine(backend: backend, observer: observer, now: now))
        intakeThread = StoreThread(label: "causeway.intake")
        pulse = Pulse(lanes.all + [commits.thread, intakeThread])
    }

    /// Whether the database answers: every thread that works on it has run what it was given within
    /// `answerMillisecondsMax`. Meant to be asked again and again, as a load balancer does: the first answer is always
    /// yes. A database that an administrator changes counts as answering: its devices are told when to come again, and
    /// other databases of the server must not seem to be gone.
    package var isAnswering: Bool { sessions.isPaused || lateThreads.isEmpty }

    /// The threads that do not answer, by their labels.
    package var lateThreads: [String] { pulse.late(at: sessions.now(), within: Self.answerMillisecondsMax) }

    /// The longest time that a commit or a plan of the largest size takes on a slow machine.
    package static let answerMillisecondsMax: UInt64 = 10_000

    /// Other limits, for new sessions.
    package func take(_ limits: SessionLimits, _ bounds: SessionBounds) { sessions.take(limits, bounds) }

    // MARK: - Requests

    package func open(_ hello: Hello, by caller: KnownCaller) async throws(SyncFailure) -> Welcome {
        var party = SessionParty(client: hello.client, user: caller.user.string, address: caller.address)
        func note(_ outcome: Greeting.Outcome) {
            sessions.observer.observe(
                .greeted(Greeting(party: party, protocolVersions: hello.protocolVersions, outcome: outcome)))
        }
        do throws(SyncFailure) {
            let arrival = try sessions.admit(
                hello, user: caller.user.string, access: caller.access, address: caller.address)
            let finding = try await look(arrival)
            if !finding.additions.isEmpty {
                sessions.observer.observe(.schemaExtended(party, additions: finding.additions))
            }
            let welcome = try sessions.open(arrival, finding)
            party.session = welcome.session
            note(welcome.isCopied ? .copied : .opened(protocolVersion: welcome.protocolVersion))
            return welcome
        } catch {
            note(.refused(error.code))
            throw error
        }
    }

    /// What the record knows of a device, unless the line of hellos is too long.
    private func look(_ arrival: Sessions.Arrival) async throws(SyncFailure) -> Sessions.Finding {
        if let wait = gate.withLock({ $0.enter(beginsAnew: arrival.hello.beginsAnew) }) {
            throw SyncFailure(
                .serverBusy, "More devices are connecting than the server can answer in time. Try again later.",
                retryAfterMilliseconds: wait)
        }
        return try await lanes.hellos.run { [self] () throws(StoreFailure) -> Sessions.Finding in
            let start = ContinuousClock.now
            defer { gate.withLock { $0.leave(tookMicroseconds: start.elapsedNanoseconds / 1_000) } }
            return try sessions.look(arrival)
        }
    }

    /// - Parameter bytes: of the request, for the rates.
    package func upload(
        _ session: UInt64, by caller: KnownCaller, _ changesets: [Changeset], bytes: Int = 0
    ) async throws(SyncFailure) -> UploadAnswer {
        let batch = try sessions.batch(session, user: sessions.heard(caller, in: session), changesets)
        let operations = changesets.reduce(0) { $0 + $1.workCount }
        try takeRates(of: batch.client, by: caller, operations: operations, bytes: bytes)
        let result = await commits.submit(batch) { [self] in lookSoon() }
        note(result, of: caller)
        let party = SessionParty(
            client: batch.client, user: batch.user, address: caller.address, session: session)
        sessions.observer.observe(.uploaded(Uploaded(party: party, result)))
        return try UploadAnswer(result)
    }

    /// The record has versions that came from elsewhere: what another node committed.
    package func recordMoved() { lookSoon() }

    /// Has somebody look whom the newest commits concern. On the thread where their differences are made.
    func lookSoon() {
        if sessions.committed() { lanes.quick.start { [sessions] in sessions.look() } }
    }

    /// The queries the device wants from now on. The answer to them comes in the download.
    package func want(_ session: UInt64, by caller: KnownCaller, _ queries: QuerySet) async throws(SyncFailure) {
        try sessions.want(session, user: sessions.heard(caller, in: session), queries)
    }

    /// The device has consumed so many bytes of its download.
    package func credit(_ session: UInt64, by caller: KnownCaller, bytes: UInt64) async throws(SyncFailure) {
        try sessions.credit(session, user: sessions.heard(caller, in: session), bytes: bytes)
    }

    /// Takes what the device holds: its answer to a question of its download.
    package func digests(_ request: ResyncRequest, by caller: KnownCaller) async throws(SyncFailure) {
        try sessions.digests(request, user: sessions.heard(caller, in: request.session))
    }

    package func mark(_ session: UInt64, by caller: KnownCaller, id: UInt64) async throws(SyncFailure) {
        try sessions.mark(session, user: sessions.heard(caller, in: session), id: id)
    }

    /// Keeps one-way objects; answers the last entry that is durable.
    ///
    /// - Parameter bytes: of the request, for the rates.
    package func ingest(
        _ batch: IngestBatch, by caller: KnownCaller, bytes: Int = 0
    ) async throws(SyncFailure) -> UInt64 {
        let start = ContinuousClock.now
        var facts = Ingested(
            client: batch.client, user: caller.user.string, address: caller.address, entries: 0, nanoseconds: 0)
        defer {
            facts.nanoseconds = start.elapsedNanoseconds
            sessions.observer.observe(.ingested(facts))
        }
        do throws(SyncFailure) {
            let oneWay = try sessions.oneWay(batch, user: caller.user.string, access: caller.access)
            // An empty entry costs about as much as an operation.
            let operations = batch.entries.reduce(0) { $0 + max($1.count, 1) }
            try takeRates(of: batch.client, by: caller, operations: operations, bytes: bytes)
            let time = sessions.now()
            let last = try await intakeThread.run { [self] () throws(StoreFailure) -> UInt64 in
                do throws(StoreFailure) {
                    return try sessions.ingest(oneWay, receivedAt: time)
                } catch {
                    if let reached = error.reached { note(reached, of: caller) }
                    throw error
                }
            }
            facts.entries = Int(clamping: last + 1 - min(batch.first, last + 1))
            return last
        } catch {
            facts.failure = error.code
            throw error
        }
    }

    /// Tells every download why, and finishes it; refuses new sessions. Commits under way finish.
    package func end(_ failure: SyncFailure) async {
        sessions.end(failure)
    }

    // MARK: - What callers may do

    /// Applies changed rules to every session.
    package func reconsider() {
        sessions.reconsider()
    }
}
