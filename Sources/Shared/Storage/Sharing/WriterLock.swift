import Dispatch
import Synchronization

/// The right to be the one writer of a file. Inside the process it is first come, first served. Against other processes
/// a lock of the open file holds it, which ends when the process is killed.
///
/// Between processes there are two locks. The next writer holds the turnstile while it waits for the writer's lock.
/// A process that has just written and wants to write again finds the turnstile closed, and so lets the others pass.
///
/// No part of it is bound to a thread, so a transaction may begin on one thread and end on another.
package final class WriterLock: WriteTurn {
    private struct Queue {
        var isHeld = false
        var waiting: [DispatchSemaphore] = []
    }

    private let queue = Mutex(Queue())
    /// Nil where no other process can reach the data.
    private let locks: LockBytes?

    package init(_ state: SharedState) {
        locks = state.locks
    }

    /// A place in the queue. Wait for it exactly once.
    package struct Ticket: Sendable {
        fileprivate let semaphore: DispatchSemaphore?
    }

    package func takeTicket() -> Ticket {
        queue.withLock { queue in
            guard queue.isHeld else {
                queue.isHeld = true
                return Ticket(semaphore: nil)
            }
            let semaphore = DispatchSemaphore(value: 0)
            queue.waiting.append(semaphore)
            return Ticket(semaphore: semaphore)
        }
    }

    package func wait(for ticket: Ticket) throws(StorageError) {
        ticket.semaphore?.wait()
        guard let locks else { return }
        do throws(StorageError) {
            try locks.lock(SharedLayout.turnstileByte)
            // The turnstile must open also when the next line throws.
            defer { locks.unlock(SharedLayout.turnstileByte) }
            try locks.lock(SharedLayout.writerByte)
        } catch {
            passOn()
            throw error
        }
    }

    /// Takes the right without waiting, if nobody in this process or another has it. Returns whether it is held now.
    package func takeAtOnce() -> Bool {
        let isFree = queue.withLock { queue in
            defer { queue.isHeld = true }
            return !queue.isHeld
        }
        guard isFree else { return false }
        if let locks, (try? locks.tryLock(SharedLayout.writerByte)) != true {
            passOn()
            return false
        }
        return true
    }

    package func release() {
        locks?.unlock(SharedLayout.writerByte)
        passOn()
    }

    private func passOn() {
        let next = queue.withLock { queue -> DispatchSemaphore? in
            guard !queue.waiting.isEmpty else {
                queue.isHeld = false
                return nil
            }
            return queue.waiting.removeFirst()
        }
        next?.signal()
    }
}
