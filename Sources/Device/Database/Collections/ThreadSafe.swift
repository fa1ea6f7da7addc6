import Synchronization

/// Keeps what is confined to one thread in a variable that every thread may read: each finds its own live form there.
///
/// ```swift
/// @ThreadSafe var dog = realm.objects(Dog.self).first
/// let kept = _dog    // the variable itself, which may go anywhere
/// DispatchQueue.global().async {
///     print(kept.wrappedValue?.name ?? "it is gone")
/// }
/// func show(@ThreadSafe dog: Dog?) async { print(dog?.name ?? "it is gone") }
/// ```
///
/// Only what a Realm manages can be kept. The value is nil once it has been deleted. An object that the current write
/// transaction has made cannot be kept before the commit.
///
/// The variable keeps the version of the data in the file that it was last read or set in.
///
/// - Complexity: Reading opens the Realm of where the caller runs, which is quick while it is open there already.
@propertyWrapper
public final class ThreadSafe<T: ThreadConfined>: Sendable {
    /// What is kept, frozen, so that any thread may hold it.
    private let content: Mutex<Transferred<T>?>

    /// Keeps a value, or nothing yet.
    public init(wrappedValue: T?) {
        content = Mutex(wrappedValue.map { Transferred($0.kept()) })
    }

    /// The value as the caller may use it: of the Realm of its thread, or the main queue's. Nil once it has been deleted.
    public var wrappedValue: T? {
        get {
            guard let kept = content.withLock({ $0 }), let instance = kept.value.realm?.instance else { return nil }
            guard let place = openForObservation(instance.configuration, .current),
                let value = kept.value.resolved(in: place)
            else {
                content.withLock { $0 = nil }
                return nil
            }
            // Kept anew, so that the file may let go of the old version.
            let renewed = Transferred(value.freeze())
            content.withLock { content in
                if content != nil { content = renewed }
            }
            return value
        }
        set {
            let kept = newValue.map { Transferred($0.kept()) }
            content.withLock { $0 = kept }
        }
    }
}

extension ThreadConfined {
    fileprivate func kept() -> Self {
        guard realm != nil else { misuse("Only managed objects may be wrapped as thread safe.") }
        return forOtherThreads()
    }
}
