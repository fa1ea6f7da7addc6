import CausewayOperations
import CausewayWire

// MARK: - What the server answers

extension Conversation {
    mutating func takeAnswer(
        _ event: Event, at now: Moment, using random: inout some RandomNumberGenerator, into actions: inout [Action]
    ) {
        switch event {
        case .welcomed(_, let welcome, let greeting):
            welcomed(welcome, greeting, at: now, using: &random, into: &actions)
        case .departed(_, .changesets, let bytes):
            upload.measured(bytes: bytes)
        case .departed(_, .oneWay, let bytes):
            ingest.measured(bytes: bytes)
        case .uploadAnswered(_, let answer):
            upload.cameAcross(at: now, answerMilliseconds: limits.answerMilliseconds)
            uploadAnswered(answer, at: now, using: &random, into: &actions)
        case .uploadFoundNothing:
            upload.foundNothing()
        case .ingestAnswered(_, let through):
            ingest.cameAcross(at: now, answerMilliseconds: limits.answerMilliseconds)
            if ingest.answered(committed: through, failure: nil) {
                ingest.dropped(through: through)
                actions.append(.dropOneWay(through: through))
                finishUploadWaiters(into: &actions)
            } else {
                interrupted(Self.emptyAnswer, at: now, using: &random, into: &actions)
            }
        case .ingestFoundNothing:
            ingest.foundNothing()
        case .queriesTaken(_, let version):
            queriesInFlight = false
            queriesTold = max(queriesTold, version)
        case .creditTaken:
            creditInFlight = false
        case .received(_, let message, let bytes):
            received(message, bytes: bytes, at: now, using: &random, into: &actions)
        case .downloadClosed:
            interrupted(
                .unreachable(
                    "The server closed the stream without a word. The device connects again by itself; "
                        + "if this repeats, look at the server's log."),
                at: now, using: &random, into: &actions)
        case .failed(_, let call, let failure):
            failed(call, failure, at: now, using: &random, into: &actions)
        case .fileUnreadable(_, let message):
            // A disk that is full or fails once may work the next time. The failure is reported to the app.
            interrupted(.unusable(message), at: now, using: &random, into: &actions)
        default:
            break
        }
    }

    private mutating func welcomed(
        _ welcome: Welcome, _ greeting: Greeting, at now: Moment, using random: inout some RandomNumberGenerator,
        into actions: inout [Action]
    ) {
        guard case .connecting = phase else { return }
        upload.grew(to: greeting.logged.changesets)
        ingest.grew(to: greeting.logged.oneWay)
        if let dropped = greeting.dropped {
            upload.begins(after: dropped.changesets)
            ingest.begins(after: dropped.oneWay)
        }
        if welcome.skipped > 0 {
            actions.append(.report(.changesetsLost(welcome.skipped, through: welcome.committed)))
        }
        if let agreed = agreement(with: welcome, greeting) ?? parting(from: welcome, greeting) {
            hangUp(into: &actions)
            download.refilling()
            phase = .settling
            actions.append(.beginAgain(after: agreed, refused: welcome.refused))
            return
        }
        if welcome.committed < upload.dropped {
            // The session ends, because its server believes the device to be further than it is. The next hello is sent
            // from the log that has everything again.
            hangUp(into: &actions)
            download.refilling()
            phase = .settling
            actions.append(.refill(after: welcome.committed))
            return
        }
        if welcome.isCopied {
            interrupted(Self.shared, at: now, using: &random, into: &actions)
            return
        }
        guard upload.reaches(welcome.committed), ingest.reaches(welcome.ingested) else {
            stop(.refused(Self.disagreement), into: &actions)
            return
        }
        var session = Session(
            id: welcome.session, limits: welcome.limits, lastHeard: now, serverTime: welcome.serverTime, since: now)
        session.renewal = renewal(of: session, at: now)
        phase = .connected(session)
        if welcome.resumes, let staged = greeting.staged { download.resume(staged) }
        upload.opened(committed: welcome.committed)
        ingest.opened(committed: welcome.ingested)
        // Repeated each time: the file may have failed to drop them before.
        if welcome.ingested > 0 {
            ingest.dropped(through: welcome.ingested)
            actions.append(.dropOneWay(through: welcome.ingested))
        }
        queriesTold = greeting.wanted
        queriesWanted = max(queriesWanted, greeting.wanted)
        actions.append(.openDownload(attempt, session: welcome.session))
        finishUploadWaiters(into: &actions)
    }

    /// The last entries on which the logs of the file and of the server agree, if the server has entries that the file
    /// never made: the file was restored from a backup, or is a copy of one that went on elsewhere. Going on would give
    /// new writes numbers that the server has seen, and it would take them for repeats. Nil if they agree on
    /// everything.
    private func agreement(with welcome: Welcome, _ greeting: Greeting) -> Logged? {
        let changesets = greeting.openings.agreement(
            with: welcome.openings, committed: welcome.committed, acknowledged: upload.dropped,
            logged: greeting.logged.changesets)
        let oneWay = greeting.oneWayOpenings.agreement(
            with: welcome.oneWayOpenings, committed: welcome.ingested, acknowledged: ingest.dropped,
            logged: greeting.logged.oneWay)
        // A server that was restored from an older copy is refilled first.
        guard changesets != nil || oneWay != nil, welcome.committed >= upload.dropped else { return nil }
        return Logged(
            changesets: changesets ?? min(welcome.committed, greeting.logged.changesets),
            oneWay: oneWay ?? commonOneWay(with: welcome, greeting))
    }

