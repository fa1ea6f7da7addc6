import CausewayStore
package import CausewayWire

// One download: each piece of its work runs on the thread where it makes nobody wait.

extension Conversations {
    /// Begins a download. It goes on until the session ends, the sink throws, or it is cancelled.
    ///
    /// - Parameter ended: called once, when nothing is sent any more.
    /// - Returns: what cancels it, from any thread.
    package func beginDownload(
        _ session: UInt64, by caller: KnownCaller, into sink: any DownloadSink,
        ended: @escaping @Sendable () -> Void
    ) throws(SyncFailure) -> DownloadCancellation {
        let user = sessions.heard(caller, in: session)
        let download = RunningDownload()
        let work = try sessions.download(session, user: user, outlet: sink.outlet) { download.ring() }
        download.begin(
            RunningDownload.Work(
                // On the reading thread: a small change then goes from the commit to its devices with one change of
                // threads.
                executor: lanes.quick, act: { [self] in await act(work, sink) }, abandon: { work.isAbandoned() },
                end: { [self] in
                    sessions.close(work)
                    await thread(of: work).runFreely { work.forget() }
                    sessions.passTurn(work.open)
                    ended()
                }))
        return { download.cancel() }
    }

    /// The same for a caller that has a task for it: runs until the download is over. Cancelling the task cancels it.
    package func download(_ session: UInt64, by caller: KnownCaller, into sink: any DownloadSink)
        async throws(SyncFailure)
    {
        // Who has left by now is not worked for.
        if Task.isCancelled { return }
        let (ends, end) = AsyncStream.makeStream(of: Never.self)
        let cancel = try beginDownload(session, by: caller, into: sink) { end.finish() }
        await withTaskCancellationHandler {
            // In a task that is not cancelled: what the download holds is released when this returns.
            await Task { for await _ in ends {} }.value
        } onCancel: {
            cancel()
        }
    }

    /// Does what there is to do.
    ///
    /// - Returns: whether the download goes on.
    private func act(_ work: DownloadWork, _ sink: any DownloadSink) async -> Bool {
        var due: DownloadConversation.Action?
        while !work.isGone {
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

/// Cancels a download, from any thread.
package typealias DownloadCancellation = @Sendable () -> Void

extension DownloadMessage {
    /// Whether it is a part of a view change that more parts follow.
    fileprivate var isPartial: Bool {
        if case .changes(let chunk) = self { chunk.checkpoint == nil } else { false }
    }
}
