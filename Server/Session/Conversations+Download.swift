import CausewayMerge
import CausewayModel
import CausewayStore
import CausewaySubscriptions
package import CausewayWire
import Synchronization

// The driver of one download: it performs actions and decides nothing.

extension Conversations {
    /// Runs until the session ends, the device goes or the task is cancelled.
    package func download(_ session: UInt64, user: String, into sink: any DownloadSink) async throws(SyncFailure) {
        let open = try find(session, user)
        guard let rings = open.beginDownload() else {
            throw SyncFailure(
                .sessionUnknown, "The download of this session is running or has ended. Open a new session.")
        }
        let telling = Telling(termsMax: Int(clamping: limits.queryTerms), terms.entry(of: user))
        await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { [self] in await ringOnTime(open) }
                // Where the reading is done: a small change goes from the commit to its devices with one change of
                // threads.
                await withTaskExecutorPreference(lanes.quick) { await perform(open, rings, telling, sink) }
                group.cancelAll()
            }
        } onCancel: {
            open.isGone.store(true, ordering: .releasing)
        }
        _ = sessions.withLock { $0.close(session) }
        await lane(open, telling).runFreely {
            telling.end()
            telling.comparison = nil
        }
        passTurn(open)
    }

    private func perform(
        _ open: OpenSession, _ rings: AsyncStream<Void>, _ telling: Telling, _ sink: any DownloadSink
    ) async {
        var bells = rings.makeAsyncIterator()
        var due: Conversation.Action?
        while !Task.isCancelled {
            let action = due ?? next(open)
            due = nil
            switch action {
            case .difference(let request):
                switch await begin(request, open, telling) {
                case .sends(let message): guard await send(message, open, sink) else { return }
                case .goesOn(let action): due = action
                }
            case .question:
                guard await ask(open, telling, sink) else { return }
            case .compare(let reports):
                await compare(reports, open, telling)
            case .part(let bytes):
                let message = await lane(open, telling).runFreely { [self] in part(bytes, open, telling) }
                guard await send(message, open, sink) else { return }
            case .send(let message):
                guard await send(message, open, sink) else { return }
            case .wait:
                guard await bells.next() != nil else { return }
            case .finish(let failure):
                _ = await send(.end(failure), open, sink)
                return
            }
        }
    }

    private func next(_ open: OpenSession) -> Conversation.Action {
        let newest = backend.version
        let time = now()
        let isAwaited = turns.withLock { $0.isAwaited(open.id) }
        return open.conversation.withLock { $0.next(newest: newest, now: time, isTurnAwaited: isAwaited) }
    }

    /// Where the difference that is told is read.
    private func lane(_ open: OpenSession, _ telling: Telling) -> StoreThread {
        lanes.thread(telling.lane.load(ordering: .relaxed), of: open.id)
    }

    /// Makes a difference, and its first part while the reader is at it: mostly that is all of it.
    private func begin(
        _ request: Conversation.DifferenceRequest, _ open: OpenSession, _ telling: Telling
    ) async -> Begun {
        // What asks for whole classes is never quick.
        var result = await begin(request, open, telling, in: request.isOfWholeClasses ? .long : .quick)
        if case .failure(let failure) = result, failure.code == .interrupted, !open.isGone.load(ordering: .acquiring) {
            result = await begin(request, open, telling, in: .behind)
        }
        if case .success(nil) = result { result = await begin(request, open, telling, in: .long) }
        switch result {
        case .success(let begun?):
            return begun
        case .success(nil):
            preconditionFailure("A comparison was not made where comparisons are made.")
        case .failure(let failure) where failure.code == .queryInvalid:
            passTurn(open)
            return .sends(open.conversation.withLock { $0.refused(SyncFailure(failure)) })
        case .failure(let failure):
            open.conversation.withLock { $0.ends(SyncFailure(failure)) }
            return .goesOn(nil)
        }
    }

    /// - Returns: nil where it turns out to be about whole classes, and the lane is not the one for those.
    private func begin(
        _ request: Conversation.DifferenceRequest, _ open: OpenSession, _ telling: Telling, in lane: ReadingLanes.Lane
    ) async -> Result<Begun?, StoreFailure> {
        telling.lane.store(lane, ordering: .relaxed)
        let backend = backend
        let schema = open.conversation.withLock { $0.schema }
        // Ids of sessions are drawn, and nobody knows them but the two of the session.
        let seed = open.id
        return await lanes.thread(lane, of: open.id).result { [self] () throws(StoreFailure) -> Begun? in
            let pace = self.pace(of: open, telling)
            try pace.check()
            let snapshot = try backend.snapshot()
            let isCompared =
                if request.isLost { true } else {
                    try ViewDifference.needsComparison(snapshot, from: request.from, for: request.client)
                }
            // The history went on since the hello: nothing leads on from what the device has staged.
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
                    acknowledged: request.acknowledged, staged: request.staged, queries: telling.queries, pace: pace)
                try telling.begin(difference, plans, of: open.user)
                open.conversation.withLock { $0.began() }
                let action = next(open)
                guard case .part(let bytes) = action else { return .goesOn(action) }
                return .sends(part(bytes, open, telling))
            }
            guard lane == .long else { return nil }
            let comparison = try ViewComparison(
                snapshot, schema: schema, wanted: request.wanted.texts, under: request.permissions,
                isHeld: request.held == request.wanted, for: request.client, told: request.acknowledged, seed: seed,
                queries: telling.queries)
            guard comparison.acknowledged >= request.awaited else {
                open.conversation.withLock { $0.foundIncomplete(at: snapshot.version) }
                passTurn(open)
                return .goesOn(nil)
            }
            guard takeTurn(open, objects: try comparison.objectCount()) else { return .goesOn(nil) }
            telling.comparison = comparison
            open.conversation.withLock { $0.comparisonBegan() }
            return .goesOn(nil)
        }
    }

    /// How far one piece of a session's planning may go.
    private func pace(of open: OpenSession, _ telling: Telling) -> Pace {
        // Somebody has to do it in the end, and parting it would need all of it to be remembered.
        if telling.lane.load(ordering: .relaxed) != .quick { return Pace { !open.isGone.load(ordering: .acquiring) } }
        let end = StepEnd()
        return Pace(objectsMax: ReadingLanes.quickObjectsMax) {
            !open.isGone.load(ordering: .acquiring) && !end.isReached
        }
    }

    /// The next question of a resync, or the change that it found.
    private func ask(_ open: OpenSession, _ telling: Telling, _ sink: any DownloadSink) async -> Bool {
        let result = await lane(open, telling).result { [self] () throws(StoreFailure) -> ViewComparison.Question? in
            guard let comparison = telling.comparison else {
                preconditionFailure("A question was asked for while no comparison is open.")
            }
            if let question = comparison.question() { return question }
            try telling.begin(try comparison.difference(), plans, of: open.user)
            telling.comparison = nil
            passTurn(open)
            return nil
        }
        let time = now()
        switch result {
        case .success(let question):
            let message = open.conversation.withLock { $0.asked(question.map { DigestQuestion($0) }, now: time) }
            return await send(message, open, sink)
        case .failure(let failure):
            open.conversation.withLock { $0.ends(SyncFailure(failure)) }
            return true
        }
    }

    private func compare(_ reports: [DigestReport], _ open: OpenSession, _ telling: Telling) async {
        var result = Result<Bool?, StoreFailure>.success(nil)
        while case .success(nil) = result {
            // The digests of a large view take seconds, and what it lacks is much: others have the thread in between.
            result = await lane(open, telling).result { () throws(StoreFailure) -> Bool? in
                guard let comparison = telling.comparison else {
                    preconditionFailure("Digests were compared while no comparison is open.")
                }
                let end = StepEnd()
                guard !open.isGone.load(ordering: .acquiring) else { return false }
                if !comparison.isTaking {
                    guard try comparison.prepare(while: { !end.isReached }) else { return nil }
                    guard comparison.begin(reports) else { return false }
                }
                return try comparison.goOn(while: { !end.isReached }) ? true : nil
            }
        }
        switch result {
        case .success(let fits): open.conversation.withLock { $0.compared(fits: fits ?? false) }
        case .failure(let failure): open.conversation.withLock { $0.ends(SyncFailure(failure)) }
        }
    }

    /// The next part of the difference, on the thread that reads it. Nil when there is nothing in it to send.
    private func part(_ bytes: Int, _ open: OpenSession, _ telling: Telling) -> DownloadMessage? {
        guard let difference = telling.difference else {
            preconditionFailure("A part was asked for while no difference is open.")
        }
        do throws(StoreFailure) {
            let end = StepEnd()
            let part = try difference.next(bytesMax: bytes) { !end.isReached }
            // Much was gone over and little found: others have had to wait for it.
            if end.isReached { telling.fallsBehind() }
            if part.isLast { telling.end() } else if part.isEmpty { return nil }
            return open.conversation.withLock { conversation in
                let checkpoint = difference.checkpoint(
                    epoch: backend.epoch, querySet: conversation.targetQuerySet,
                    permissions: conversation.targetPermissions)
                let chunk = ViewChunk(part, of: difference, to: checkpoint)
                return conversation.message(for: chunk, lastAt: part.isLast ? checkpoint : nil)
            }
        } catch {
            open.conversation.withLock { $0.ends(SyncFailure(error)) }
            return nil
        }
    }

    /// False when the device is gone.
    private func send(_ message: DownloadMessage?, _ open: OpenSession, _ sink: any DownloadSink) async -> Bool {
        guard let message else { return true }
        // One part of many is long in the writing, and others wait for the reader.
        let executor: any TaskExecutor = message.isPartial ? globalConcurrentExecutor : lanes.quick
        open.conversation.withLock { $0.sending() }
        let bytes = await withTaskExecutorPreference(executor) { try? await sink.send(message) }
        guard let bytes else { return false }
        let time = now()
        open.conversation.withLock { $0.sent(bytes: bytes, now: time) }
        return true
    }

    /// Heartbeats need a clock that rings; a quarter of the interval is close enough.
    private func ringOnTime(_ open: OpenSession) async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(max(limits.heartbeatMilliseconds / 4, 1)))
            open.wake()
        }
    }
}

