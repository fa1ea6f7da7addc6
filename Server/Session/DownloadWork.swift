package import CausewayMerge
import CausewayModel
import CausewayStore
import CausewaySubscriptions
package import CausewayWire
import Synchronization

/// The work of one download, piece by piece: each call is one piece, on the thread that the caller gives it.
///
/// Unchecked: the snapshot that it has open may be used by one thread at a time. Its calls come one after the other, so
/// that each piece sees what the one before it did.
package final class DownloadWork: @unchecked Sendable {
    package let open: OpenSession
    let sessions: Sessions
    private var difference: ViewDifference?
    /// Counts the memory that the difference takes.
    private var entry: UserShares.Share?
    /// In a resync, open before the difference.
    private var comparison: ViewComparison?
    /// Bound queries, mostly those of the difference before.
    let queries: KeptQueries
    private let place = Atomic(ReadingLane.quick)
    /// Where the device stood before the difference that is told, if it was told all before; nil for others.
    private var liveFrom: ServerVersion?
    /// The same, once its last part is made.
    private var toldFrom: ServerVersion?
    /// How long finding the difference took in pieces that are over, and when the piece that begins it began.
    private var searchedNanoseconds: UInt64 = 0
    private var pieceStart: ContinuousClock.Instant?

    fileprivate init(_ open: OpenSession, _ sessions: Sessions) {
        self.open = open
        self.sessions = sessions
        let terms = sessions.terms.entry(of: open.user)
        queries = KeptQueries(termsMax: Int(clamping: sessions.limits.queryTerms)) { kept throws(StoreFailure) in
            try terms.keep(kept)
        }
    }

    /// Where the next piece is to be worked out.
    package var lane: ReadingLane { place.load(ordering: .relaxed) }

    /// Whether a change is being told, or will be.
    package var isTelling: Bool { difference != nil || comparison != nil }

    /// Whether what is told was found by comparing.
    package private(set) var isCompared = false

    /// What comes next.
    package func next() -> DownloadConversation.Action {
        while true {
            let newest = sessions.backend.version
            let time = sessions.now()
            let isAwaited = sessions.turns.withLock { $0.isAwaited(open.id) }
            let standing = standing()
            let (action, rest, position, hasToWait) = open.conversation.withLock {
                let wasWaiting = $0.isWaitingForCredit
                let action = $0.next(newest: newest, standing: standing, now: time, isTurnAwaited: isAwaited)
                return (action, $0.rest, $0.position, !wasWaiting && $0.isWaitingForCredit)
            }
            if hasToWait { sessions.observer.observe(.creditWaited) }
            guard case .wait = action, let rest else { return action }
            if sleeps(rest, at: position, since: newest) { return action }
        }
    }

    // MARK: - A difference

    /// What becomes of a difference that was asked for.
    package enum Begun: Sendable {
        /// Send this, if there is anything to send.
        case sends(DownloadMessage?)
        /// Do this; nil: ask what to do.
        case goesOn(DownloadConversation.Action?)
        /// Begin it again, in another lane.
        case again(ReadingLane)
    }

    /// The lane to begin in: work on whole classes is never quick.
    package static func lane(for request: DownloadConversation.DifferenceRequest) -> ReadingLane {
        request.isOfWholeClasses ? .long : .quick
    }

    /// Makes a difference and its first part in one go: mostly this part is all of it.
    package func begin(_ request: DownloadConversation.DifferenceRequest, in lane: ReadingLane) -> Begun {
        place.store(lane, ordering: .relaxed)
        pieceStart = .now
        defer {
            searchedNanoseconds += pieceStart?.elapsedNanoseconds ?? 0
            pieceStart = nil
        }
        do throws(StoreFailure) {
            return try beginning(request, in: lane)
        } catch {
            if error.code == .interrupted, !isGone { return .again(.behind) }
            guard error.code == .queryInvalid else { return ended(error) }
            sessions.passTurn(open)
            return .sends(open.conversation.withLock { $0.refused(SyncFailure(error)) })
        }
    }

    private func beginning(
        _ request: DownloadConversation.DifferenceRequest, in lane: ReadingLane
    ) throws(StoreFailure) -> Begun {
        let pace = self.pace(in: lane)
        try pace.check()
        let snapshot = try sessions.backend.snapshot()
        isCompared =
            if request.isLost { true } else {
                try ViewDifference.needsComparison(snapshot, from: request.from, for: request.client)
            }
        // Since the hello the history has lost its beginning: nothing leads on from what the device has staged.
        if isCompared, request.staged != nil {
            open.conversation.withLock {
                $0.ends(SyncFailure(.sessionUnknown, "The change that was cut cannot be continued any more."))
            }
            return .goesOn(nil)
        }
        guard isCompared else {
            let difference = try ViewDifference(
                snapshot, from: request.from, held: request.held.texts, wanted: request.wanted.texts,
                heldUnder: request.heldPermissions, under: request.permissions, for: request.client,
                acknowledged: request.acknowledged, staged: request.staged, tellsEdits: request.tellsEdits,
                queries: queries, pace: pace)
            try tell(difference)
            liveFrom = request.isOfWholeClasses ? nil : request.from
            open.conversation.withLock { $0.began() }
            let action = next()
            guard case .part(let bytes) = action else { return .goesOn(action) }
            return .sends(part(bytes))
        }
        guard lane == .long else { return .again(.long) }
        // Session ids are random, and only the two ends of a session know its id: so it can seed the digests.
        let comparison = try ViewComparison(
            snapshot, schema: open.conversation.withLock { $0.schema }, wanted: request.wanted.texts,
            under: request.permissions, isHeld: request.held == request.wanted, for: request.client,
            told: request.acknowledged, seed: open.id, queries: queries)
        guard comparison.acknowledged >= request.awaited else {
            open.conversation.withLock { $0.foundIncomplete(at: snapshot.version) }
            sessions.passTurn(open)
            return .goesOn(nil)
        }
        guard sessions.takeTurn(open, objects: try comparison.objectCount()) else { return .goesOn(nil) }
        self.comparison = comparison
        open.conversation.withLock { $0.comparisonBegan() }
        return .goesOn(nil)
    }

    private func tell(_ difference: ViewDifference) throws(StoreFailure) {
        forgetDifference()
        (liveFrom, toldFrom) = (nil, nil)
        entry = try sessions.plans.entry(of: open.user, bytes: difference.planBytes)
        self.difference = difference
    }

    private func forgetDifference() {
        difference = nil
        entry = nil
    }

    private func ended(_ failure: StoreFailure) -> Begun {
        open.conversation.withLock { $0.ends(SyncFailure(failure)) }
        return .goesOn(nil)
    }

    /// How far one piece of planning may go.
    private func pace(in lane: ReadingLane) -> Pace {
        // Outside of the quick lane the work goes to its end: splitting it would need all of it to be remembered.
        if lane != .quick { return Pace { [self] in !isGone } }
        let end = sessions.stepEnd()
        return Pace(objectsMax: ReadingLanes.quickObjectsMax) { [self] in !isGone && !end.isReached }
    }

    /// Whether the device has left.
    var isGone: Bool { open.isGone.load(ordering: .acquiring) }

    // MARK: - A comparison

    /// The next question of a resync; nil when there is none, and what was found comes next.
    package func ask() -> DownloadMessage? {
        guard let comparison else { preconditionFailure("A question was asked for while no comparison is open.") }
        let question = comparison.question()
        if question == nil {
            do throws(StoreFailure) {
                try tell(try comparison.difference())
            } catch {
                open.conversation.withLock { $0.ends(SyncFailure(error)) }
                return nil
            }
            self.comparison = nil
            sessions.passTurn(open)
        }
        let time = sessions.now()
        return open.conversation.withLock { $0.asked(question.map { DigestQuestion($0) }, now: time) }
    }

    /// Takes in what the device answered, for as long as one piece of work may take.
    ///
    /// - Returns: whether the answer is taken in, or dropped. If false, call it again: the digests of a large view take
    ///   seconds, and the device may lack much.
    package func compare(_ reports: [DigestReport]) -> Bool {
        guard let comparison else { preconditionFailure("Digests were compared while no comparison is open.") }
        let end = sessions.stepEnd()
        let fits: Bool
        do throws(StoreFailure) {
            if isGone {
                fits = false
            } else if !comparison.isTaking, !(try comparison.prepare(while: { !end.isReached })) {
                return false
            } else if !comparison.isTaking, !comparison.begin(reports) {
                fits = false
            } else {
                guard try comparison.goOn(while: { !end.isReached }) else { return false }
                fits = true
            }
        } catch {
            open.conversation.withLock { $0.ends(SyncFailure(error)) }
            return true
        }
        open.conversation.withLock { $0.compared(fits: fits) }
        return true
    }

    // MARK: - What goes out

    /// The next part of the difference. Nil when there is nothing in it to send.
    package func part(_ bytes: Int) -> DownloadMessage? {
        guard let difference else { preconditionFailure("A part was asked for while no difference is open.") }
        let start = ContinuousClock.now
        do throws(StoreFailure) {
            let end = sessions.stepEnd()
            let part = try difference.next(bytesMax: bytes) { !end.isReached }
            // It went over much and found little, and others had to wait: the next pieces run in another lane.
            if end.isReached { _ = place.compareExchange(expected: .quick, desired: .behind, ordering: .relaxed) }
            if part.isLast {
                noteSearch(since: start)
                // One that is about to end must not take the place of the session that replaced it.
                if !open.conversation.withLock(\.isEnding) {
                    sessions.audiences.withLock { $0.join(open.id, of: open.client, told: difference) }
                }
                forgetDifference()
            } else {
                if pieceStart == nil { searchedNanoseconds += start.elapsedNanoseconds }
                if part.isEmpty { return nil }
            }
            return open.conversation.withLock { conversation in
                let checkpoint = difference.checkpoint(
                    epoch: sessions.backend.epoch, querySet: conversation.targetQuerySet,
                    permissions: conversation.targetPermissions)
                let chunk = ViewChunk(part, of: difference, to: checkpoint)
                return conversation.message(for: chunk, lastAt: part.isLast ? checkpoint : nil)
            }
        } catch {
            open.conversation.withLock { $0.ends(SyncFailure(error)) }
            return nil
        }
    }

    /// A message begins to go out.
    package func sending() { open.conversation.withLock { $0.sending() } }

    /// The message is out, and took so many bytes on the wire.
    package func sent(bytes: Int) {
        let time = sessions.now()
        open.conversation.withLock { $0.sent(bytes: bytes, now: time) }
        if let toldFrom {
            sessions.noteTold(1, after: toldFrom, isShared: false)
            self.toldFrom = nil
        }
    }

    /// The last part is made.
    private func noteSearch(since start: ContinuousClock.Instant) {
        (toldFrom, liveFrom) = (liveFrom, nil)
        let nanoseconds = searchedNanoseconds + (pieceStart ?? start).elapsedNanoseconds
        (searchedNanoseconds, pieceStart) = (0, nil)
        sessions.observer.observe(
            .searched(open.party, open.conversation.withLock(\.wanted), nanoseconds: nanoseconds))
    }

    /// The device has left: work in progress is worth nothing.
    package func isAbandoned() { open.isGone.store(true, ordering: .releasing) }

    /// Releases what is open. Call it on the thread that reads.
    package func forget() {
        forgetDifference()
        comparison = nil
    }
}

