import CausewaySession
import Synchronization

/// Admits so many requests at a time. The others wait: requests of one caller keep their order, and callers take turns,
/// so that one caller's thousand requests do not hold up another's one.
final class Turnstile: Sendable {
    private struct State {
        var turns: Turns
        var lastNumber: UInt64 = 0
        /// By number. Each goes on with its own.
        var waiting: [UInt64: CheckedContinuation<UInt64, Never>] = [:]
    }

    private let state: Mutex<State>

    /// - Parameter placesOfCaller: how many places one caller may have; all of them when left out.
    init(places: Int, placesOfCaller: Int? = nil) {
        state = Mutex(State(turns: Turns(places: places, placesOfUser: placesOfCaller ?? places)))
    }

    var waitingCount: Int { state.withLock { $0.waiting.count } }

    func pass<Result, Failure: Error>(
        for caller: String, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let number = await enter(caller)
        defer { leave(number, caller) }
        return try await body()
    }

    private func enter(_ caller: String) async -> UInt64 {
        await withCheckedContinuation { continuation in
            let number: UInt64? = state.withLock { state in
                state.lastNumber += 1
                if state.turns.enter(state.lastNumber, of: caller) { return state.lastNumber }
                state.waiting[state.lastNumber] = continuation
                return nil
            }
            if let number { continuation.resume(returning: number) }
        }
    }

    /// Hands the place to the next one, if there is one.
    private func leave(_ number: UInt64, _ caller: String) {
        let next = state.withLock { state in
            state.turns.leave(number, of: caller).map { ($0, state.waiting.removeValue(forKey: $0)) }
        }
        for (number, continuation) in next { continuation?.resume(returning: number) }
    }
}
