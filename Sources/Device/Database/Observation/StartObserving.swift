import Dispatch

// Where an observation begins: where the observed belongs, on a queue, or on an actor. What is observed is described by
// the closure, which looks it up in the instance it is handed.

/// Makes an observer for what it looks up in an instance.
typealias ObserverMaker = (RealmInstance, ObservationState) -> ChangeObserver

extension RealmInstance {
    /// Starts an observation here, or where a queue runs.
    ///
    /// - Parameter observer: makes the observer for the instance of the place. It is called there.
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

    /// Starts an observation on an actor; what is told at the beginning has been told when the function returns.
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

/// A block of an actor as one that may be called wherever that actor's Realm calls its observers: on the actor.
func isolatedBlock<A: Actor, Change>(
    to actor: A, _ block: @Sendable @escaping (isolated A, Change) -> Void
) -> (Change) -> Void {
    { change in
        let change = Transferred(change)
        actor.assumeIsolated { block($0, change.value) }
    }
}
