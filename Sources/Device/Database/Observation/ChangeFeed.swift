import Synchronization

// Observation that is asked instead of calling back. What changed is found when the loop asks for it, from where the loop
// was the last time: a loop that is slow gets everything at once, and nothing waits in a buffer meanwhile.

/// Wakes whoever waits for a Realm to move.
final class ChangeSignal: Sendable {
    private struct State {
        var isRaised = false
        var waiter: CheckedContinuation<Void, Never>?
    }
    private let state = Mutex(State())

    func raise() {
        let waiter = state.withLock { state in
            state.isRaised = true
            return state.waiter.take()
        }
        waiter?.resume()
    }

    func lower() {
        state.withLock { $0.isRaised = false }
    }

    /// Returns when the signal is raised, or when the task is cancelled.
    func wait(isolation: isolated (any Actor)? = #isolation) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: isolation) { continuation in
                let isRaised = state.withLock { state in
                    if !state.isRaised { state.waiter = continuation }
                    return state.isRaised
                }
                if isRaised { continuation.resume() }
            }
        } onCancel: {
            raise()
        }
    }
}

/// Says that the Realm has moved, and leaves the finding out to whoever waits.
private final class SignallingObserver: ChangeObserver {
    private let signal: ChangeSignal

    init(_ state: ObservationState, _ signal: ChangeSignal) {
        self.signal = signal
        super.init(state)
    }

    override func deliver(_ instance: RealmInstance) {
        signal.raise()
    }

    override func invalidated(_ instance: RealmInstance) {
        super.invalidated(instance)
        signal.raise()
    }
}

/// One loop over what becomes of something observed. Belongs where its Realm does.
final class ChangeFeed<Element> {
    private let instance: RealmInstance
    private let state: ObservationState
    private let signal = ChangeSignal()
    private let isOver: () -> Bool
    /// Lets go of everything with the loop.
    private let token: NotificationToken
    private var observer: ChangeObserver?
    private let found = Found<Element>()

    /// - Parameters:
    ///   - isOver: whether what is observed is gone.
    ///   - observer: makes who finds out what changed, and tells it the closure.
    init(
        _ instance: RealmInstance, until isOver: @escaping () -> Bool,
        _ observer: (RealmInstance, ObservationState, @escaping (Element) -> Void) -> ChangeObserver
    ) {
        instance.checkObservable()
        guard instance.confinement.hasScheduler else {
            misuse(
                "Only the changes of a Realm of an actor or a queue can be looped over. Use observe(_:) on a thread.")
        }
        self.instance = instance
        self.isOver = isOver
        state = ObservationState()
        token = NotificationToken(state)
        self.observer = observer(instance, state) { [found] in found.element = $0 }
        instance.observers.add(SignallingObserver(state, signal), instance)
    }

    /// What changed since the last call, once something has; nil when the loop is to end.
    func next(isolation: isolated (any Actor)? = #isolation) async -> Element? {
        instance.checkThread()
        while !Task.isCancelled, !state.isCancelled, !isOver() {
            signal.lower()
            // What a write that is open does may yet be undone; its end raises the signal.
            if !instance.isInWrite {
                observer?.deliver(instance)
                if let element = found.element.take() { return element }
                if state.isCancelled { break }
            }
            await signal.wait()
        }
        token.invalidate()
        observer = nil
        return nil
    }
}

/// Where the observer puts what it found.
private final class Found<Element> {
    var element: Element?
}

/// Tells what is observed itself, now and whenever something became of it.
final class ValueObserver<Value>: ChangeObserver {
    private var first: Value?
    private let tell: (Value) -> Void
    private let observer: ChangeObserver

    init(_ first: Value, _ tell: @escaping (Value) -> Void, _ observer: ChangeObserver) {
        self.first = first
        self.tell = tell
        self.observer = observer
        super.init(observer.state)
    }

    override func deliver(_ instance: RealmInstance) {
        if let first = first.take() { tell(first) } else { observer.deliver(instance) }
    }
}
