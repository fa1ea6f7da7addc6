package import CausewayStore
package import CausewayWire
import Dispatch

/// Runs blocking calls, one at a time and in order, away from the threads that tasks share.
///
/// Tasks may prefer it as their executor: their calls to it then need no change of threads. Between the calls they
/// should be short.
package final class StoreThread: TaskExecutor {
    private let queue: DispatchQueue
    package let label: String

    package init(label: String) {
        self.label = label
        queue = DispatchQueue(label: label)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    package func result<Value: Sendable>(
        _ body: @escaping @Sendable () throws(StoreFailure) -> Value
    ) async -> Result<Value, StoreFailure> {
        await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(returning: Result { () throws(StoreFailure) in try body() })
            }
        }
    }

    package func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(StoreFailure) -> Value
    ) async throws(SyncFailure) -> Value {
        switch await result(body) {
        case .success(let value): return value
        case .failure(let failure): throw SyncFailure(failure)
        }
    }

    package func runFreely<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }

    /// Does not wait for it.
    package func start(_ body: @escaping @Sendable () -> Void) {
        queue.async(execute: body)
    }
}
