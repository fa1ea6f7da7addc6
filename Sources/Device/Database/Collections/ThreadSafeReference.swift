import CausewayModel
import CausewayObjectStore
import Synchronization

/// A way to hand what is confined to one thread to another: made here, resolved there, once.
///
/// ```swift
/// let reference = ThreadSafeReference(to: dog)
/// DispatchQueue.global().async {
///     let realm = try! Realm()
///     guard let dog = realm.resolve(reference) else { return }    // it was deleted meanwhile
///     try! realm.write { dog.name = "Rex" }
/// }
/// ```
///
/// The reference keeps the version of the data that it was made in until it is resolved or let go of, so do not keep
/// references: ``ThreadSafe`` is for what lives longer. An object that the current write transaction has made cannot be
/// referred to before the commit. What is frozen may be used anywhere and resolves to itself.
public struct ThreadSafeReference<Confined: ThreadConfined>: Sendable {
    private let content: Handover<Confined>

    /// Refers to an object, collection or projection that a Realm manages.
    ///
    /// - Complexity: O(1).
    public init(to threadConfined: Confined) {
        content = Handover(threadConfined.forOtherThreads())
    }

    /// Whether the reference was resolved before, and cannot be again.
    public var isInvalidated: Bool { content.isEmpty }

    fileprivate func take() -> Confined? { content.take() }
}

extension Realm {
    /// What a reference refers to, in this Realm; nil when it has been deleted.
    ///
    /// ```swift
    /// let reference = ThreadSafeReference(to: dog)
    /// let same = realm.resolve(reference)
    /// print(reference.isInvalidated)    // true
    /// ```
    ///
    /// The Realm moves forward if the reference was made in a later version. A reference can be resolved once, and only in
    /// a Realm of the file it comes from; anything else stops the program.
    public func resolve<Confined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
        guard let content = reference.take() else { misuse("Can only resolve a thread safe reference once.") }
        return content.resolved(in: instance)
    }
}

extension ThreadConfined {
    /// The value in a form that any thread may hold: frozen.
    func forOtherThreads() -> Self {
        guard realm != nil else {
            misuse("Cannot construct reference to unmanaged object, which can be passed across threads directly")
        }
        if isInvalidated { misuse("Cannot construct reference to invalidated object") }
        return freeze()
    }

    /// The live form of a frozen value in an instance; nil when it is gone.
    func resolved(in instance: RealmInstance) -> Self? {
        instance.checkThread()
        guard let source = realm?.instance, source.coordinator === instance.coordinator else {
            misuse("Cannot resolve thread safe reference in Realm with different configuration than the source Realm.")
        }
        if instance.transaction.version < source.transaction.version { instance.refresh() }
        return ThawingPlace.$instance.withValue(Transferred(instance)) { thaw() }
    }
}

/// Where what is thawed shall live, when that is not simply where the caller runs.
enum ThawingPlace {
    @TaskLocal static var instance: Transferred<RealmInstance>?
}

/// A frozen value that is taken out once.
///
/// `Transferred` because what is frozen may be read and let go of on any thread; the lock is for whether it is still here.
private final class Handover<Confined: ThreadConfined>: Sendable {
    private let content: Mutex<Transferred<Confined>?>

    init(_ value: Confined) {
        content = Mutex(Transferred(value))
    }

    var isEmpty: Bool { content.withLock { $0 == nil } }

    func take() -> Confined? {
        content.withLock { content in
            defer { content = nil }
            return content
        }?.value
    }
}
