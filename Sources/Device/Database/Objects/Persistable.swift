package import CausewayModel

// How a Swift type becomes a stored property, in both directions.
//
//     _Persistable            anything `@Persisted` accepts
//     ├─ _OptionalPersistable its optional is accepted as well
//     │  ├─ _PersistableScalar one value of the model: numbers, text, dates, ids, enums
//     │  ├─ _CustomPersistable a type of the app's, stored as a scalar or an embedded object
//     │  └─ _PersistableObject links and embedded objects
//     └─ List, MutableSet, Map, LinkingObjects
//
// The protocols are public only because `@Persisted` and the collections are generic over them; apps do not implement them.

/// A value on its way between a property and the store.
public struct _StoredValue: Sendable {
    package var value: Value

    package init(_ value: Value) {
        self.value = value
    }
}

/// What kind of model value a scalar is stored as.
public struct _ScalarType: Sendable {
    package var type: PropertyType

    package init(_ type: PropertyType) {
        self.type = type
    }
}

/// What a Swift type asks of the schema, before the property has a name.
public struct _PropertyShape: Sendable {
    package var type: PropertyType
    package var collection: CollectionKind
    package var isOptional: Bool
    /// The class that links of this type lead to.
    package var target: ObjectBase.Type?
    /// An inverse relation: computed from the links of `target`, never stored.
    package var isInverse: Bool
    /// An embedded object that the app sees as a value of a type of its own.
    package var isMapped: Bool

    package init(
        _ type: PropertyType,
        collection: CollectionKind = .none,
        isOptional: Bool = false,
        target: ObjectBase.Type? = nil,
        isInverse: Bool = false,
        isMapped: Bool = false
    ) {
        self.type = type
        self.collection = collection
        self.isOptional = isOptional
        self.target = target
        self.isInverse = isInverse
        self.isMapped = isMapped
    }
}

/// A type that `@Persisted` can hold.
public protocol _Persistable: SendableMetatype {
    static var _shape: _PropertyShape { get }

    /// What a property that was declared without a default holds at first.
    static func _zeroValue() -> Self

    /// The value that the store holds, as this type. `links` is the class that links lead to.
    static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self

    /// The value as the store holds it; links are resolved in `links`, where unmanaged objects are added.
    func _toStored(_ links: _ClassAccess?) -> _StoredValue

    /// Reads the property of a managed object; the types that are read often replace it by an inlined path.
    static func _readManaged(_ object: ObjectBase, _ column: Int) -> Self

    static func _writeManaged(_ object: ObjectBase, _ column: Int, _ value: Self)

    /// The value that a managed object keeps from its first read on (collections), or nil when each read is fresh.
    static func _cachesManagedValue() -> Bool

    /// Takes over what `value` holds when its unmanaged owner becomes managed.
    static func _adopt(_ value: Self, _ object: ObjectBase, _ column: Int)

    /// A value whose own properties continue the recorded path.
    static func _tracing(_ recorder: _PathRecorder) -> Self
}

extension _Persistable {
    @inlinable
    public static func _cachesManagedValue() -> Bool { false }

    public static func _adopt(_ value: Self, _ object: ObjectBase, _ column: Int) {}

    public static func _tracing(_ recorder: _PathRecorder) -> Self { _zeroValue() }

    public static func _readManaged(_ object: ObjectBase, _ column: Int) -> Self {
        let access = object._checkedAccess()
        return _fromStored(_StoredValue(access.value(object._key, column)), access.target(column))
    }

    public static func _writeManaged(_ object: ObjectBase, _ column: Int, _ value: Self) {
        let access = object._writableAccess()
        access.write(object._key, column, value._toStored(access.target(column)).value)
    }
}

/// A type whose optional `@Persisted` can hold too.
public protocol _OptionalPersistable: _Persistable {
    static var _optionalShape: _PropertyShape { get }
    static func _optionalFromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self?
    static func _optionalToStored(_ value: Self?, _ links: _ClassAccess?) -> _StoredValue
    static func _readManagedOptional(_ object: ObjectBase, _ column: Int) -> Self?
    static func _writeManagedOptional(_ object: ObjectBase, _ column: Int, _ value: Self?)
    static func _optionalTracing(_ recorder: _PathRecorder) -> Self?
}

extension _OptionalPersistable {
    public static func _readManagedOptional(_ object: ObjectBase, _ column: Int) -> Self? {
        let access = object._checkedAccess()
        return _optionalFromStored(_StoredValue(access.value(object._key, column)), access.target(column))
    }

    public static func _writeManagedOptional(_ object: ObjectBase, _ column: Int, _ value: Self?) {
        let access = object._writableAccess()
        access.write(object._key, column, _optionalToStored(value, access.target(column)).value)
    }

