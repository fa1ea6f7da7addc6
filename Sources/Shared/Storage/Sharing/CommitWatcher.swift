import CStorage
import Glibc
import Synchronization

/// Calls observers when another process has committed.
///
/// From the first observer on, a thread sleeps on a word of its own process's entry. A process that commits changes
/// this word in the entries of all other processes that watch. So commits of its own process do not wake the thread,
/// and ending it disturbs no other process.
///
/// The thread and the tokens hold this object and the memory, not the ``SharedState``. The state ends with its users,
/// and then ends the thread.
final class CommitWatcher: Sendable {
    private struct Observers {
        var bodies: [Int: @Sendable () -> Void] = [:]
        var nextNumber = 0
        var isRunning = false
        var isOver = false
    }

    private let memory: SharedMemory
    private let entryNumber: Int
    /// Also guards the entry's bit in the set of watching entries, which is set as long as there are observers.
    private let observers = Mutex(Observers())
    /// The longest sleep, in case a wake-up was lost.
    private static let napNanoseconds: Int64 = 1_000_000_000

    init(_ memory: SharedMemory, entryNumber: Int) {
        self.memory = memory
        self.entryNumber = entryNumber
    }

    // MARK: - Observers

    func observe(_ body: @escaping @Sendable () -> Void) -> any StorageObservation {
        observers.withLock { observers in
            let number = observers.nextNumber
            observers.nextNumber += 1
            // Without a thread nothing can call the observer, so it is not kept.
            guard !observers.isOver, observers.isRunning || start() else { return CommitObservation(self, number) }
            observers.isRunning = true
            observers.bodies[number] = body
            memory.insert(entryNumber, into: SharedLayout.watchingOffset)
            return CommitObservation(self, number)
        }
    }

    fileprivate func remove(_ number: Int) {
        // Released outside the lock: an object that the body holds may call this method from its `deinit`.
        var removed: (@Sendable () -> Void)?
        observers.withLock { observers in
            removed = observers.bodies.removeValue(forKey: number)
            // After `stop` the entry may already belong to another process.
            guard observers.bodies.isEmpty, !observers.isOver else { return }
            memory.remove(entryNumber, from: SharedLayout.watchingOffset)
        }
        withExtendedLifetime(removed) {}
    }

    /// Ends all observations. The thread ends soon after; an observer may still be running, and may be the caller
    /// itself.
    func stop() {
        var removed: [Int: @Sendable () -> Void] = [:]
        observers.withLock { observers in
            memory.remove(entryNumber, from: SharedLayout.watchingOffset)
            swap(&removed, &observers.bodies)
            observers.isOver = true
            if observers.isRunning { Self.wake(memory, entryNumber) }
        }
        withExtendedLifetime(removed) {}
    }

    // MARK: - Waking

    /// Wakes the watcher of an entry. Changes its word first, so that a watcher about to sleep does not.
    static func wake(_ memory: SharedMemory, _ entryNumber: Int) {
        let word = memory.entry(entryNumber) + SharedLayout.entryWakeOffset
        memory.halfWord(word).pointee.add(1, ordering: .sequentiallyConsistent)
        causeway_futex_wake_all((memory.base + word).assumingMemoryBound(to: UInt32.self))
    }

    // MARK: - The thread

    private func start() -> Bool {
        let context = Unmanaged.passRetained(Start(self, seen: wakeWord))
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { context in
                // Not nil: it is the context passed to `pthread_create`.
                let start = Unmanaged<Start>.fromOpaque(context!).takeRetainedValue()
                start.watcher.run(seen: start.seen)
                return nil
            }, context.toOpaque())
        guard failure == 0 else {
            context.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private final class Start {
        let watcher: CommitWatcher
        let seen: UInt32

        init(_ watcher: CommitWatcher, seen: UInt32) {
            self.watcher = watcher
            self.seen = seen
        }
    }

    private var wakeOffset: Int { memory.entry(entryNumber) + SharedLayout.entryWakeOffset }
    private var wakeWord: UInt32 { memory.halfWord(wakeOffset).pointee.load(ordering: .sequentiallyConsistent) }

    private func run(seen: UInt32) {
        var seen = seen
        while true {
            _ = causeway_futex_wait(
                (memory.base + wakeOffset).assumingMemoryBound(to: UInt32.self), seen, Self.napNanoseconds)
            let now = wakeWord
            guard let numbers = observers.withLock({ $0.isOver ? nil : $0.bodies.keys.sorted() }) else { return }
            if now == seen { continue }
            seen = now
            for number in numbers {
                // Called without the lock, since it may do anything. Not called if its observation has ended meanwhile.
                let body = observers.withLock { $0.bodies[number] }
                body?()
            }
        }
    }
}

/// A token for one observation. Keeps neither the file open nor the thread running.
private final class CommitObservation: StorageObservation {
    private let watcher: CommitWatcher
    private let number: Int

    init(_ watcher: CommitWatcher, _ number: Int) {
        self.watcher = watcher
        self.number = number
    }

    deinit {
        watcher.remove(number)
    }
}
