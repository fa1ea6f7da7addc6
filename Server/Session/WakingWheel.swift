import CausewayStore
import Synchronization

/// Rings for sessions when their next heartbeats are due: one timer for all of them.
///
/// Time goes in ticks. What is due within the same tick rings together, up to one tick late.
final class WakingWheel: Sendable {
    private let state = Mutex(State())
    private let tickMilliseconds: UInt64
    private let ring: Ring

    /// Answers which of the sessions are to be rung for again, and after how many milliseconds.
    typealias Ring = @Sendable ([OpenSession]) async -> [(OpenSession, UInt64)]

    private struct State {
        /// By the number of the tick.
        var due: [UInt64: [OpenSession]] = [:]
        var now: UInt64 = 0
        var isTurning = false

        /// A session has one tick: an earlier one that was set before is ignored when it comes.
        mutating func set(_ session: OpenSession, ticks: UInt64) {
            let tick = now + max(ticks, 1)
            guard session.wakingTick.exchange(tick, ordering: .relaxed) != tick else { return }
            due[tick, default: []].append(session)
        }

        mutating func takeDue() -> [OpenSession] {
            now += 1
            return (due.removeValue(forKey: now) ?? []).filter { $0.wakingTick.load(ordering: .relaxed) == now }
        }
    }

    /// - Parameter precisionMilliseconds: how late it may ring.
    init(precisionMilliseconds: UInt64, ring: @escaping Ring) {
        tickMilliseconds = max(precisionMilliseconds, 1)
        self.ring = ring
    }

    /// Rings for a session after so long.
    func wake(_ session: OpenSession, after milliseconds: UInt64) {
        let starts = state.withLock { state in
            state.set(session, ticks: ticks(milliseconds))
            defer { state.isTurning = true }
            return !state.isTurning
        }
        if starts { Task { await turn() } }
    }

    private func ticks(_ milliseconds: UInt64) -> UInt64 { (milliseconds + tickMilliseconds - 1) / tickMilliseconds }

    /// Until nobody is left to ring for.
    private func turn() async {
        var isLast = false
        while !isLast {
            try? await Task.sleep(for: .milliseconds(tickMilliseconds))
            let again = await ring(state.withLock { $0.takeDue() })
            isLast = state.withLock { state in
                for (session, milliseconds) in again { state.set(session, ticks: ticks(milliseconds)) }
                if state.due.isEmpty { state.isTurning = false }
                return state.due.isEmpty
            }
        }
    }
}
