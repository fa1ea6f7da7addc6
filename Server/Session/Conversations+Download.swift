import CausewayStore
package import CausewayWire

// One download: each piece of its work runs on the thread where it makes nobody wait.

extension Conversations {
    /// Runs until the session ends, the device goes or the task is cancelled.
    package func download(_ session: UInt64, by caller: KnownCaller, into sink: any DownloadSink)
        async throws(SyncFailure)
    {
        let (rings, ring) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let work = try sessions.download(session, user: sessions.heard(caller, in: session)) { ring.yield() }
        await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { [self] in await ringOnTime(work) }
                // On the reading thread: a small change then goes from the commit to its devices with one change of
                // threads.
                await withTaskExecutorPreference(lanes.quick) { await perform(work, rings, sink) }
                group.cancelAll()
            }
        } onCancel: {
            work.isAbandoned()
        }
        sessions.close(work)
        await thread(of: work).runFreely { work.forget() }
        sessions.passTurn(work.open)
    }

    private func perform(_ work: DownloadWork, _ rings: AsyncStream<Void>, _ sink: any DownloadSink) async {
        var bells = rings.makeAsyncIterator()
        var due: DownloadConversation.Action?
        while !Task.isCancelled {
            let action = due ?? work.next()
            due = nil
            switch action {
            case .difference(let request):
                switch await begin(request, work) {
                case .sends(let message): guard await send(message, work, sink) else { return }
                case .goesOn(let action): due = action
                case .again: break
                }
            case .question:
                let message = await thread(of: work).runFreely { work.ask() }
                guard await send(message, work, sink) else { return }
            case .compare(let reports):
                // Other sessions get the thread in between.
                while await !thread(of: work).runFreely({ work.compare(reports) }) {}
            case .part(let bytes):
                let message = await thread(of: work).runFreely { work.part(bytes) }
                guard await send(message, work, sink) else { return }
            case .send(let message):
                guard await send(message, work, sink) else { return }
            case .wait:
                guard await bells.next() != nil else { return }
            case .finish(let failure):
                _ = await send(.end(failure), work, sink)
                return
            }
        }
    }

    private func begin(_ request: DownloadConversation.DifferenceRequest, _ work: DownloadWork) async
        -> DownloadWork.Begun
    {
        var lane = DownloadWork.lane(for: request)
        while true {
            let begun = await lanes.thread(lane, of: work.open.id).runFreely { [lane] in
                work.begin(request, in: lane)
            }
            guard case .again(let other) = begun else { return begun }
            lane = other
        }
    }

    private func thread(of work: DownloadWork) -> StoreThread { lanes.thread(work.lane, of: work.open.id) }

    /// False when the device is gone.
    private func send(_ message: DownloadMessage?, _ work: DownloadWork, _ sink: any DownloadSink) async -> Bool {
        guard let message else { return true }
        // Encoding one part of many takes long, and others wait for the reading thread.
        let executor: any TaskExecutor = message.isPartial ? globalConcurrentExecutor : lanes.quick
        work.sending()
        let bytes = await withTaskExecutorPreference(executor) { try? await sink.send(message) }
        guard let bytes else { return false }
        work.sent(bytes: bytes)
        return true
    }

    /// Wakes the download for its heartbeats; a quarter of the interval is precise enough.
    private func ringOnTime(_ work: DownloadWork) async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(max(sessions.limits.heartbeatMilliseconds / 4, 1)))
            work.open.wake()
        }
    }
}

extension DownloadMessage {
    /// Whether it is a part of a view change that more parts follow.
    fileprivate var isPartial: Bool {
        if case .changes(let chunk) = self { chunk.checkpoint == nil } else { false }
    }
}
