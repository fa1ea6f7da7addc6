import Foundation

/// The run loop of a thread, as a place where other threads leave work.
///
/// Only threads that Foundation started have one here. A thread of a dispatch queue or of a task never runs a loop, and
/// asking for one opens half a dozen file descriptors that stay open as long as the thread does.
///
/// Unchecked: any thread may add a `Timer` to a `RunLoop`. Everything else is used on the loop's own thread only,
/// except in `deinit`.
final class ThreadRunLoop: @unchecked Sendable {
    private let loop: RunLoop
    /// Keeps the loop waiting while a Realm may hear something there: a loop without anything to wait for ends at once.
    private var idle: Timer?

    private init() {
        loop = .current
    }

    deinit {
        idle?.invalidate()
    }

    /// Keeps the loop running, once it is started, for as long as this object lives.
    func keepGoing() {
        // Thirty years: a timer's date must not overflow.
        let timer = Timer(timeInterval: 1_000_000_000, repeats: true) { _ in }
        idle = timer
        loop.add(timer, forMode: .common)
    }

    /// The loop of the current thread; nil where it has none.
    static var current: ThreadRunLoop? {
        // A thread that Foundation did not start never counts as executing.
        Thread.current.isExecuting && !Thread.isMainThread ? ThreadRunLoop() : nil
    }

    /// Whether the caller was called by the loop.
    var isRunning: Bool { loop.currentMode != nil }

    /// Runs work on the loop's thread, the next time the loop goes round. A timer that is due wakes a waiting loop.
    func perform(_ work: @escaping @Sendable () -> Void) {
        loop.add(Timer(fire: Date(), interval: 0, repeats: false) { _ in work() }, forMode: .common)
    }
}
