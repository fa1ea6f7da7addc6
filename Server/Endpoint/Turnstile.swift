import NIOCore
import Synchronization

/// Lets so many through at once. The others wait: those of one caller in the order they came, and callers in turn, so
/// that nobody's thousand requests keep another's one waiting.
final class Turnstile: Sendable {
    private typealias Waiting = CheckedContinuation<Void, Never>

    private struct State {
        var free: Int
        var waiting: [String: CircularBuffer<Waiting>] = [:]
        /// Those who wait, each once, in the order of their turns.
        var turns = CircularBuffer<String>()

        mutating func add(_ continuation: Waiting, of caller: String) {
            if waiting[caller] == nil { turns.append(caller) }
            waiting[caller, default: CircularBuffer()].append(continuation)
        }

        mutating func next() -> Waiting? {
            guard let caller = turns.popFirst() else { return nil }
            let next = waiting[caller]?.popFirst()
            if waiting[caller]?.isEmpty ?? true {
                waiting[caller] = nil
            } else {
                turns.append(caller)
            }
            return next
        }
    }

    private let state: Mutex<State>

    init(places: Int) {
        precondition(places > 0, "A turnstile without a place lets nobody through.")
        state = Mutex(State(free: places))
    }

    var waitingCount: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    func pass<Result, Failure: Error>(
        for caller: String, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        await enter(caller)
        defer { leave() }
        return try await body()
    }

    private func enter(_ caller: String) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                state.add(continuation, of: caller)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Hands the place to the next one, if there is one.
    private func leave() {
        let next = state.withLock { state in
            let next = state.next()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume()
    }
}