extension Sessions {
    /// Begins the one download of a session.
    ///
    /// - Parameters:
    ///   - outlet: that of the download's sink.
    ///   - bell: rung from any thread when something happened that the download may have to react to. It must not wait.
    package func download(
        _ session: UInt64, user: String, outlet: DownloadOutlet?,
        bell: @escaping @Sendable () -> Void
    ) throws(SyncFailure) -> DownloadWork {
        let open = try find(session, user)
        guard open.beginDownload(bell, outlet) else {
            throw SyncFailure(
                .sessionUnknown, "The download of this session is running or has ended. Open a new session.")
        }
        return DownloadWork(open, self)
    }

    /// Nothing is left to be told to the session's device for the moment.
    package func settled(_ open: OpenSession) {
        guard open.isBeginning.load(ordering: .relaxed) else { return }
        table.withLock { $0.settled(open) }
    }

    /// Closes the session. What its download has open is released by `forget`, before or after.
    package func close(_ work: DownloadWork) {
        let isListed = table.withLock { $0.close(work.open.id) } != nil
        let code = work.open.conversation.withLock(\.endingCode)
        // A session that has been replaced is not in the table any more.
        noteEnd(of: work.open, !isListed ? .replaced : code.map { .failed($0) } ?? .gone)
        audiences.withLock { $0.leave(work.open.id) }
    }

    func noteEnd(of open: OpenSession, _ ending: SessionEnding) {
        let time = now()
        observer.observe(.ended(open.party, ending, lifeMilliseconds: time - min(open.openedAt, time)))
    }
}

extension DownloadConversation.DifferenceRequest {
    /// Whether rows that nobody touched may enter or leave.
    fileprivate var isOfWholeClasses: Bool {
        isLost || staged != nil || from == .zero || held != wanted
            || heldPermissions?.fingerprint ?? 0 != permissions?.fingerprint ?? 0
    }
}
