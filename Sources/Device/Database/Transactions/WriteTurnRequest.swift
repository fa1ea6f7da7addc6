import CausewayStorage
import Dispatch
import Synchronization

/// A Realm's place in the queue of a file's writers, and its turn once it is granted.
///
/// The turn is granted on a thread of the storage and taken where the Realm lives.
final class WriteTurnRequest: Sendable {
    private let granted = Mutex<WriteReservation?>(nil)
    private let arrival = DispatchSemaphore(value: 0)

    func grant(_ reservation: WriteReservation) {
        granted.withLock { $0 = reservation }
        arrival.signal()
    }

    var isGranted: Bool { granted.withLock { $0 != nil } }

    /// The turn, if it is granted and nobody has taken it.
    func take() -> WriteReservation? {
        granted.withLock { $0.take() }
    }

    /// Blocks the thread until the turn is granted. Call it only while nobody has taken the turn.
    func waitAndTake() -> WriteReservation? {
        arrival.wait()
        return take()
    }
}

/// A task that waits for a turn to write: resumed once, by the turn's arrival or by its cancellation.
final class TurnWaiter: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Void, Never>)
        case resumed
    }
    private let state = Mutex(State.idle)

    /// Suspends until somebody resumes the waiter, which may have happened already.
    func wait(isolation: isolated (any Actor)? = #isolation) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: isolation) { continuation in
                let isResumed = state.withLock { state in
                    if case .resumed = state { return true }
                    state = .waiting(continuation)
                    return false
                }
                if isResumed { continuation.resume() }
            }
        } onCancel: {
            resume()
        }
    }

    /// Resumes the task; false when it was resumed before.
    @discardableResult
    func resume() -> Bool {
        let before = state.withLock { state in
            defer { state = .resumed }
            return state
        }
        switch before {
        case .idle: return true
        case .waiting(let continuation):
            continuation.resume()
            return true
        case .resumed: return false
        }
    }
}
