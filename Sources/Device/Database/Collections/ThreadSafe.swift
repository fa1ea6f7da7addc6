import Synchronization

/// A variable for a thread-confined value that every thread may read. Each thread gets its own live form.
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
/// Only what a Realm manages can be kept. The value is nil once it has been deleted. For other threads, an object that a
/// write transaction has made is there from its commit on.
///
/// The file keeps the version in which the variable was last read or set.
///
/// - Complexity: Reading opens the Realm on the caller's thread, which is quick while it is open there already.
@propertyWrapper
public final class ThreadSafe<T: ThreadConfined>: Sendable {
    /// The value, frozen, so that any thread may hold it.
    private let content: Mutex<Transferred<Referred<T>>?>

    /// Keeps a value, or nothing yet.
    public init(wrappedValue: T?) {
        content = Mutex(wrappedValue.map { Transferred($0.kept()) })
    }

    /// The live value in the Realm of the caller's thread or of the main queue; nil once it has been deleted.
    public var wrappedValue: T? {
        get {
            guard let kept = content.withLock({ $0 }), let instance = kept.value.value.realm?.instance else {
                return nil
            }
            guard let place = openForObservation(instance.configuration, .current),
                let value = kept.value.resolved(in: place)
            else {
                // What an open write has made is still to come.
                if kept.value.write?.outcome != .open { content.withLock { $0 = nil } }
                return nil
            }
            // Kept anew, so that the file may let go of the old version.
            let renewed = Transferred(value.forOtherThreads())
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
    fileprivate func kept() -> Referred<Self> {
        guard realm != nil else { misuse("Only managed objects may be wrapped as thread safe.") }
        return forOtherThreads()
    }
}
