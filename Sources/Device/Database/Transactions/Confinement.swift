import CThread
import Dispatch
import Foundation
import Glibc
import Synchronization

/// Where a Realm instance may be used, and how its notifications get there.
struct Confinement: Sendable {
    enum Place: Sendable {
        /// Notifications arrive when the thread refreshes, or while it runs its run loop, where it has one.
        case thread(UInt, ThreadRunLoop?)
        case queue(DispatchQueue)
        /// The compiler keeps the instance inside the actor, since a Realm is not Sendable.
        case isolated(any Actor)
        /// A frozen instance, which nobody changes.
        case anywhere
    }

    let place: Place

    init(_ place: Place) {
        self.place = place
        if case .queue(let queue) = place { _ = Self.mark(of: queue) }
    }

    /// The main queue on the main thread, else the current thread.
    static var current: Confinement {
        isMain ? Confinement(.queue(.main)) : Confinement(.thread(causeway_thread(), ThreadRunLoop.current))
    }

    // On Linux a `DispatchQueue` is a wrapper that may be created anew at every access; `DispatchQueue.main` always is.
    // So a queue is known by a number that it carries, not by the identity of the object.

    private static let queueKey = DispatchSpecificKey<UInt>()
    private static let mainMark: UInt = 1
    private static let lastMark = Mutex<UInt>(mainMark)

    private static let mainQueueIsMarked: Void = {
        DispatchQueue.main.setSpecific(key: queueKey, value: mainMark)
    }()

    private static func mark(of queue: DispatchQueue) -> UInt {
        _ = mainQueueIsMarked
        return lastMark.withLock { last in
            if let mark = queue.getSpecific(key: queueKey) { return mark }
            last += 1
            queue.setSpecific(key: queueKey, value: last)
            return last
        }
    }

    /// Whether this is the main thread, or the main queue where no thread is tied to it.
    private static var isMain: Bool {
        _ = mainQueueIsMarked
        return Thread.isMainThread || DispatchQueue.getSpecific(key: queueKey) == mainMark
    }

    var isCurrent: Bool {
        switch place {
        case .thread(let thread, _): thread == causeway_thread()
        case .queue(let queue):
            Self.mark(of: queue) == Self.mainMark
                ? Self.isMain : DispatchQueue.getSpecific(key: Self.queueKey) == Self.mark(of: queue)
        case .isolated, .anywhere: true
        }
    }

    /// The initial value of `_AccessHeader.thread`: zero where no thread has to be compared.
    var inlineThread: UInt {
        switch place {
        case .thread(let thread, _): thread
        case .queue: causeway_thread()
        case .isolated, .anywhere: 0
        }
    }

    /// Whether the thread may differ from one use to the next.
    var changesThreads: Bool {
        if case .queue = place { true } else { false }
    }

    /// Whether work can be put where the instance lives.
    var hasScheduler: Bool {
        switch place {
        case .thread(_, let loop): loop != nil
        case .queue, .isolated: true
        case .anywhere: false
        }
    }

    /// Whether work that is posted now will run by itself. Call it only where the instance lives.
    var willRunWork: Bool {
        switch place {
        case .thread(_, let loop): loop?.isRunning ?? false
        case .queue, .isolated: true
        case .anywhere: false
        }
    }

    /// Prepares for work that others will post here.
    func expectWork() {
        if case .thread(_, let loop?) = place { loop.keepGoing() }
    }

    /// Runs work where the instance lives, later.
    func post(_ work: @escaping @Sendable () -> Void) {
        switch place {
        case .thread(_, let loop): loop?.perform(work)
        case .anywhere: break
        case .queue(let queue): queue.async(execute: work)
        case .isolated(let actor): Task { await run(on: actor, work) }
        }
    }
}

private func run(on actor: isolated any Actor, _ work: @Sendable () -> Void) {
    work()
}

extension Confinement {
    /// Two confinements that are the same place share one instance a file.
    enum Identity: Hashable {
        case thread(UInt)
        case queue(UInt)
        case object(ObjectIdentifier)
        case anywhere
    }

    var identity: Identity {
        switch place {
        case .thread(let thread, _): .thread(thread)
        case .queue(let queue): .queue(Self.mark(of: queue))
        case .isolated(let actor): .object(ObjectIdentifier(actor))
        case .anywhere: .anywhere
        }
    }
}
