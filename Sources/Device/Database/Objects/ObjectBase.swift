import CausewayModel

/// The common base of `Object`, `EmbeddedObject` and `AsymmetricObject`.
///
/// ```swift
/// func describe(_ object: ObjectBase) {
///     print(type(of: object).className(), object.objectSchema.properties.map(\.name))
/// }
/// describe(dog)
/// describe(Address())
/// ```
///
/// An object is unmanaged until it is added to a Realm: a plain Swift object whose properties hold their own values.
/// A managed object holds no values. It is a reference to a row, and each property read goes to the snapshot of its
/// Realm.
open class ObjectBase {
    // The fields a property read touches. Exclusivity is not checked at run time: a managed object is confined to one
    // thread, and none of these is ever passed inout.

    /// What inlined reads need of the object's class; nil while the object is unmanaged.
    @exclusivity(unchecked) @usableFromInline final var _header: UnsafeMutablePointer<_AccessHeader>?
    /// The class's epoch when the row was last known to exist.
    @exclusivity(unchecked) @usableFromInline final var _epoch: UInt = 0
    @exclusivity(unchecked) @usableFromInline final var _leaf: Int = 0
    @exclusivity(unchecked) @usableFromInline final var _slot: Int = 0
    /// Keeps alive what `_header` points to.
    @exclusivity(unchecked) final var _instance: RealmInstance?
    /// How many links one behind the other lend their targets, while a loop lends the object; see ``LentAccessor``.
    @exclusivity(unchecked) final var lendingDepth: UInt8 = 0
    /// Whether the object has ever cached a collection, a text or an inverse relation.
    @exclusivity(unchecked) @usableFromInline final var _hasCached = false
    /// The accessor of the last link's target, which this object lends in turn.
    @exclusivity(unchecked) final var lent: LentAccessor?

    /// Creates an unmanaged object whose properties hold their defaults.
    public init() {}

    // A metatype value can create objects only through a required initialiser, and apps override `init()` without
    // `required`. So this one is required: every class that has an `init()` inherits it.
    /// Creates an unmanaged object of a class that is known only at run time: `T()` for a generic `T: Object`.
    public required convenience init(_blank: Void = ()) {
        self.init()
    }

    deinit {
        lent?.end()
    }

    /// The name under which the class is stored: its Swift name without module and enclosing types.
    ///
    /// ```swift
    /// Dog.className()  // "Dog"
    /// ```
    open class func className() -> String {
        _realmObjectName() ?? String(describing: self)
    }

    /// The name to store the class under; nil for its Swift name.
    ///
    /// ```swift
    /// class Employee: Object {
    ///     override class func _realmObjectName() -> String? { "Person" }
    /// }
    /// ```
    open class func _realmObjectName() -> String? { nil }

    /// Maps public property names to the names they are stored under.
    ///
    /// ```swift
    /// class Employee: Object {
    ///     @Persisted var firstName = ""
    ///     override class func propertiesMapping() -> [String: String] { ["firstName": "first_name"] }
    /// }
    /// ```
    ///
    /// Code uses the public name. The file and the server use the stored one.
    open class func propertiesMapping() -> [String: String] { [:] }

    /// Whether a configuration without `objectTypes` includes the class. Override it to keep a class out.
    ///
    /// ```swift
    /// class Draft: Object {
    ///     override class func shouldIncludeInDefaultSchema() -> Bool { false }
    /// }
    /// ```
    open class func shouldIncludeInDefaultSchema() -> Bool { true }

    /// The names of properties that are not persisted although they are declared with `@Persisted`.
    ///
    /// ```swift
    /// class Tab: Object {
    ///     @Persisted var url = ""
    ///     @Persisted var isShown = false
    ///     override class func ignoredProperties() -> [String] { ["isShown"] }
    /// }
    /// ```
    open class func ignoredProperties() -> [String] { [] }

    /// The names of properties to index, in addition to those declared with `@Persisted(indexed: true)`.
    ///
    /// ```swift
    /// class Tab: Object {
    ///     @Persisted var url = ""
    ///     override class func indexedProperties() -> [String] { ["url"] }
    /// }
    /// ```
    open class func indexedProperties() -> [String] { [] }

    /// The kind of table the class lives in.
    class var _kind: ClassKind { .object }

    /// The name of the primary key property that the class declares by overriding `primaryKey()`.
    class var _declaredPrimaryKey: String? { nil }

    // MARK: - What a class may say for itself

