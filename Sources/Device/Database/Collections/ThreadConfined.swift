/// A value that belongs to one Realm and may be used only where that Realm may: an object, collection, section or
/// projection.
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

    /// The value as it is now. It never changes and may be read on any thread.
    ///
    /// ```swift
    /// let frozen = dogs.freeze()
    /// ```
    func freeze() -> Self

    /// The live form of a frozen value, in the Realm of the caller's thread; nil when it has been deleted.
    ///
    /// ```swift
    /// let live = dogs.freeze().thaw()
    /// ```
    func thaw() -> Self?
}

extension ObjectBase: ThreadConfined {}
