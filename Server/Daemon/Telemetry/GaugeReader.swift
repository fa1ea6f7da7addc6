import CausewaySession
import Dispatch
import Synchronization

/// Reads something that may block, on a thread of its own, for as long as the caller has patience.
///
/// Who asks during a reading gets what it finds. One that takes too long goes on in the background, and until it is over
/// nothing else is read: a disk that hangs holds one thread and not one for each scrape.
final class GaugeReader<Value: Sendable>: Sendable {
    private let thread: StoreThread
    /// Those who wait for the reading that runs; nil while none does.
    private let waiting = Mutex<[Answer]?>(nil)

    init(label: String) {
        thread = StoreThread(label: label)
    }

    /// Nil when it takes too long.
    func read(withinMilliseconds milliseconds: Int, _ body: @escaping @Sendable () -> Value?) async -> Value? {
        await withCheckedContinuation { continuation in
            let answer = Answer(continuation)
            let begins = waiting.withLock { waiting in
                defer { waiting = (waiting ?? []).filter(\.isAwaited) + [answer] }
                return waiting == nil
            }
            if begins {
                thread.start { [self] in
                    let value = body()
                    let answers = waiting.withLock { waiting in
                        defer { waiting = nil }
                        return waiting ?? []
                    }
                    for answer in answers { answer.give(value) }
                }
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { answer.give(nil) }
        }
    }

    /// Given once: what comes later is dropped.
    private final class Answer: Sendable {
        private let waiting: Mutex<CheckedContinuation<Value?, Never>?>

        init(_ waiting: CheckedContinuation<Value?, Never>) {
            self.waiting = Mutex(waiting)
        }

        var isAwaited: Bool { waiting.withLock { $0 != nil } }

        func give(_ value: Value?) {
            waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }?.resume(returning: value)
        }
    }
}
