import CausewayWire

// What a failed call means. The rows are the calls, the columns the kinds of failure:
//
//              unreachable, timeout   not trusted   retry   restartSession   refreshToken   report
//              unintelligible         unusable
//  hello       wait, again            stop          wait    at once, again   renew          stop
//  download    wait, again (1)        stop          wait    at once, again   renew          stop
//  upload      wait, again            stop          wait    at once, again   renew          one entry is set aside (2)
//  ingest      wait, again            stop          wait    at once, again   renew          one entry is set aside (2)
//  queries     wait, again            stop          wait    at once, again   renew          this query set is refused
//  mark        wait, again            stop          wait    at once, again   renew          its waiters fail
//  credit      wait, again            stop          wait    at once, again   renew          stop
//  digests     wait, again            stop          wait    at once, again   renew          stop
//
// If the server takes no upload before the device has read what was refused (403), its answer says so, and the session
// ends once the file has that: the next hello tells the server. If the hello had told it before, it counts as a restart
// as above.
//
// (1) An unreadable message (unintelligible) stops it once `unreadableMaximum` downloads in a row brought nothing else.
// (2) The entries of the batch are sent one by one, and the one that is refused alone goes to the quarantine; its
//     number is sent without it. Where a refusal of one-way entries names operations, those alone go. Only a refusal
//     that is about the caller (103) and not about what was sent makes the lane stand still.
//
// A refusal that concerns the caller, the database or the state of both (codes 1xx, 2xx, 4xx) stops everything
// whatever the call was: no other call would fare better.

extension Conversation {
    mutating func failed(
        _ call: Call, _ failure: TransportFailure, at now: Moment, using random: inout some RandomNumberGenerator,
        into actions: inout [Action]
    ) {
        switch failure {
        case .cancelled:
            // Only ever the echo of our own disconnect, which names an older attempt; nothing to learn from it.
            retry(at: now, using: &random, into: &actions)
        case .unintelligible where call == .download && unreadable + 1 >= limits.unreadableMaximum:
            stop(failure, into: &actions)
        case .unreachable, .timeout, .unintelligible:
            if case .unintelligible = failure, call == .download { unreadable += 1 }
            interrupted(failure, at: now, using: &random, into: &actions)
        case .untrusted, .unusable:
            stop(failure, into: &actions)
        case .refused(let refusal):
            switch refusal.action {
            case .retry:
                if rest(call, refusal, at: now, using: &random, into: &actions) { return }
                interrupted(failure, at: now, using: &random, into: &actions)
            case .restartSession:
                restart(failure, at: now, using: &random, into: &actions)
            case .refreshToken:
                renew(failure, into: &actions)
            case .report:
                refused(call, refusal, into: &actions)
            }
        }
    }

    /// A server at its limits takes no more of a lane for a time. The session goes on: what comes down is not held up.
    ///
    /// - Returns: false where the session has to end.
    private mutating func rest(
        _ call: Call, _ refusal: SyncFailure, at now: Moment, using random: inout some RandomNumberGenerator,
        into actions: inout [Action]
    ) -> Bool {
        guard case .connected = phase, let told = refusal.retryAfterMilliseconds,
            refusal.code == .serverBusy || refusal.code == .serverOutOfSpace
        else { return false }
        let isFirst: Bool
        switch call {
        case .upload: isFirst = upload.rest(until: now + wait(told, using: &random))
        case .ingest: isFirst = ingest.rest(until: now + wait(told, using: &random))
        default: return false
        }
        if isFirst { actions.append(.report(.interrupted(.refused(refusal)))) }
        return true
    }

    /// The first restart is immediate; a session that fails again before it has brought anything waits.
    private mutating func restart(
        _ failure: TransportFailure, at now: Moment, using random: inout some RandomNumberGenerator,
        into actions: inout [Action]
    ) {
        guard backoff.failures == 0 else {
            interrupted(failure, at: now, using: &random, into: &actions)
            return
        }
        hangUp(into: &actions)
        _ = backoff.next(using: &random)
        settle(at: now, into: &actions)
    }

