import CausewaySeeds
import CausewayMerge
import CausewayModel
import CausewaySession
import CausewayStore
import CausewaySubscriptions
import CausewayWire

/// The server's half of one session: the real state machine, and one download that it is told into.
final class ServerSession {
    let id: UInt64
    let client: ClientID
    private unowned let server: ServerProcess
    private var conversation: Conversation
    private var difference: ViewDifference?
    private var comparison: ViewComparison?
    private var isResync = false
    private var stream: DownloadStream?
    private var isAwake = false
    private var isOver = false
    private var lastTimer = 0
    private var isTelling = false

    init(
        _ id: UInt64, _ hello: Hello, isLost: Bool, awaited: UInt64, isStagedKnown: Bool, _ server: ServerProcess
    ) {
        self.id = id
        self.server = server
        client = hello.client
        conversation = Conversation(
            hello: hello, isLost: isLost, awaited: awaited, isStagedKnown: isStagedKnown,
            user: ServerProcess.user, limits: ServerProcess.limits,
            permissions: server.access.permissions(of: hello.client), now: server.clock)
    }

    private var world: World { server.world }
    private var name: String { "client \(client.rawValue % 16)" }

    var resumes: Bool { conversation.resumes }

    func begin(_ stream: DownloadStream) {
        guard self.stream == nil else { return stream.end() }
        self.stream = stream
        wake()
    }

    /// The process is gone, and the session with it.
    func vanish() {
        isOver = true
        stream?.breakOff()
    }

    func wants(_ queries: QuerySet) {
        conversation.wants(queries)
        wake()
    }

    func credited(_ bytes: UInt64) {
        conversation.credited(bytes: bytes)
        wake()
    }

    func governed(by permissions: Permissions?) {
        conversation.governed(by: permissions)
        wake()
    }

    func marked(_ id: UInt64) throws(SyncFailure) {
        guard conversation.marked(id, newest: server.record.version) else {
            throw SyncFailure(.serverBusy, "Too many marks of this session wait already.")
        }
        wake()
    }

    func answered(_ number: UInt64, _ reports: [DigestReport]) {
        conversation.answered(number, reports)
        wake()
    }

    func turnCame() {
        conversation.turnCame()
        wake()
    }

    func end(_ failure: SyncFailure) {
        conversation.ends(failure)
        wake()
    }

    func isQuiet(newest: ServerVersion) -> Bool {
        stream == nil || (!isAwake && !isTelling && conversation.position == newest)
    }

    func wake() {
        guard !isAwake, !isOver, stream != nil else { return }
        isAwake = true
        server.after(world.isCalm ? 1 : UInt64(world.random.below(6))) { [self] in
            isAwake = false
            try act()
        }
    }

    private func act() throws {
        guard !isOver, let stream else { return }
        if stream.isNoticedGone { return close() }
        let isTurnAwaited = server.isTurnAwaited(self)
        switch conversation.next(newest: server.record.version, now: server.clock, isTurnAwaited: isTurnAwaited) {
        case .difference(let request): begin(request)
        case .question: ask()
        case .compare(let reports): compare(reports)
        case .part(let bytes): sendPart(bytes)
        case .send(let message): send(message)
        case .wait(let milliseconds): return wait(milliseconds)
        case .finish(let failure):
            send(.end(failure))
            stream.end()
            return close()
        }
        wake()
    }

    private func close() {
        isOver = true
        server.close(self)
    }

    private func wait(_ milliseconds: UInt64) {
        lastTimer += 1
        let number = lastTimer
        server.after(min(milliseconds, 5_000)) { [self] in if number == lastTimer { wake() } }
    }

