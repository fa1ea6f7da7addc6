import Dispatch

/// Runs an actor's work on a serial queue of its own, and the tasks that prefer it.
///
/// A driver reads files, and the cooperative pool has a thread per core: work that blocks belongs elsewhere. A call that
/// the actor starts stays on the queue, because each change of threads costs as much as the call itself.
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
