package import CausewayWire

/// A device's conversation with its server, without socket, clock, file or task: told what happened, it answers what
/// to do.
///
///                        suspended ◀──────────────── suspend, from anywhere
///                            │ resumed
///                            ▼
///      ┌────────────▶ settling ── file is free ──▶ connecting ── welcomed ──▶ connected
///      │                 ▲                             │                          │
///      │ timer           │ reconnect, tokenChanged     │ failed                   │ failed, closed, silent
///      │                 │                             ▼                          ▼
///   waiting ◀────────────┼──────────── retry ──────────┴──────────────────────────┘
///                        │                             │
///                     stopped ◀────── report ──────────┤
///                        ▲                             │
///                        └──── there is none ──── renewing ◀── the token has expired, from connecting or connected
///                                                      │
///                                  settling ◀──────────┘ there is a new token
///
/// Uploads, one-way batches and the download are lanes of their own: none waits for another. The work of the file
/// outlives a connection, and hello is said from the stored checkpoint, so a new attempt first waits for the file
/// (`settling`). A failure of the file leads to `waiting`, as every failure does.
///
/// Invariants:
/// 1. At most one upload and one one-way batch is in flight.
/// 2. An action that names an attempt names the current one.
/// 3. At most one `apply`, `spill` or `digest` is with the file.
/// 4. While `connecting` or `connected` a wake is armed no later than `deadline`.
package struct Conversation: Sendable {
    package let limits: ConversationLimits
    package internal(set) var phase = Phase.suspended
    package internal(set) var attempt = Attempt(number: 0)
    package internal(set) var upload: Outbox
    package internal(set) var ingest: Outbox
    package internal(set) var download = Download()
    var backoff: Backoff
    var waiters = Waiters()
    /// The newest query set of the file, and the newest one that this session's server was told.
    var queriesWanted: UInt64
    var queriesTold: UInt64 = 0
    var queriesInFlight = false
    var creditInFlight = false
    /// The changeset that the file is to set aside when it is free.
    var rejected: (number: UInt64, refusal: SyncFailure)?
    /// Whether the file has begun again because another copy of it is online.
    var hasParted = false
    /// Whether the token was just renewed, so that renewing it again would not help.
    var tokenIsFresh = false
    /// When the token of the calls expires by the server's clock, in milliseconds since 1970; nil if unknown.
    var tokenExpires: UInt64?
    /// Whether the server has not been shown the session's newest token yet.
    var tokenUnshown = false
    /// Whether the outage was reported; cleared by the first message of a session that works.
    var outageReported = false
    /// Downloads in a row that brought something that cannot be read, and no change.
    var unreadable = 0
    /// The earliest wake the driver was asked for.
    var armed: Moment?

    package enum Phase: Hashable, Sendable {
        case suspended
        case settling
        case connecting(since: Moment)
        case connected(Session)
        case waiting(until: Moment)
        /// The token has expired, and the driver asks for another.
        case renewing(TransportFailure)
        case stopped(TransportFailure)
    }

    package struct Session: Hashable, Sendable {
        package var id: UInt64
        package var limits: SessionLimits
        package var lastHeard: Moment
        /// The server's clock, in milliseconds since 1970, when the session began, and when that was.
        var serverTime: UInt64
        var since: Moment
        package var renewal = Renewal.none
    }

    /// - Parameters:
    ///   - logged: the last numbers the file's logs gave out.
    ///   - dropped: the last numbers that left the logs because the server had confirmed them.
    package init(
        limits: ConversationLimits = ConversationLimits(), logged: Logged, dropped: Logged, queriesWanted: UInt64
    ) {
        self.limits = limits.validated()
        upload = Outbox(
            logged: logged.changesets, dropped: dropped.changesets, batchBytes: limits.uploadBytes,
            batchBytesMinimum: limits.batchBytesMinimum)
        ingest = Outbox(
            logged: logged.oneWay, dropped: dropped.oneWay, batchBytes: limits.ingestBytes,
            batchBytesMinimum: limits.batchBytesMinimum)
        self.queriesWanted = queriesWanted
        backoff = Backoff(
            minimumMilliseconds: limits.backoffMinimumMilliseconds,
            maximumMilliseconds: limits.backoffMaximumMilliseconds)
    }

    package var connectionState: ConnectionState {
        switch phase {
        case .suspended, .waiting, .stopped: .disconnected
        case .settling, .connecting, .renewing: .connecting
        case .connected: .connected
        }
    }

    /// How many operations the server takes at once; no bound if it does not say.
    package var operationsMax: Int {
        guard case .connected(let session) = phase, session.limits.operations > 0 else { return .max }
        return Int(clamping: session.limits.operations)
    }

    /// Entries of the log on the server, out of all.
    package var uploadProgress: Progress {
        Progress(transferred: min(upload.committed, upload.logged), transferrable: upload.logged)
    }

    /// Objects of the arriving view change taken in, out of all.
    package var downloadProgress: Progress { download.progress }

    /// The one entry point: takes what happened, when, and a source of chance; returns what to do.
    package mutating func handle(
        _ event: Event, at now: Moment, using random: inout some RandomNumberGenerator
    ) -> [Action] {
        var actions: [Action] = []
        take(event, at: now, using: &random, into: &actions)
        depart(at: now, into: &actions)
        arm(at: now, into: &actions)
        assertInvariants(after: actions)
        return actions
    }

    private mutating func take(
        _ event: Event, at now: Moment, using random: inout some RandomNumberGenerator, into actions: inout [Action]
    ) {
        switch event {
        case .resumed:
            if phase == .suspended { settle(at: now, into: &actions) }
        case .suspended:
            hangUp(into: &actions)
            phase = .suspended
        case .reconnect:
            tryAgain(at: now, into: &actions)
        case .tokenChanged:
            tokenIsFresh = false
            if case .renewing = phase { settle(at: now, into: &actions) }
            tryAgain(at: now, into: &actions)
        case .tokenLasts(let expires):
            tokenLasts(until: expires, at: now)
        case .tokenRenewed:
            tokenRenewed(at: now, using: &random, into: &actions)
        case .renewalFailed(let failure):
            renewalFailed(failure, at: now, using: &random, into: &actions)
        case .committed(let logged):
            upload.grew(to: logged.changesets)
            ingest.grew(to: logged.oneWay)
        case .queriesChanged(let version):
            queriesWanted = max(queriesWanted, version)
        case .schemaChanged:
            if isOpen {
                hangUp(into: &actions)
                settle(at: now, into: &actions)
            }
        case .waitForUpload(let waiter):
            waiters.addUpload(waiter, changesets: upload.logged, oneWay: ingest.logged)
            finishUploadWaiters(into: &actions)
            failIfStopped(into: &actions)
            failIfRefused(into: &actions)
        case .waitForDownload(let waiter):
            waiters.addDownload(waiter)
            failIfStopped(into: &actions)
        case .waitCancelled(let waiter):
            waiters.remove(waiter)
        case .spilled:
            download.spilled()
            fileIsFree(at: now, into: &actions)
        case .digested(let asked, let number, let reports):
            download.digested()
            if asked == attempt, case .connected(let session) = phase {
                actions.append(
                    .sendDigests(attempt, ResyncRequest(session: session.id, number: number, reports: reports)))
            }
            fileIsFree(at: now, into: &actions)
        case .applied(let acknowledged):
            unreadable = 0
            upload.dropped(through: acknowledged)
            for id in download.applied() { finishMark(id, into: &actions) }
            finishUploadWaiters(into: &actions)
            fileIsFree(at: now, into: &actions)
        case .refilled(let committed):
            download.freed()
            upload.refilled(after: committed)
            fileIsFree(at: now, into: &actions)
        case .beganAgain(let passed, let logged):
            download.freed()
            upload.beganAgain(logged: logged.changesets)
            ingest.beganAgain(logged: logged.oneWay)
            waiters.beganAgain(passed: passed)
            finishUploadWaiters(into: &actions)
            fileIsFree(at: now, into: &actions)
        case .refillFailed(let message):
            download.freed()
            if phase == .settling { stop(.refused(SyncFailure(.epochChanged, message)), into: &actions) }
        case .setAside(let lane):
            clear(lane)
            fileIsFree(at: now, into: &actions)
        case .setAsideFailed(let lane, let message):
            clear(lane)
            actions.append(.report(.file(message)))
            retry(at: now, using: &random, into: &actions)
        case .fileFailed(let message):
            download.fileFailed()
            actions.append(.report(.file(message)))
            // Also while a hello waits for the file: the hello would get the same answer and ask the file for the same
            // again, as fast as the network goes.
            retry(at: now, using: &random, into: &actions)
        case .ofCopy:
            download.fileFailed()
            // The answer to the next hello shows where the two copies parted. After a pause, since both may do this at
            // once.
            retry(at: now, using: &random, into: &actions)
        case .timer:
            armed = nil
            timePassed(at: now, using: &random, into: &actions)
        default:
            guard let number = event.attempt, number == attempt, isOpen else { return }
            takeAnswer(event, at: now, using: &random, into: &actions)
        }
    }

    /// Whether there are calls of the current attempt whose answers count.
    private var isOpen: Bool {
        switch phase {
        case .connecting, .connected: true
        case .suspended, .settling, .waiting, .renewing, .stopped: false
        }
    }
}