    /// Whether the object can no longer be read: its row was deleted or its Realm invalidated.
    ///
    /// An unmanaged object is never invalidated.
    open var isInvalidated: Bool {
        guard let access = _access else { return false }
        access.instance.checkThread()
        return !access.stillExists(_key, seenAt: _epoch)
    }

    /// The object with its properties, links and lists, to a depth of five.
    ///
    ///     Dog {
    ///     	name = Rex;
    ///     	age = 10;
    ///     }
    ///
    /// Override it for a shorter text: `override var description: String { name }`.
    open var description: String { description(depth: 5) }

    /// What a debugger and a printed array show: `description`, unless a class overrides it.
    ///
    /// ```swift
    /// print(dog.debugDescription)
    /// ```
    open var debugDescription: String { description }

    /// Whether another value is an object equal to this one. `==` calls it.
    ///
    /// Two managed objects are equal when they are the same row of a class with a primary key, or of a frozen Realm; all
    /// others when they are the same instance. A class may compare in a way of its own, and then overrides `hash` with it:
    ///
    /// ```swift
    /// class Tag: Object {
    ///     @Persisted var name = ""
    ///     override func isEqual(_ object: Any?) -> Bool { (object as? Tag)?.name == name }
    ///     override var hash: Int { name.hashValue }
    /// }
    /// ```
    open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? ObjectBase else { return false }
        if self === other { return true }
        return comparesByRow && isSameRow(as: other)
    }

    /// A hash value that equal objects share.
    open var hash: Int {
        guard let access = _access, comparesByRow else { return ObjectIdentifier(self).hashValue }
        var hasher = Hasher()
        hasher.combine(access.model.className)
        hasher.combine(_key)
        return hasher.finalize()
    }
}

/// Objects are confined to the thread, queue or actor of their Realm.
@available(*, unavailable)
extension ObjectBase: Sendable {}

// MARK: - Where a managed object stands

extension ObjectBase {
    final var _key: ObjectKey { ObjectKey(Int64(_leaf * slotsPerLeaf + _slot)) }

    /// Whether the object may cache a collection that was read. Notes that it does. Objects of a frozen Realm cache none: several
    /// threads read them at once.
    @inlinable
    final func _beginsToCache() -> Bool {
        if let header = _header, header.pointee.isFrozen { return false }
        _hasCached = true
        return true
    }

    /// The class access of the object, without any check; nil for an unmanaged object.
    final var _access: _ClassAccess? {
        _header.map { $0.pointee.access.takeUnretainedValue() }
    }

    /// Checks the thread and that the row exists.
    @inline(__always)
    final func _check() {
        if let header = _header, header.pointee.mayRead(at: _epoch) { return }
        _ = _checkedAccess()
    }

    /// The class access of the object, after checking the thread and that the row exists.
    final func _checkedAccess() -> _ClassAccess {
        guard let access = _livingAccess() else { misuse("Object has been deleted or invalidated.") }
        return access
    }

    /// The class access of the object, after checking the thread; nil when the row no longer exists.
    @inline(__always)
    final func _livingAccess() -> _ClassAccess? {
        guard let access = _access else {
            misuse("Object of type '\(type(of: self).className())' is not managed by a Realm.")
        }
        access.instance.checkThread()
        if _epoch != access.header.pointee.epoch {
            guard access.stillExists(_key, seenAt: _epoch) else { return nil }
            _epoch = access.header.pointee.epoch
        }
        return access
    }

    /// The same, after checking also that the Realm is in a write transaction.
    final func _writableAccess() -> _ClassAccess {
        let access = _checkedAccess()
        access.instance.checkWritable()
        return access
    }

    /// The object as a link to it, for query arguments. Nothing that is stored links to an unmanaged one.
    final func _linkValue() -> Value {
        ComparedObjects.seen?.value.objects.append(self)
        guard _header != nil else { return .object(.unmanaged) }
        return .object(_key)
    }
}

// MARK: - What every object offers

extension ObjectBase {
    /// The Realm that manages the object, or nil for an unmanaged object.
    ///
    /// ```swift
    /// try dog.realm?.write { dog.age += 1 }
    /// ```
    public var realm: Realm? {
        _instance.map(Realm.init(instance:))
    }

    /// Whether the object belongs to a frozen Realm.
    ///
    /// ```swift
    /// let live = dog.isFrozen ? dog.thaw() : dog
    /// ```
    public var isFrozen: Bool { _instance?.isFrozen ?? false }
}