/// The view difference that one download is telling, or about to.
///
/// Unchecked: the difference stands on a transaction that one thread may use at a time, and it is touched in work that
/// the one task of the download starts on a thread of `ReadingLanes` and waits for, so that each piece sees what the one
/// before it did.
private final class Telling: @unchecked Sendable {
    private(set) var difference: ViewDifference?
    /// Counts what the difference takes.
    private var entry: UserShares.Share?
    /// Before it, in a resync.
    var comparison: ViewComparison?
    /// Of the difference before, mostly.
    let queries: KeptQueries
    /// Where it is read.
    let lane = Atomic(ReadingLanes.Lane.quick)

    /// - Parameter terms: counts what is kept of the queries.
    init(termsMax: Int, _ terms: TermLedger.Entry) {
        queries = KeptQueries(termsMax: termsMax) { kept throws(StoreFailure) in try terms.keep(kept) }
    }

    func begin(_ difference: ViewDifference, _ plans: PlanLedger, of user: String) throws(StoreFailure) {
        end()
        entry = try plans.entry(of: user, bytes: difference.planBytes)
        self.difference = difference
    }

    func end() {
        difference = nil
        entry = nil
    }

    /// It is too long for the thread that connected devices wait for.
    func fallsBehind() {
        _ = lane.compareExchange(expected: .quick, desired: .behind, ordering: .relaxed)
    }
}

extension Conversation.DifferenceRequest {
    /// Whether rows that nobody touched may enter or leave.
    fileprivate var isOfWholeClasses: Bool {
        isLost || staged != nil || from == .zero || held != wanted
            || heldPermissions?.fingerprint ?? 0 != permissions?.fingerprint ?? 0
    }
}

extension DownloadMessage {
    /// Whether it is a view change of which more will come.
    fileprivate var isPartial: Bool {
        if case .changes(let chunk) = self { chunk.checkpoint == nil } else { false }
    }
}

/// What becomes of a difference that was asked for.
private enum Begun {
    /// This goes out, if there is anything to say.
    case sends(DownloadMessage?)
    /// Do this, or ask what to do.
    case goesOn(Conversation.Action?)
}
