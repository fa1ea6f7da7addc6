import CausewayStore
package import CausewayWire

// One download: each piece of its work runs on the thread where it makes nobody wait.

extension Conversations {
    /// Runs until the session ends, the device goes or the task is cancelled.
    package func download(_ session: UInt64, by caller: KnownCaller, into sink: any DownloadSink)
        async throws(SyncFailure)
    {
        let (rings, ring) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let user = sessions.heard(caller, in: session)
        let work = try sessions.download(session, user: user, outlet: sink.outlet) { ring.yield() }
        await withTaskCancellationHandler {
            // On the reading thread: a small change then goes from the commit to its devices with one change of threads.
            await withTaskExecutorPreference(lanes.quick) { await perform(work, rings, sink) }
        } onCancel: {
            work.isAbandoned()
        }
        sessions.close(work)
        await thread(of: work).runFreely { work.forget() }
        sessions.passTurn(work.open)
    }

    private func perform(_ work: DownloadWork, _ rings: AsyncStream<Void>, _ sink: any DownloadSink) async {
        var bells = rings.makeAsyncIterator()
        repeat {
            guard await act(work, sink) else { return }
            // Thousands of downloads wait here: what they need in between is given back.
        } while await bells.next() != nil
    }

    /// Does what there is to do.
    ///
    /// - Returns: whether the download goes on.
    private func act(_ work: DownloadWork, _ sink: any DownloadSink) async -> Bool {
        var due: DownloadConversation.Action?
        while !Task.isCancelled {
            let action = due ?? work.next()
            due = nil
            switch action {
            case .difference(let request):
                switch await begin(request, work) {
                case .sends(let message): guard await send(message, work, sink) else { return false }
                case .goesOn(let action): due = action
                case .again: break
                }
            case .question:
                let message = await thread(of: work).runFreely { work.ask() }
                guard await send(message, work, sink) else { return false }
            case .compare(let reports):
                // Other sessions get the thread in between.
                while await !thread(of: work).runFreely({ work.compare(reports) }) {}
            case .part(let bytes):
                let message = await thread(of: work).runFreely { work.part(bytes) }
                guard await send(message, work, sink) else { return false }
            case .send(let message):
                guard await send(message, work, sink) else { return false }
            case .wait(let milliseconds):
                sessions.settled(work.open)
                wheel.wake(work.open, after: milliseconds)
                // A commit looks by itself; this is for what changed the record in another way.
                if sessions.hasUnseen { lookSoon() }
                return true
            case .finish(let failure):
                _ = await send(.end(failure), work, sink)
                return false
            }
        }
        return false
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
}

extension DownloadMessage {
    /// Whether it is a part of a view change that more parts follow.
    fileprivate var isPartial: Bool {
        if case .changes(let chunk) = self { chunk.checkpoint == nil } else { false }
    }
}
