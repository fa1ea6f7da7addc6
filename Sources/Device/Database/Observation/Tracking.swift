import Observation

/// Something live for the Observation framework: reading it is tracked, and every change of it is told.
final class Tracking<Shown>: Observable {
    private let untracked: Shown
    private let registrar = ObservationRegistrar()
    private var token: NotificationToken?

    /// - Parameter observer: makes the observer that calls the block after every change.
    init(
        _ shown: Shown, in home: RealmInstance,
        _ observer: @escaping (RealmInstance, ObservationState, @escaping () -> Void) -> ChangeObserver
    ) {
        untracked = shown
        token = home.startObserving(on: nil) { [weak self] instance, state in
            let observer = observer(instance, state) { self?.tell() }
            // What is there now is what was read first.
            observer.skip(instance)
            return observer
        }
    }

    private func tell() {
        registrar.withMutation(of: self, keyPath: \.shown) {}
    }

    /// Reading it is tracked.
    var shown: Shown {
        registrar.access(self, keyPath: \.shown)
        return untracked
    }
}
