import Observation

/// A live value for the Observation framework: reads are tracked, and every change notifies the readers.
final class Tracking<Shown>: Observable {
    private let untracked: Shown
    private let registrar = ObservationRegistrar()
    private var token: NotificationToken?

    /// - Parameter observer: Makes the observer that calls the block after every change.
    init(
        _ shown: Shown, in home: RealmInstance,
        _ observer: @escaping (RealmInstance, ObservationState, @escaping () -> Void) -> ChangeObserver
    ) {
        untracked = shown
        token = home.startObserving(on: nil) { [weak self] instance, state in
            let observer = observer(instance, state) { self?.tell() }
            // Readers see the current state first, so it needs no notification.
            observer.skip(instance)
            return observer
        }
    }

    private func tell() {
        registrar.withMutation(of: self, keyPath: \.shown) {}
    }

    /// The value, with a tracked read.
    var shown: Shown {
        registrar.access(self, keyPath: \.shown)
        return untracked
    }
}
