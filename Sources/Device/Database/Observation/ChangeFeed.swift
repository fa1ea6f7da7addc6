import Synchronization

// Observation by polling instead of callbacks. When the loop asks for the next element, the changes since its last
// element are computed. A slow loop gets all of them as one element, and nothing is buffered.

/// Wakes the task that waits for a Realm to move to another version.
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

/// Raises a signal when the Realm has moved. The waiting task computes the changes.
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

/// The state of one loop over changes. It is confined as its Realm is.
final class ChangeFeed<Element> {
    private let instance: RealmInstance
    private let state: ObservationState
    private let signal = ChangeSignal()
    private let isOver: () -> Bool
    /// Ends the observation together with the loop.
    private let token: NotificationToken
    private var observer: ChangeObserver?
    private let found = Found<Element>()

    /// - Parameters:
    ///   - isOver: Whether the observed object or collection is gone.
    ///   - observer: Makes the observer that computes the changes and passes them to the closure.
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

    /// Waits for the next change and returns what changed since the last call; nil at the end of the loop.
    func next(isolation: isolated (any Actor)? = #isolation) async -> Element? {
        instance.checkThread()
        while !Task.isCancelled, !state.isCancelled, !isOver() {
            signal.lower()
            // An open write may still be rolled back. Its end raises the signal.
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

/// The element that the observer found last.
private final class Found<Element> {
    var element: Element?
}

/// Reports the observed value itself, first at once and then after every change.
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
