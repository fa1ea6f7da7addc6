import Dispatch
import Foundation

/// The end of a process, to wait for on any thread.
///
/// `Process.waitUntilExit` turns the run loop of the thread it blocks: on the main thread other work of the main actor
/// would begin in the middle of ours, and could wait in turn for what we hold.
struct Ending: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    /// Call before the process runs.
    init(of process: Process) {
        process.terminationHandler = { [semaphore] _ in semaphore.signal() }
    }

    func wait() {
        semaphore.wait()
        semaphore.signal()
    }
}