    /// The last one-way entry that both certainly have, if nothing says that they differ. An entry of an unknown
    /// opening may be another copy's: it is sent once more.
    private func commonOneWay(with welcome: Welcome, _ greeting: Greeting) -> UInt64 {
        let last = min(welcome.ingested, greeting.logged.oneWay)
        let ours = greeting.oneWayOpenings.id(of: last)
        return ours != nil && ours == welcome.oneWayOpenings.id(of: last) ? last : ingest.dropped
    }

    /// The same if another copy of the file speaks for the client and neither has written. One of the two goes on as
    /// another client, or they would take each other's sessions for ever. If a file has done so and meets another
    /// again, two programs sync that file at once, which no other client name mends.
    private mutating func parting(from welcome: Welcome, _ greeting: Greeting) -> Logged? {
        guard welcome.isCopied, !hasParted, welcome.committed >= upload.dropped else { return nil }
        hasParted = true
        return Logged(
            changesets: min(welcome.committed, greeting.logged.changesets),
            oneWay: commonOneWay(with: welcome, greeting))
    }

    private static let shared = TransportFailure.refused(
        SyncFailure(
            .serverBusy,
            "Another program speaks to the server for this file. The device connects again by itself; sync a file in one "
                + "program at a time."))

    /// Going on would leave a hole that no upload can fill.
    private static let disagreement = SyncFailure(
        .epochChanged,
        "The server lost changes that it had confirmed to this file: it was restored from an older backup. Copy out what "
            + "this file has and the server lacks, move the file away and open a new one.")

    private mutating func uploadAnswered(
        _ answer: UploadAnswer, at now: Moment, using random: inout some RandomNumberGenerator,
        into actions: inout [Action]
    ) {
        guard let refusal = answer.failure else {
            if upload.answered(committed: answer.committed, failure: nil) {
                finishUploadWaiters(into: &actions)
            } else {
                interrupted(Self.emptyAnswer, at: now, using: &random, into: &actions)
            }
            return
        }
        upload.acknowledged(answer.committed)
        finishUploadWaiters(into: &actions)
        // The download brings what the server waits for. Hanging up now could cut that, again and again.
        if refusal.code == .refusalsUnread, upload.hold() { return }
        // The refused entry is the one behind what was taken.
        if refusal.concernsContent {
            rejected = (upload.settingAside(), refusal)
        } else {
            failed(.upload, .refused(refusal), at: now, using: &random, into: &actions)
        }
    }

    private static let emptyAnswer = TransportFailure.unintelligible(
        "The server answered an upload without taking or refusing anything. Check that device and server are of "
            + "versions that belong together.")

    private mutating func received(
        _ message: DownloadMessage, bytes: Int, at now: Moment, using random: inout some RandomNumberGenerator,
        into actions: inout [Action]
    ) {
        guard case .connected(var session) = phase else { return }
        session.lastHeard = now
        phase = .connected(session)
        if case .end(let failure) = message {
            failed(.download, .refused(failure), at: now, using: &random, into: &actions)
            return
        }
        backoff.reset()
        outageReported = false
        tokenIsFresh = false
        download.received(message, bytes: bytes, at: now)
    }
}

// MARK: - What leaves

extension Conversation {
    /// Sends whatever may leave now. Called after every event.
    mutating func depart(at now: Moment, into actions: inout [Action]) {
        setRejectedAside(into: &actions)
        acknowledgeRefusals(at: now, into: &actions)
        takeIn(at: now, into: &actions)
        guard case .connected(let session) = phase else { return }
        if let (after, alone) = upload.depart(at: now) {
            actions.append(.upload(attempt, session: session.id, after: after, alone: alone))
        }
        if let (after, alone) = ingest.depart(at: now) {
            actions.append(.ingest(attempt, after: after, alone: alone))
        }
        if queriesWanted > queriesTold, !queriesInFlight {
            queriesInFlight = true
            actions.append(.sendQueries(attempt, session: session.id))
        }
        // A mark follows the queries the app has asked for: what they match is a part of what it waits for.
        if queriesTold >= queriesWanted, !queriesInFlight {
            for id in waiters.marksToSend() {
                actions.append(.sendMark(attempt, session: session.id, id: id))
            }
        }
        // Credit for small changes would cost a call each. A quarter of the window never lets the server stand still.
        let leastBytes = tokenUnshown ? 0 : max(1, session.limits.creditBytes / 4)
        if !creditInFlight, let bytes = download.credit(atLeast: leastBytes) {
            creditInFlight = true
            tokenUnshown = false
            actions.append(.sendCredit(attempt, session: session.id, bytes: bytes))
        }
    }

    private mutating func takeIn(at now: Moment, into actions: inout [Action]) {
        let isOverdue = download.resumableSince.map { now >= $0 + limits.stagingMilliseconds } ?? false
        for step in download.advance(stagingBytes: isOverdue ? 0 : limits.stagingBytes) {
            switch step {
            case .apply(let changes): actions.append(.apply(changes))
            case .spill(let parts, let from): actions.append(.spill(parts, from: from))
            case .digest(let question): actions.append(.digest(attempt, question))
            case .marked(let id): finishMark(id, into: &actions)
            case .queriesRefused(let version, let failure):
                actions.append(.queriesRefused(version: version, failure))
            }
        }
    }

    mutating func finishMark(_ id: UInt64, into actions: inout [Action]) {
        for waiter in waiters.marked(id) { actions.append(.finish(waiter)) }
    }

    mutating func finishUploadWaiters(into actions: inout [Action]) {
        for waiter in waiters.uploaded(changesets: upload.committed, oneWay: ingest.committed) {
            actions.append(.finish(waiter))
        }
    }
}