    private func begin(_ request: Conversation.DifferenceRequest) {
        do throws(StoreFailure) {
            let snapshot = try server.record.snapshot()
            let isCompared =
                if request.isLost { true } else {
                    try ViewDifference.needsComparison(snapshot, from: request.from, for: request.client)
                }
            isResync = isCompared
            if isCompared, request.staged != nil {
                return conversation.ends(SyncFailure(.sessionUnknown, "What is staged cannot be continued any more."))
            }
            guard isCompared else {
                difference = try ViewDifference(
                    snapshot, from: request.from, held: request.held.texts, wanted: request.wanted.texts,
                    heldUnder: request.heldPermissions, under: permissions(of: request), for: request.client,
                    acknowledged: request.acknowledged,
                    staged: world.mutation == .cutForgotten ? nil : request.staged)
                conversation.began()
                isTelling = true
                return tellDecision(request)
            }
            let comparison = try ViewComparison(
                snapshot, schema: conversation.schema, wanted: request.wanted.texts, under: permissions(of: request),
                isHeld: request.held == request.wanted, for: request.client, told: request.acknowledged, seed: id)
            guard comparison.acknowledged >= request.awaited else {
                world.story.note("\(name) is resynced when it has sent again what was lost")
                server.passTurn(self)
                return conversation.foundIncomplete(at: snapshot.version)
            }
            guard server.takeTurn(self) else {
                world.story.note("\(name) is resynced when its turn comes")
                return conversation.comparisonQueued()
            }
            self.comparison = comparison
            conversation.comparisonBegan()
            isTelling = true
            tellDecision(request)
        } catch {
            if error.code == .queryInvalid {
                server.passTurn(self)
                send(conversation.refused(SyncFailure(error)))
            } else {
                conversation.ends(SyncFailure(error))
            }
        }
    }

    private func permissions(of request: Conversation.DifferenceRequest) -> Permissions? {
        world.mutation == .rulesForgotten ? nil : request.permissions
    }

    private func tellDecision(_ request: Conversation.DifferenceRequest) {
        world.story.tell(
            .decided,
            "what \(name) lacks\(isResync ? ", by digests" : ""): \(request.from.rawValue) → "
                + "\(server.record.version.rawValue), queries \(request.held.version) → \(request.wanted.version)"
                + (request.staged == nil ? "" : ", behind what it has staged"))
    }

    /// The next question of a resync, or the change that it found.
    private func ask() {
        guard let comparison else { preconditionFailure("A question was asked for while no comparison is open.") }
        do throws(StoreFailure) {
            let question = comparison.question()
            if question == nil {
                difference = try comparison.difference()
                self.comparison = nil
                server.passTurn(self)
            }
            let message = conversation.asked(question.map { DigestQuestion($0) }, now: server.clock)
            if let message { send(message) }
        } catch {
            isTelling = false
            conversation.ends(SyncFailure(error))
        }
    }

    private func compare(_ reports: [DigestReport]) {
        guard let comparison else { preconditionFailure("Digests were compared while no comparison is open.") }
        do throws(StoreFailure) {
            conversation.compared(fits: try comparison.take(reports))
        } catch {
            conversation.ends(SyncFailure(error))
        }
    }

    private func sendPart(_ bytes: Int) {
        guard let difference else { preconditionFailure("A part was asked for while no difference is open.") }
        let (querySet, permissions) = (conversation.targetQuerySet, conversation.targetPermissions)
        do throws(StoreFailure) {
            // Smaller parts than the real ones, often of one object, so that changes of few objects come in several.
            let small = world.random.happens(percent: 50) ? 1 : 50 + world.random.below(400)
            let part = try difference.next(bytesMax: min(bytes, small))
            let checkpoint = difference.checkpoint(
                epoch: server.record.epoch, querySet: querySet, permissions: permissions)
            if part.isLast {
                self.difference = nil
                isTelling = false
            }
            var chunk = ViewChunk(part, of: difference, to: checkpoint)
            forget(in: &chunk)
            if let message = conversation.message(for: chunk, lastAt: part.isLast ? checkpoint : nil) { send(message) }
            if chunk.resume != nil, world.happens(percent: world.plan.cutPercent) { stream?.breakBehind() }
        } catch {
            isTelling = false
            conversation.ends(SyncFailure(error))
        }
    }

    private func forget(in chunk: inout ViewChunk) {
        switch world.mutation {
        case .enterNotTold where chunk.entered.count > 1: chunk.entered.removeLast()
        case .updateNotTold: chunk.updated = []
        case .leaveNotTold: chunk.left = []
        case .deleteNotTold: chunk.deleted = []
        case .resyncFindsNothing where isResync:
            (chunk.entered, chunk.enteredRuns, chunk.left, chunk.deleted) = ([], [], [], [])
        default: break
        }
    }

    private func send(_ message: DownloadMessage) {
        guard let stream else { return }
        let bytes = WireCodec.encode(message)
        if case .heartbeat = message {} else { world.story.tell(.sent, "to \(name): \(brief(message))") }
        stream.send(bytes)
        conversation.sent(bytes: bytes.count, now: server.clock)
    }
}