    private mutating func refused(_ call: Call, _ refusal: SyncFailure, into actions: inout [Action]) {
        guard refusal.concernsRequestOnly else {
            stop(.refused(refusal), into: &actions)
            return
        }
        switch call {
        case .hello, .download, .credit, .digests:
            stop(.refused(refusal), into: &actions)
        case .upload where refusal.concernsContent:
            if let number = upload.refusedWhole() { rejected = (number, refusal) }
        case .ingest where !refusal.refused.isEmpty:
            _ = ingest.settingAside()
            actions.append(.setAside(.oneWayOperations(refusal.refused)))
        case .ingest where refusal.concernsContent:
            if let number = ingest.refusedWhole() { actions.append(.setAside(.oneWay(number, refusal))) }
        case .upload:
            _ = upload.answered(committed: upload.committed, failure: refusal)
            actions.append(.report(.uploadRefused(refusal, after: upload.committed)))
            failUploadWaiters(.uploadRefused(refusal, after: upload.committed), into: &actions)
        case .ingest:
            _ = ingest.answered(committed: ingest.committed, failure: refusal)
            actions.append(.report(.ingestRefused(refusal, after: ingest.committed)))
            failUploadWaiters(.ingestRefused(refusal, after: ingest.committed), into: &actions)
        case .queries:
            queriesInFlight = false
            // The set on its way is the newest the driver found; a newer one will be told by its own event.
            queriesTold = queriesWanted
            actions.append(.queriesRefused(version: queriesWanted, refusal))
        case .mark(let id):
            for waiter in waiters.marked(id) { actions.append(.fail(waiter, .stopped(.refused(refusal)))) }
        }
    }

    /// Sets a refused changeset aside, as soon as the file is free. What the app saw of it goes too, so the file has to
    /// be compared with the server: the session ends, and the next hello asks for that. A one-way entry left no trace.
    mutating func setRejectedAside(into actions: inout [Action]) {
        guard let (number, refusal) = rejected, download.work == .none else { return }
        rejected = nil
        hangUp(into: &actions)
        phase = .settling
        download.refilling()
        actions.append(.setAside(.changeset(number, refusal)))
    }

    /// Starts a new session once the file has what was refused. Only a hello says so, and then the server forgets it
    /// and takes more. Each such hello makes progress: no backoff is needed.
    mutating func acknowledgeRefusals(at now: Moment, into actions: inout [Action]) {
        guard case .connected = phase, upload.hasWhatHeldIt else { return }
        hangUp(into: &actions)
        settle(at: now, into: &actions)
    }

    mutating func clear(_ lane: Lane) {
        switch lane {
        case .changesets:
            upload.setAside()
            download.freed()
        case .oneWay: ingest.setAside()
        }
    }

    /// Fails those who wait for a lane that stands still.
    mutating func failIfRefused(into actions: inout [Action]) {
        if let refusal = upload.failure {
            failUploadWaiters(.uploadRefused(refusal, after: upload.committed), into: &actions)
        } else if let refusal = ingest.failure {
            failUploadWaiters(.ingestRefused(refusal, after: ingest.committed), into: &actions)
        }
    }

    private mutating func failUploadWaiters(_ trouble: Trouble, into actions: inout [Action]) {
        for waiter in waiters.removeUploads() { actions.append(.fail(waiter, trouble)) }
    }
}

extension TransportFailure {
    /// Whether a batch in flight may have been too large for the network, or too slow. A server that waits for a body
    /// in vain, or has no memory for it, is busy. A proxy that takes no such body answers with a page of its own.
    var losesBatches: Bool {
        switch self {
        case .unreachable, .timeout, .unintelligible: true
        case .refused(let refusal): refusal.code == .serverBusy
        case .untrusted, .unusable, .cancelled: false
        }
    }
}

extension SyncFailure {
    /// Whether another request of the same session may still succeed: what they sent is wrong, not who they are.
    fileprivate var concernsRequestOnly: Bool {
        concernsContent || code == .permissionDenied
    }

    /// Whether the content that was sent is wrong.
    var concernsContent: Bool { action == .report && (300..<400).contains(code.rawValue) }
}

extension Conversation.Event {
    /// The attempt an answer belongs to; nil for events that belong to none.
    var attempt: Conversation.Attempt? {
        switch self {
        case .welcomed(let attempt, _, _), .departed(let attempt, _, _), .uploadAnswered(let attempt, _),
            .uploadFoundNothing(let attempt), .ingestAnswered(let attempt, _), .ingestFoundNothing(let attempt),
            .queriesTaken(let attempt, _), .creditTaken(let attempt), .received(let attempt, _, _),
            .downloadClosed(let attempt), .failed(let attempt, _, _), .fileUnreadable(let attempt, _):
            attempt
        default:
            nil
        }
    }
}