// MARK: - Coming and going

extension Conversation {
    /// Says hello as soon as the file has finished what it was given: hello names the stored checkpoint.
    mutating func settle(at now: Moment, into actions: inout [Action]) {
        guard download.work == .none, !download.mustSave else {
            phase = .settling
            return
        }
        attempt.number += 1
        phase = .connecting(since: now)
        actions.append(.sendHello(attempt))
    }

    private mutating func fileIsFree(at now: Moment, into actions: inout [Action]) {
        if case .settling = phase { settle(at: now, into: &actions) }
    }

    /// Forgets everything that belonged to the connection.
    mutating func hangUp(inDoubt: Bool = false, into actions: inout [Action]) {
        if isOpen { actions.append(.disconnect(attempt, inDoubt: inDoubt)) }
        upload.closed()
        ingest.closed()
        download.disconnected()
        waiters.disconnected()
        if rejected != nil {
            // The next session gets the same refusal.
            rejected = nil
            upload.setAside()
        }
        queriesInFlight = false
        creditInFlight = false
        tokenUnshown = false
    }

    /// Tries again because the app asks: without backoff, and also what had stopped.
    private mutating func tryAgain(at now: Moment, into actions: inout [Action]) {
        switch phase {
        case .waiting, .stopped:
            backoff.reset()
            unreadable = 0
            settle(at: now, into: &actions)
        case .connected:
            upload.unblock()
            ingest.unblock()
        case .suspended, .settling, .connecting, .renewing:
            break
        }
    }

