import Synchronization

/// Keeps an observation alive. Release it, or call `invalidate()`, to stop the notifications.
///
/// ```swift
/// let token: NotificationToken = dogs.observe { change in print(change) }
/// token.invalidate()
/// ```
///
/// The token keeps the observed Realm open. It may be passed between threads.
public class NotificationToken: @unchecked Sendable {
    // Unchecked because subclasses are possible. The lock in `observation` guards all state of this class.
    let observation: ObservationState

    init(_ observation: ObservationState) {
        self.observation = observation
    }

    /// Creates a token that observes nothing, for a variable that is to hold one later.
    ///
    /// ```swift
    /// var token = NotificationToken()
    /// token = dogs.observe { change in print(change) }
    /// ```
    public init() {
        observation = ObservationState()
        observation.cancel()
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
    ///
    /// - Returns: Whether this call stopped them.
    @discardableResult
    public func invalidate() -> Bool {
        observation.cancel()
    }
}

extension NotificationToken: Hashable {
    /// A token is equal to itself alone.
    public static func == (left: NotificationToken, right: NotificationToken) -> Bool { left === right }

    /// Feeds its identity to a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The state of an observation, shared by its token and the Realm.
final class ObservationState: Sendable {
    private struct State {
        var isCancelled = false
        var held: Held?
    }
    /// What the token keeps alive. The Realm holds its observers weakly, because they refer to the Realm.
    ///
    /// Unchecked: the references are held but never used. Any thread may release them last. Closing a snapshot there is
    /// safe, because nobody else can reach it.
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

    @discardableResult
    func cancel() -> Bool {
        // Released outside the lock: the last reference to the instance may be this one.
        let last = state.withLock { state in
            defer { state = State(isCancelled: true, held: nil) }
            return state
        }
        return withExtendedLifetime(last) { !$0.isCancelled }
    }
}
