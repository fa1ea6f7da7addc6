/// What belongs to one Realm and may be used only where that Realm may: objects, collections, sections, projections.
///
/// ```swift
/// func isCurrent(_ value: some ThreadConfined) -> Bool { !value.isInvalidated && !value.isFrozen }
/// ```
public protocol ThreadConfined {
    /// The Realm it belongs to; nil while unmanaged.
    ///
    /// ```swift
    /// try person.dogs.realm?.write { person.dogs.append(rex) }
    /// ```
    var realm: Realm? { get }

    /// Whether it can no longer be used.
    ///
    /// ```swift
    /// if person.dogs.isInvalidated { log("The person was deleted.") }
    /// ```
    var isInvalidated: Bool { get }

    /// Whether it belongs to a frozen Realm.
    ///
    /// ```swift
    /// let live = dogs.isFrozen ? dogs.thaw() : dogs
    /// ```
    var isFrozen: Bool { get }

    /// The same as it is now, never to change; it may be read on any thread.
    ///
    /// ```swift
    /// let frozen = dogs.freeze()
    /// ```
    func freeze() -> Self

    /// The live form of what is frozen, in the Realm of where the caller runs; nil when it is gone.
    ///
    /// ```swift
    /// let live = dogs.freeze().thaw()
    /// ```
    func thaw() -> Self?
}

extension ObjectBase: ThreadConfined {}
