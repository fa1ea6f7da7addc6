import Dispatch

// Starts observations where the observed object is confined to, on a queue, or on an actor. The closure looks up the
// observed object in the instance that it receives.

/// Looks up the observed object in an instance, and makes an observer for it.
typealias ObserverMaker = (RealmInstance, ObservationState) -> ChangeObserver

extension RealmInstance {
    /// Starts an observation here, or on a queue.
    ///
    /// - Parameter observer: Makes the observer for an instance. It runs where that instance is confined to.
    func startObserving(on queue: DispatchQueue?, _ observer: @escaping ObserverMaker) -> NotificationToken {
        checkObservable()
        let state = ObservationState()
        guard let queue else {
            observers.add(observer(self, state), self)
            wake()
            return NotificationToken(state)
        }
        let work = Transferred((observer, configuration))
        queue.async {
            let (observer, configuration) = work.value
            guard !state.isCancelled, let instance = openForObservation(configuration, Confinement(.queue(queue)))
            else { return }
            instance.observers.add(observer(instance, state), instance)
            instance.refresh()
        }
        return NotificationToken(state)
    }

    /// Starts an observation on an actor. The initial notification is made before the function returns.
    func startObserving<A: Actor>(
        on actor: A, _isolation: isolated (any Actor)? = #isolation, _ observer: @escaping ObserverMaker
    ) async -> NotificationToken {
        checkObservable()
        let state = ObservationState()
        await startOnActor(Transferred((observer, configuration)), state, on: actor)
        return NotificationToken(state)
    }
}

private func startOnActor<A: Actor>(
    _ work: Transferred<(ObserverMaker, Realm.Configuration)>, _ state: ObservationState,
    on actor: isolated A
) {
    let (observer, configuration) = work.value
    guard !Task.isCancelled, let instance = openForObservation(configuration, Confinement(.isolated(actor))) else {
        return
    }
    instance.observers.add(observer(instance, state), instance)
    instance.refresh()
}

/// Turns a block of an actor into a plain one. It may be called only on that actor, where its Realm calls observers.
func isolatedBlock<A: Actor, Change>(
    to actor: A, _ block: @Sendable @escaping (isolated A, Change) -> Void
) -> (Change) -> Void {
    { change in
        let change = Transferred(change)
        actor.assumeIsolated { block($0, change.value) }
    }
}
