import Dispatch

/// Runs an actor's jobs, and the tasks that prefer it, on a serial queue of its own.
///
/// A driver reads files, and blocking work does not belong on the cooperative pool, which has one thread per core.
/// Calls that the actor starts stay on the queue, because a change of threads costs as much as the call itself.
final class QueueExecutor: SerialExecutor, TaskExecutor {
    let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label, qos: .userInitiated)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            job.runSynchronously(
                isolatedTo: self.asUnownedSerialExecutor(), taskExecutor: self.asUnownedTaskExecutor())
        }
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
