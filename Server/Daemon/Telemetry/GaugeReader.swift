import CausewaySession
import Dispatch
import Synchronization

/// Reads something that may block, on a thread of its own, for as long as the caller has patience.
///
/// A reading that takes too long goes on in the background. Until it is over, nothing else is read: a disk that hangs
/// holds one thread and not one for each scrape.
final class GaugeReader: Sendable {
    private let thread: StoreThread
    private let isReading = Atomic(false)

    init(label: String) {
        thread = StoreThread(label: label)
    }

    /// Nil when it takes too long, or when an earlier reading is not over.
    func read<Value: Sendable>(
        withinMilliseconds milliseconds: Int, _ body: @escaping @Sendable () -> Value?
    ) async -> Value? {
        guard !isReading.exchange(true, ordering: .acquiring) else { return nil }
        return await withCheckedContinuation { continuation in
            let answer = Answer(continuation)
            thread.start { [self] in
                let value = body()
                isReading.store(false, ordering: .releasing)
                answer.give(value)
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { answer.give(nil) }
        }
    }

    /// Given once: what comes later is dropped.
    private final class Answer<Value: Sendable>: Sendable {
        private let waiting: Mutex<CheckedContinuation<Value?, Never>?>

        init(_ waiting: CheckedContinuation<Value?, Never>) {
            self.waiting = Mutex(waiting)
        }

        func give(_ value: Value?) {
            waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }?.resume(returning: value)
        }
    }
}
