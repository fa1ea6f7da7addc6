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
/// A managed object holds no values. It is a row's key and the way to its class, and each property read goes to the
/// snapshot that its Realm stands on.
open class ObjectBase {
    // The fields a property read touches. Exclusivity is not checked at run time: a managed object is confined to one
    // thread, and none of these is ever passed inout.

    /// Nil while the object is unmanaged.
    @exclusivity(unchecked) @usableFromInline final var _header: UnsafeMutablePointer<_AccessHeader>?
    /// The class's epoch when the row was last known to exist.
    @exclusivity(unchecked) @usableFromInline final var _epoch: UInt = 0
    @exclusivity(unchecked) @usableFromInline final var _leaf: Int = 0
    @exclusivity(unchecked) @usableFromInline final var _slot: Int = 0
    /// Keeps alive what `_header` points to.
    @exclusivity(unchecked) final var _instance: RealmInstance?
    /// Whether the object is lent, and nobody but its lender will have it for long.
    @exclusivity(unchecked) final var lends = false
    /// What the object lends: the accessor of the row that its last link led to.
    @exclusivity(unchecked) final var lent: LentAccessor?

    /// Creates an unmanaged object whose properties hold their defaults.
    public init() {}

    // Swift has a class passed as a value make objects by a required initialiser only, and an app overrides `init()` without
    // that word. So the required one is this, which every class inherits that has an `init()`.
    /// The same, for a class that is only known when the program runs: `T()` of a generic `T: Object`.
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

    /// The name to store the class under instead of its Swift name; nil for that one.
    ///
    /// ```swift
    /// class Employee: Object {
    ///     override class func _realmObjectName() -> String? { "Person" }
    /// }
    /// ```
    open class func _realmObjectName() -> String? { nil }

    /// Public property names that are stored under other names.
    ///
    /// ```swift
    /// class Employee: Object {
    ///     @Persisted var firstName = ""
    ///     override class func propertiesMapping() -> [String: String] { ["firstName": "first_name"] }
    /// }
    /// ```
    ///
    /// Code uses the public name; the file and the server see the stored one.
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

    /// The names of properties to index beside those declared with `@Persisted(indexed: true)`.
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
    /// A class may say something shorter: `override var description: String { name }`.
    open var description: String { description(depth: 5) }

    /// What a debugger and a printed array show: `description`, unless a class overrides it.
    ///
    /// ```swift
    /// print(dog.debugDescription)
    /// ```
    open var debugDescription: String { description }

    /// Whether another value is an object equal to this one, which is what `==` asks.
    ///
    /// Two managed objects of a class with a primary key are equal when they are the same row; all others when they are the
    /// same instance. A class may compare in a way of its own, and then overrides `hash` with it:
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
        guard let access = _access, access.model.primaryKey != nil else { return false }
        return isSameRow(as: other)
    }

    /// A number that equal objects have in common.
    open var hash: Int {
        guard let access = _access, access.model.primaryKey != nil else { return ObjectIdentifier(self).hashValue }
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

    /// Whether the object keeps its collections from one read to the next. Those of a frozen Realm are read by several
    /// threads at once, and stay as they are.
    @inlinable final var _remembersCollections: Bool { _header.map { !$0.pointee.isFrozen } ?? true }

    /// The way to the object's class, without any check; nil for an unmanaged object.
    final var _access: _ClassAccess? {
        _header.map { $0.pointee.access.takeUnretainedValue() }
    }

    /// The way to the object's class, once thread and existence are checked.
    final func _checkedAccess() -> _ClassAccess {
        guard let access = _access else {
            misuse("Object of type '\(type(of: self).className())' is not managed by a Realm.")
        }
        access.instance.checkThread()
        if _epoch != access.header.pointee.epoch {
            guard access.stillExists(_key, seenAt: _epoch) else { misuse("Object has been deleted or invalidated.") }
            _epoch = access.header.pointee.epoch
        }
        return access
    }

    /// The same, and the Realm must be in a write transaction.
    final func _writableAccess() -> _ClassAccess {
        let access = _checkedAccess()
        access.instance.checkWritable()
        return access
    }

    /// The object as a link to it, for query arguments.
    final func _linkValue() -> Value {
        guard _header != nil else {
            misuse(
                "Object of type '\(type(of: self).className())' is not managed by a Realm: "
                    + "only managed objects can be compared with in a query."
            )
        }
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
