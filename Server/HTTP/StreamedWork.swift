import Synchronization

/// What writes the streamed bodies of one connection. It is cancelled when the connection closes: a body may wait for long
/// before there is something to write, and writing is how it would notice.
final class StreamedWork: Sendable {
    private struct State {
        var task: Task<Void, any Error>?
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Runs until the body is written, or the connection closes.
    func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task { try await body() }
        let isClosed = state.withLock { state in
            state.task = task
            return state.isClosed
        }
        if isClosed { task.cancel() }
        defer { state.withLock { $0.task = nil } }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// The connection has closed.
    func close() {
        state.withLock { state in
            state.isClosed = true
            return state.task
        }?.cancel()
    }
}
