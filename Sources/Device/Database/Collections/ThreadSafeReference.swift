import CausewayModel
import CausewayObjectStore
import Synchronization

/// Hands a thread-confined value to another thread: created on one thread, resolved once on the other.
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
/// references: ``ThreadSafe`` is for what lives longer. An object that the current write transaction has made can be
/// referred to, and is found once that transaction is committed. A frozen value needs no reference; a reference to one
/// resolves to its live form.
public struct ThreadSafeReference<Confined: ThreadConfined>: Sendable {
    private let content: Handover<Confined>

    /// Refers to a managed object, collection or projection. An unmanaged or invalidated one stops the program.
    ///
    /// - Complexity: O(1).
    public init(to threadConfined: Confined) {
        content = Handover(threadConfined.forOtherThreads())
    }

    /// Whether the reference was already resolved and cannot be resolved again.
    public var isInvalidated: Bool { content.isEmpty }

    fileprivate func take() -> Referred<Confined>? { content.take() }
}

extension Realm {
    /// The value of a reference, in this Realm; nil when it has been deleted.
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
    /// The value in a form that any thread may hold.
    func forOtherThreads() -> Referred<Self> {
        guard let instance = realm?.instance else {
            misuse("Cannot construct reference to unmanaged object, which can be passed across threads directly")
        }
        if isInvalidated { misuse("Cannot construct reference to invalidated object") }
        guard instance.isInWrite else { return Referred(value: freeze(), write: nil) }
        let frozen = (self as? any ReferablePlace)?.frozenPlace() as? Self ?? freeze()
        let source = (frozen as? any RealmCollection)?._source ?? (frozen as? any RealmKeyedCollection)?._source
        let isThere = (frozen as? any ReferablePlace)?.isThere ?? source?.hasOrigin ?? true
        return Referred(value: frozen, write: isThere ? nil : instance.referredWrite)
    }
}

extension Referred {
    /// The live form of the value in an instance; nil when it is gone, or not there yet.
    func resolved(in instance: RealmInstance) -> Value? {
        instance.checkThread()
        guard let source = value.realm?.instance, source.coordinator === instance.coordinator else {
            misuse("Cannot resolve thread safe reference in Realm with different configuration than the source Realm.")
        }
        // What an undone write had made is nowhere, and its row may have become another object.
        if write?.outcome == .undone { return nil }
        if instance.transaction.version < source.transaction.version { instance.refresh() }
        func find() -> Value? { ThawingPlace.$instance.withValue(Transferred(instance)) { value.thaw() } }
        if let found = find() { return found }
        return write?.outcome == .committed && instance.refresh() ? find() : nil
    }
}

/// The instance that `thaw` uses instead of that of the caller's thread.
enum ThawingPlace {
    @TaskLocal static var instance: Transferred<RealmInstance>?
}

/// A frozen value that is taken out once.
///
/// `Transferred`, because a frozen value may be read and released on any thread. The lock guards whether it was taken.
private final class Handover<Confined: ThreadConfined>: Sendable {
    private let content: Mutex<Transferred<Referred<Confined>>?>

    init(_ value: Referred<Confined>) {
        content = Mutex(Transferred(value))
    }

    var isEmpty: Bool { content.withLock { $0 == nil } }

    func take() -> Referred<Confined>? {
        content.withLock { content in
            defer { content = nil }
            return content
        }?.value
    }
}
