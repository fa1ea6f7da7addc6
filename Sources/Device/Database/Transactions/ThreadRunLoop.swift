import Foundation

/// The run loop of a thread, as a place where other threads leave work.
///
/// Only threads that Foundation started have one here. A thread of a dispatch queue or of a task never runs a loop, and
/// asking for one opens half a dozen file descriptors that stay open as long as the thread does.
///
/// Unchecked: `RunLoop` and `Timer` may be told of each other from any thread; everything else is used on the loop's own
/// thread only, until the last reference goes.
final class ThreadRunLoop: @unchecked Sendable {
    private let loop: RunLoop
    /// A loop without anything to wait for ends at once: this keeps it waiting while a Realm may hear something there.
    private var idle: Timer?

    private init() {
        loop = .current
    }

    deinit {
        idle?.invalidate()
    }

    /// Keeps the loop going, once it runs, for as long as this lives.
    func keepGoing() {
        // Thirty years: a timer's date must not overflow.
        let timer = Timer(timeInterval: 1_000_000_000, repeats: true) { _ in }
        idle = timer
        loop.add(timer, forMode: .common)
    }

    /// The loop of the thread that runs; nil where it has none.
    static var current: ThreadRunLoop? {
        // Threads that are not Foundation's look as if they had not begun.
        Thread.current.isExecuting && !Thread.isMainThread ? ThreadRunLoop() : nil
    }

    /// Whether the caller was called by the loop.
    var isRunning: Bool { loop.currentMode != nil }

    /// Does work on the loop's thread, the next time the loop goes round. A timer that is due wakes a loop that waits.
    func perform(_ work: @escaping @Sendable () -> Void) {
        loop.add(Timer(fire: Date(), interval: 0, repeats: false) { _ in work() }, forMode: .common)
    }
}
