import CausewayObjectStore

// Frozen Realms, objects and collections: a snapshot that never changes and may be read on any thread.

extension Realm {
    /// The Realm as it is now, as a snapshot that never changes.
    ///
    /// ```swift
    /// nonisolated(unsafe) let snapshot = realm.freeze()    // the compiler cannot know that it is frozen
    /// DispatchQueue.global().async { print(snapshot.objects(Dog.self).count) }
    /// ```
    ///
    /// Any number of threads may read a frozen Realm, and every object and collection from it, at the same time without
    /// waiting for each other. The one exception is a query: the first thread that reads its results runs it, and
    /// others wait. A frozen Realm keeps its version of the data in the file for as long as it lives. It cannot be
    /// written or observed.
    ///
    /// - Complexity: O(1).
    public func freeze() -> Realm { Realm(instance: instance.frozen()) }

    /// The live Realm of a frozen one, on the caller's thread or on the main queue. A live Realm returns itself.
    ///
    /// ```swift
    /// let live = realm.freeze().thaw()
    /// ```
    public func thaw() -> Realm { Realm(instance: instance.thawed()) }

    /// The object as it is now, as a snapshot that never changes. See ``freeze()``.
    ///
    /// ```swift
    /// let frozen = realm.freeze(dog)
    /// ```
    public func freeze<T: ObjectBase>(_ object: T) -> T { object.freeze() }

    /// The live version of a frozen object; nil when the object has been deleted.
    ///
    /// ```swift
    /// let live = realm.thaw(realm.freeze(dog))
    /// ```
    public func thaw<T: ObjectBase>(_ object: T) -> T? { object.thaw() }

    /// The collection as it is now, as a snapshot that never changes. See ``freeze()``.
    ///
    /// ```swift
    /// let frozen = realm.freeze(person.dogs)
    /// ```
    public func freeze<C: RealmCollection>(_ collection: C) -> C { collection.freeze() }

    /// The live version of a frozen collection; nil when the object it belongs to has been deleted.
    ///
    /// ```swift
    /// let live = realm.thaw(realm.freeze(person.dogs))
    /// ```
    public func thaw<C: RealmCollection>(_ collection: C) -> C? { collection.thaw() }
}

/// Objects that can be frozen: those of every class.
public protocol _Freezable: ObjectBase {}

/// What another thread may hold although no commit has made it yet: it says where the object will be.
protocol ReferablePlace {
    /// Whether the Realm that it belongs to has the object.
    var isThere: Bool { get }

    /// The object's place in the snapshot that the write began on, whether or not it is there already.
    func frozenPlace() -> Self
}

extension ObjectBase: ReferablePlace {}

extension ReferablePlace where Self: ObjectBase {
    var isThere: Bool { _access.map { $0.exists(_key) } ?? true }

    func frozenPlace() -> Self {
        let access = _checkedAccess()
        let frozen = access.instance.frozen()
        return withExtendedLifetime(frozen) { frozen.counterpart(of: access).object(_key, as: Self.self) }
    }
}

extension ObjectBase: _Freezable {}

extension _Freezable {
    /// The object as it is now, as a snapshot that never changes and that any thread may read.
    ///
    /// ```swift
    /// let frozen = dog.freeze()
    /// ```
    ///
    /// It keeps its version of the data in the file for as long as it lives. Setting one of its properties stops the
    /// program. So does freezing an object that the current write transaction has created.
    ///
    /// - Complexity: O(1).
    public func freeze() -> Self {
        guard _header != nil else { misuse("Unmanaged objects cannot be frozen.") }
        let instance = _checkedAccess().instance
        if instance.isFrozen { return self }
        guard let frozen = instance.frozen().accessor(of: self) else {
            misuse("Cannot freeze an object in the same write transaction as it was created in.")
        }
        return frozen
    }

    /// The live version of a frozen object, in the Realm where the caller runs; nil when it has been deleted. A live
    /// object returns itself.
    ///
    /// ```swift
    /// let frozen = dog.freeze()
    /// if let live = frozen.thaw() { try live.realm?.write { live.age += 1 } }
    /// ```
    public func thaw() -> Self? {
        guard let instance = _instance else { misuse("Unmanaged objects cannot be thawed.") }
        return instance.isFrozen ? instance.thawed().accessor(of: self) : self
    }
}

extension RealmCollection {
    /// The collection as it is now, as a snapshot that never changes and that any thread may read.
    ///
    /// ```swift
    /// let frozen = person.dogs.freeze()
    /// ```
    ///
    /// It keeps its version of the data in the file for as long as it lives.
    ///
    /// - Complexity: O(1). A query runs when the frozen collection is first read.
    public func freeze() -> Self {
        _source.frozen.map(_moved) ?? self
    }

    /// The live version of a frozen collection, in the Realm where the caller runs; nil when the object it belongs to
    /// has been deleted. A live collection returns itself.
    ///
    /// ```swift
    /// let live = dogs.freeze().thaw()
    /// ```
    public func thaw() -> Self? {
        _source.instance.isFrozen ? _source.thawed.map(_moved) : self
    }
}
