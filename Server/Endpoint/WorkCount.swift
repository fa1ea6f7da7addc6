import Synchronization

/// How many requests are being worked on. Nothing that they use may be closed before they are done.
package final class WorkCount: Sendable {
    private struct State {
        var count = 0
        var isClosed = false
        var waiting: [UInt64: CheckedContinuation<Bool, Never>] = [:]
        var lastWaiting: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Counts work that begins.
    ///
    /// - Returns: false once it is closed: then nothing may begin, and nothing was counted.
    @discardableResult
    package func begin() -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.count += 1
            return true
        }
    }

    /// Nothing begins any more.
    package func close() {
        state.withLock { $0.isClosed = true }
    }

    package func end() {
        let waiting = state.withLock { state in
            state.count -= 1
            guard state.count == 0 else { return [CheckedContinuation<Bool, Never>]() }
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume(returning: true) }
    }

    /// Returns true when nothing is worked on, and false when that takes too long.
    package func idle(within patience: Duration) async -> Bool {
        let number = state.withLock { state in
            state.lastWaiting += 1
            return state.lastWaiting
        }
        let impatience = Task { [self] in
            try await Task.sleep(for: patience)
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: false)
        }
        defer { impatience.cancel() }
        return await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.count > 0 { state.waiting[number] = continuation }
                return state.count == 0
            }
            if isIdle { continuation.resume(returning: true) }
        }
    }
}
