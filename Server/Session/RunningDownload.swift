import Synchronization

/// A download under way. It has a task only while there is something to do: at any moment most of thousands of devices
/// have nothing to be told, and a task that waits takes more memory than all else that a session keeps.
///
///     running ──nothing left to do──▶ resting ──rung──▶ running
///        ├──rung──▶ rung ──nothing left to do──▶ running
///        └──over──▶ over
final class RunningDownload: Sendable {
    struct Work: Sendable {
        let executor: StoreThread
        /// Does what there is to do, and returns whether the download goes on.
        let act: @Sendable () async -> Bool
        /// The device is gone: what runs is to end soon. Any thread.
        let abandon: @Sendable () -> Void
        /// Called once, when it does not go on.
        let end: @Sendable () async -> Void
    }

    private enum Phase {
        case resting
        case running
        /// Something happened while it was running.
        case rung
        case over
    }

    private struct State {
        var phase = Phase.running
        /// Nil once it is over, so that nothing is held in a circle.
        var work: Work?
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// Begins. It may have been rung before.
    func begin(_ work: Work) {
        state.withLock { state in
            state.work = work
            state.task = run(work)
        }
    }

    /// Something happened that it may have to react to. Any thread.
    func ring() {
        state.withLock { state in
            switch state.phase {
            case .resting:
                guard let work = state.work else { return }
                state.phase = .running
                state.task = run(work)
            case .running: state.phase = .rung
            case .rung, .over: break
            }
        }
    }

    /// The device is gone. Any thread.
    func cancel() {
        let (work, task) = state.withLock { ($0.work, $0.task) }
        work?.abandon()
        task?.cancel()
        ring()
    }

    private func run(_ work: Work) -> Task<Void, Never> {
        Task(executorPreference: work.executor) { [self] in
            repeat {
                guard await work.act() else {
                    state.withLock { $0 = State(phase: .over) }
                    return await work.end()
                }
            } while !rests()
        }
    }

    /// - Returns: false when something has happened since.
    private func rests() -> Bool {
        state.withLock { state in
            let rests = state.phase != .rung
            state.phase = rests ? .resting : .running
            if rests { state.task = nil }
            return rests
        }
    }
}