    public static func _optionalTracing(_ recorder: _PathRecorder) -> Self? { _tracing(recorder) }
}

/// A type that is one value of the model: it says which, and converts both ways. Everything else follows.
public protocol _PersistableScalar: _OptionalPersistable, RealmCollectionValue {
    static var _scalarType: _ScalarType { get }

    /// Nil when the stored value is null or of another type.
    init?(_stored: _StoredValue)

    var _stored: _StoredValue { get }
}

extension _PersistableScalar {
    public static var _shape: _PropertyShape { _PropertyShape(_scalarType.type) }

    public static var _optionalShape: _PropertyShape { _PropertyShape(_scalarType.type, isOptional: true) }

    public static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self {
        guard let value = Self(_stored: stored) else {
            misuse("Invalid stored value '\(stored.value)' for a property of type '\(Self.self)'.")
        }
        return value
    }

    public func _toStored(_ links: _ClassAccess?) -> _StoredValue { _stored }

    // No scalar leads anywhere, so none asks where to.

    public static func _readManaged(_ object: ObjectBase, _ column: Int) -> Self {
        let access = object._checkedAccess()
        return _fromStored(_StoredValue(access.value(object._key, column)), nil)
    }

    public static func _readManagedOptional(_ object: ObjectBase, _ column: Int) -> Self? {
        let access = object._checkedAccess()
        return _optionalFromStored(_StoredValue(access.value(object._key, column)), nil)
    }

    public static func _writeManaged(_ object: ObjectBase, _ column: Int, _ value: Self) {
        object._writableAccess().write(object._key, column, value._stored.value)
    }

    public static func _writeManagedOptional(_ object: ObjectBase, _ column: Int, _ value: Self?) {
        object._writableAccess().write(object._key, column, value?._stored.value ?? .null)
    }

    public static func _optionalFromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self? {
        Self(_stored: stored)
    }

    public static func _optionalToStored(_ value: Self?, _ links: _ClassAccess?) -> _StoredValue {
        value?._stored ?? _StoredValue(.null)
    }
}

// MARK: - Optionals

extension Optional: _Persistable where Wrapped: _OptionalPersistable {
    public static var _shape: _PropertyShape { Wrapped._optionalShape }

    public static func _zeroValue() -> Wrapped? { nil }

    public static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Wrapped? {
        Wrapped._optionalFromStored(stored, links)
    }

    public func _toStored(_ links: _ClassAccess?) -> _StoredValue {
        Wrapped._optionalToStored(self, links)
    }

    @inlinable
    public static func _readManaged(_ object: ObjectBase, _ column: Int) -> Wrapped? {
        Wrapped._readManagedOptional(object, column)
    }

    public static func _writeManaged(_ object: ObjectBase, _ column: Int, _ value: Wrapped?) {
        Wrapped._writeManagedOptional(object, column, value)
    }

    public static func _tracing(_ recorder: _PathRecorder) -> Wrapped? {
        Wrapped._optionalTracing(recorder)
    }
}

extension Optional: RealmCollectionValue where Wrapped: _OptionalPersistable & RealmCollectionValue {}

/// What a collection can hold: scalars, optional scalars, objects and embedded objects; in a map optional objects.
///
/// ```swift
/// func names<C: RealmCollection>(in dogs: C) -> [String] where C.Element == Dog { dogs.map(\.name) }
/// ```
public protocol RealmCollectionValue: Hashable, _Persistable {
    /// An element of a managed list, read where it lies; nil where that takes more than a look.
    static func _inlinedElement(_ cursor: UnsafeMutablePointer<_ListCursor>, _ position: Int) -> Self?

    /// Whether this is a class of objects, so that a loop hands out accessors.
    static func _isObject() -> Bool
}

// MARK: - What a type may additionally be used for

/// A type that `@Persisted(primaryKey: true)` accepts: integers, String, ObjectId, UUID and their optionals.
public protocol _PrimaryKey {}

/// A type that `@Persisted(indexed: true)` accepts: integers, Bool, String, Date, ObjectId, UUID and their optionals, and
/// AnyRealmValue.
public protocol _Indexable {}

extension Optional: _PrimaryKey where Wrapped: _OptionalPersistable & _PrimaryKey {}
extension Optional: _Indexable where Wrapped: _OptionalPersistable & _Indexable {}

/// A type that `min(of:)` and `max(of:)` accept: numbers and dates.
public protocol MinMaxType: _PersistableScalar {}

/// A type that `sum(of:)` and `average(of:)` accept: numbers.
public protocol AddableType: _PersistableScalar {}
