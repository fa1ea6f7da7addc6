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
        let telling = Telling()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in await ringOnTime(open) }
            await perform(open, rings, telling, sink)
            group.cancelAll()
        }
        _ = sessions.withLock { $0.close(session) }
        await reader.runFreely {
            telling.difference = nil
            telling.comparison = nil
        }
    }

    private func perform(
        _ open: OpenSession, _ rings: AsyncStream<Void>, _ telling: Telling, _ sink: any DownloadSink
    ) async {
        var bells = rings.makeAsyncIterator()
        while !Task.isCancelled {
            let newest = backend.version
            let time = now()
            switch open.conversation.withLock({ $0.next(newest: newest, now: time) }) {
            case .difference(let request):
                await begin(request, open, telling, sink)
            case .question:
                guard await ask(open, telling, sink) else { return }
            case .compare(let reports):
                await compare(reports, open, telling)
            case .part(let bytes):
                guard await sendPart(bytes, open, telling, sink) else { return }
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

    private func begin(
        _ request: Conversation.DifferenceRequest, _ open: OpenSession, _ telling: Telling, _ sink: any DownloadSink
    ) async {
        let backend = backend
        let schema = open.conversation.withLock { $0.schema }
        // Ids of sessions are drawn, and nobody knows them but the two of the session.
        let seed = open.id
        let result = await reader.result { () throws(StoreFailure) -> Beginning in
            let snapshot = try backend.snapshot()
            let isCompared =
                if request.isLost { true } else {
                    try ViewDifference.needsComparison(snapshot, from: request.from, for: request.client)
                }
            guard isCompared else {
                telling.difference = try ViewDifference(
                    snapshot, from: request.from, held: request.held.texts, wanted: request.wanted.texts,
                    heldUnder: request.heldPermissions, under: request.permissions, for: request.client,
                    acknowledged: request.acknowledged)
                return .difference
            }
            let comparison = try ViewComparison(
                snapshot, schema: schema, wanted: request.wanted.texts, under: request.permissions,
                isHeld: request.held == request.wanted, for: request.client, told: request.acknowledged, seed: seed)
            guard comparison.acknowledged >= request.awaited else { return .incomplete(snapshot.version) }
            telling.comparison = comparison
            return .comparison
        }
        switch result {
        case .success(.difference):
            open.conversation.withLock { $0.began() }
        case .success(.comparison):
            open.conversation.withLock { $0.comparisonBegan() }
        case .success(.incomplete(let version)):
            open.conversation.withLock { $0.foundIncomplete(at: version) }
        case .failure(let failure) where failure.code == .queryInvalid:
            let message = open.conversation.withLock { $0.refused(SyncFailure(failure)) }
            _ = await send(message, open, sink)
        case .failure(let failure):
            open.conversation.withLock { $0.ends(SyncFailure(failure)) }
        }
    }

    /// The next question of a resync, or the change that it found.
    private func ask(_ open: OpenSession, _ telling: Telling, _ sink: any DownloadSink) async -> Bool {
        let result = await reader.result { () throws(StoreFailure) -> ViewComparison.Question? in
            guard let comparison = telling.comparison else {
                preconditionFailure("A question was asked for while no comparison is open.")
            }
            if let question = comparison.question() { return question }
            telling.difference = try comparison.difference()
            telling.comparison = nil
            return nil
        }
        let time = now()
        switch result {
        case .success(let question):
            let message = open.conversation.withLock { $0.asked(question.map { DigestQuestion($0) }, now: time) }
            guard let message else { return true }
            return await send(message, open, sink)
        case .failure(let failure):
            open.conversation.withLock { $0.ends(SyncFailure(failure)) }
            return true
        }
    }

    private func compare(_ reports: [DigestReport], _ open: OpenSession, _ telling: Telling) async {
        let result = await reader.result { () throws(StoreFailure) -> Bool in
            guard let comparison = telling.comparison else {
                preconditionFailure("Digests were compared while no comparison is open.")
            }
            return try comparison.take(reports)
        }
        switch result {
        case .success(let fits): open.conversation.withLock { $0.compared(fits: fits) }
        case .failure(let failure): open.conversation.withLock { $0.ends(SyncFailure(failure)) }
        }
    }

    private func sendPart(
        _ bytes: Int, _ open: OpenSession, _ telling: Telling, _ sink: any DownloadSink
    ) async -> Bool {
        let epoch = backend.epoch
        let (querySet, permissions) = open.conversation.withLock { ($0.targetQuerySet, $0.targetPermissions) }
        let result = await reader.result { () throws(StoreFailure) -> (ViewChunk, Checkpoint?) in
            guard let difference = telling.difference else {
                preconditionFailure("A part was asked for while no difference is open.")
            }
            let part = try difference.next(bytesMax: bytes)
            let total = UInt64(difference.objectsTotal)
            guard part.isLast else { return (ViewChunk(part, objectsTotal: total), nil) }
            telling.difference = nil
            let checkpoint = Checkpoint(
                epoch: epoch, version: difference.version, querySet: querySet, acknowledged: difference.acknowledged,
                incarnation: difference.incarnation, permissions: permissions)
            return (ViewChunk(part, objectsTotal: total), checkpoint)
        }
        switch result {
        case .success((let chunk, let checkpoint)):
            guard let message = open.conversation.withLock({ $0.message(for: chunk, lastAt: checkpoint) }) else {
                return true
            }
            return await send(message, open, sink)
        case .failure(let failure):
            open.conversation.withLock { $0.ends(SyncFailure(failure)) }
            return true
        }
    }

    private func send(_ message: DownloadMessage, _ open: OpenSession, _ sink: any DownloadSink) async -> Bool {
        guard let bytes = try? await sink.send(message) else { return false }
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
/// runs on `Conversations.reader`, a serial thread, only.
private final class Telling: @unchecked Sendable {
    var difference: ViewDifference?
    /// Before it, in a resync.
    var comparison: ViewComparison?
}

private enum Beginning {
    case difference
    case comparison
    case incomplete(ServerVersion)
}
