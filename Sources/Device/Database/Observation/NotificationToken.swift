import Synchronization

/// Keeps an observation alive. Let go of it, or call `invalidate()`, to hear no more.
///
/// ```swift
/// let token: NotificationToken = dogs.observe { change in print(change) }
/// token.invalidate()
/// ```
///
/// The token keeps the Realm open that it observes. It may be passed between threads.
public class NotificationToken: @unchecked Sendable {
    // Unchecked for subclasses' sake: all state of this class is behind the lock in `observation`.
    let observation: ObservationState

    init(_ observation: ObservationState) {
        self.observation = observation
    }

    deinit {
        observation.cancel()
    }

    /// Stops the notifications. Calling it again does nothing.
    ///
    /// ```swift
    /// let token = realm.observe { _, _ in print("changed") }
    /// token.invalidate()    // prints nothing from now on
    /// ```
    public func invalidate() {
        observation.cancel()
    }
}

/// Whether an observation still wants to hear, seen from both sides: the token's and the Realm's.
final class ObservationState: Sendable {
    private struct State {
        var isCancelled = false
        var held: Held?
    }
    /// What the token keeps alive. The Realm knows its observers only weakly, since they in turn know the Realm.
    ///
    /// Unchecked: only held here, never used; released on whatever thread lets go last, where closing a snapshot that
    /// nobody else can reach is safe.
    private struct Held: @unchecked Sendable {
        let instance: RealmInstance
        let observer: AnyObject
    }
    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func hold(_ instance: RealmInstance, _ observer: AnyObject) {
        let held = Held(instance: instance, observer: observer)
        state.withLock { if !$0.isCancelled { $0.held = held } }
    }

    func cancel() {
        // Released outside the lock: the last reference to the instance may be this one.
        let held = state.withLock { state in
            defer { state = State(isCancelled: true, held: nil) }
            return state.held
        }
        withExtendedLifetime(held) {}
    }
}