    /// Hangs up and waits, each time longer.
    ///
    /// - Parameter told: the wait that a server at its limits asked for, in milliseconds.
    mutating func retry(
        inDoubt: Bool = false, told: UInt64 = 0, at now: Moment, using random: inout some RandomNumberGenerator,
        into actions: inout [Action]
    ) {
        if phase == .suspended { return }
        hangUp(inDoubt: inDoubt, into: &actions)
        phase = .waiting(until: now + wait(told, using: &random))
    }

    /// The wait of the backoff, and no less than the server asked for. Devices that were told the same do not come in
    /// the same instant.
    mutating func wait(_ told: UInt64, using random: inout some RandomNumberGenerator) -> UInt64 {
        let own = backoff.next(using: &random)
        let asked = min(told, limits.retryAfterMaximumMilliseconds)
        return asked > 0 ? max(own, UInt64.random(in: asked...(asked + asked / 2), using: &random)) : own
    }

    /// Hangs up until there is a new token. The app hears of it only if none can be had.
    mutating func renew(_ failure: TransportFailure, into actions: inout [Action]) {
        hangUp(into: &actions)
        phase = .renewing(failure)
        actions.append(.renewToken)
    }

    private mutating func tokenRenewed(
        at now: Moment, using random: inout some RandomNumberGenerator, into actions: inout [Action]
    ) {
        guard case .renewing(let failure) = phase else { return }
        // A server with a wrong clock may take no token as fresh. It must not be asked without a pause.
        if tokenIsFresh {
            interrupted(failure, at: now, using: &random, into: &actions)
        } else {
            tokenIsFresh = true
            settle(at: now, into: &actions)
        }
    }

