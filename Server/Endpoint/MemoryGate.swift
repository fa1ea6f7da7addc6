import CausewayModel
import Synchronization

/// Admits work as long as all admitted work together keeps a bound on memory. The rest waits: callers take turns, and
/// the requests of one caller keep their order. Work that is larger than the bound goes alone.
///
/// Invariants, numbered for tests:
/// 1. Admitted work takes no more than `limitBytes`, and that of one caller no more than half of it, unless it is a
///    single piece.
/// 2. Nobody overtakes a caller whose own half has room, so that large work gets its turn.
final class MemoryGate: Sendable {
    private struct Waiting {
        var bytes: Int
        var goesOn: CheckedContinuation<Void, Never>
    }

    private struct State {
        var bytes = 0
        var ofCaller: ExactDictionary<Int> = [:]
        var waiting: ExactDictionary<[Waiting]> = [:]
        /// Waiting callers, each once, the next one first.
        var callers: [String] = []
    }

    private let state = Mutex(State())
    private let limitBytes: Int

    init(limitBytes: Int) {
        self.limitBytes = limitBytes
    }

    var heldBytes: Int { state.withLock { $0.bytes } }
    var waitingCount: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    func pass<Result, Failure: Error>(
        _ bytes: Int, for caller: String, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        await enter(bytes, caller)
        defer { leave(bytes, caller) }
        return try await body()
    }

    private func enter(_ bytes: Int, _ caller: String) async {
        await withCheckedContinuation { continuation in
            let admitted = state.withLock { state in
                if state.waiting[caller] == nil { state.callers.append(caller) }
                state.waiting[caller, default: []].append(Waiting(bytes: bytes, goesOn: continuation))
                return admitWaiting(&state)
            }
            for one in admitted { one.resume() }
        }
    }

    private func leave(_ bytes: Int, _ caller: String) {
        let admitted = state.withLock { state in
            state.bytes -= bytes
            let left = (state.ofCaller[caller] ?? 0) - bytes
            state.ofCaller[caller] = left > 0 ? left : nil
            return admitWaiting(&state)
        }
        for one in admitted { one.resume() }
    }

    /// Admits whoever can go now, in the order of the callers. A caller who got something goes to the end.
    private func admitWaiting(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        var admitted: [CheckedContinuation<Void, Never>] = []
        var index = 0
        while index < state.callers.count {
            let caller = state.callers[index]
            guard let next = state.waiting[caller]?.first else { preconditionFailure("A caller in the line waits.") }
            let ofCaller = state.ofCaller[caller] ?? 0
            guard ofCaller == 0 || ofCaller + next.bytes <= limitBytes / 2 else {
                index += 1
                continue
            }
            guard state.bytes == 0 || state.bytes + next.bytes <= limitBytes else { break }
            state.bytes += next.bytes
            state.ofCaller[caller] = ofCaller + next.bytes
            state.waiting[caller]?.removeFirst()
            state.callers.remove(at: index)
            if state.waiting[caller]?.isEmpty == true {
                state.waiting[caller] = nil
            } else {
                state.callers.append(caller)
            }
            admitted.append(next.goesOn)
        }
        return admitted
    }
}
