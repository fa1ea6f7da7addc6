import Synchronization

/// Lets so many through at once; the others wait in the order they came.
final class Turnstile: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// Where in `waiting` the next one stands.
        var next = 0
    }

    private let state: Mutex<State>

    init(places: Int) {
        precondition(places > 0, "A turnstile without a place lets nobody through.")
        state = Mutex(State(free: places))
    }

    func pass<Result, Failure: Error>(
        _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        await enter()
        defer { leave() }
        return try await body()
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Hands the place to the next one, if there is one.
    private func leave() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard state.next < state.waiting.count else {
                state.free += 1
                return nil
            }
            let next = state.waiting[state.next]
            state.next += 1
            if state.next == state.waiting.count {
                state.waiting = []
                state.next = 0
            }
            return next
        }
        next?.resume()
    }
}