    /// - Parameter failure: why there is no new token; nil if there is nothing to get one with.
    private mutating func renewalFailed(
        _ failure: TransportFailure?, at now: Moment, using random: inout some RandomNumberGenerator,
        into actions: inout [Action]
    ) {
        earlyRenewalFailed(failure, at: now, into: &actions)
        guard case .renewing(let expired) = phase else { return }
        switch failure {
        case nil: stop(expired, into: &actions)
        case .unreachable(let message)?, .timeout(let message)?, .unintelligible(let message)?:
            interrupted(.unreachable(message), at: now, using: &random, into: &actions)
        case .cancelled?:
            retry(at: now, using: &random, into: &actions)
        case .refused?, .untrusted?, .unusable?: stop(failure ?? expired, into: &actions)
        }
    }

    /// Hangs up until somebody acts. Whoever waits is told why.
    mutating func stop(_ failure: TransportFailure, into actions: inout [Action]) {
        hangUp(into: &actions)
        phase = .stopped(failure)
        actions.append(.report(.stopped(failure)))
        outageReported = true
        failIfStopped(into: &actions)
    }

    private mutating func failIfStopped(into actions: inout [Action]) {
        guard case .stopped(let failure) = phase else { return }
        for waiter in waiters.removeAll() { actions.append(.fail(waiter, .stopped(failure))) }
    }

    private mutating func timePassed(
        at now: Moment, using random: inout some RandomNumberGenerator, into actions: inout [Action]
    ) {
        switch phase {
        case .waiting(let until):
            if now >= until { settle(at: now, into: &actions) }
        case .connecting, .connected:
            renewIfDue(at: now, into: &actions)
            guard let overdue, now >= overdue else { return }
            interrupted(
                .timeout(
                    "The server has not been heard for too long. The device connects again by itself; "
                        + "if this repeats, look at the network between them and at the server's log."),
                at: now, using: &random, into: &actions)
        case .suspended, .settling, .renewing, .stopped:
            break
        }
    }

    /// A failure that time may heal: reported once per outage, then tried again.
    mutating func interrupted(
        _ failure: TransportFailure, at now: Moment, using random: inout some RandomNumberGenerator,
        into actions: inout [Action]
    ) {
        if !outageReported {
            outageReported = true
            actions.append(.report(.interrupted(failure)))
        }
        if failure.losesBatches {
            upload.lost()
            ingest.lost()
        }
        let inDoubt = if case .timeout = failure { true } else { false }
        let told: UInt64 = if case .refused(let refusal) = failure { refusal.retryAfterMilliseconds ?? 0 } else { 0 }
        retry(inDoubt: inDoubt, told: told, at: now, using: &random, into: &actions)
    }
}

// MARK: - Time

extension Conversation {
    /// When something is to be done even if nothing happens before.
    var deadline: Moment? {
        guard case .connected(let session) = phase else { return overdue }
        var moments = [overdue, upload.restEnd, ingest.restEnd].compactMap { $0 }
        if case .due(let renewal) = session.renewal { moments.append(renewal) }
        return moments.min()
    }

    /// When something is overdue unless it happens before.
    private var overdue: Moment? {
        switch phase {
        case .waiting(let until):
            return until
        case .connecting(let since):
            return since + limits.answerMilliseconds
        case .connected(let session):
            let silent = session.lastHeard + silenceMilliseconds(session)
            let answers = [
                upload.deadline(limits.answerMilliseconds, beside: ingest.bytesInFlight),
                ingest.deadline(limits.answerMilliseconds, beside: upload.bytesInFlight),
            ]
            return answers.compactMap { $0 }.reduce(silent, min)
        case .suspended, .settling, .renewing, .stopped:
            return nil
        }
    }

    private func silenceMilliseconds(_ session: Session) -> UInt64 {
        func heartbeats(_ count: UInt64) -> UInt64 {
            let (product, overflow) = session.limits.heartbeatMilliseconds.multipliedReportingOverflow(by: count)
            return overflow ? .max : product
        }
        return limits.silenceMilliseconds.map { max($0, heartbeats(2)) }
            ?? heartbeats(limits.heartbeatsMissedMaximum)
    }

    /// Asks for a wake only when the armed one comes too late. A deadline that moved further away is found out when
    /// the early wake comes, so that a busy stream does not move a timer per message.
    private mutating func arm(at now: Moment, into actions: inout [Action]) {
        guard let deadline else { return }
        if let armed, armed <= deadline { return }
        armed = deadline
        actions.append(.wake(deadline))
    }
}
