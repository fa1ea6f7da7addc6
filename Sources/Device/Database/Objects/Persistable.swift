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
    package var type: StoredType

    package init(_ type: StoredType) {
        self.type = type
    }
}

/// What a Swift type asks of the schema, before the property has a name.
public struct _PropertyShape: Sendable {
    package var type: StoredType
    package var collection: CollectionKind
    package var isOptional: Bool
    /// The class that links of this type lead to.
    package var target: ObjectBase.Type?
    /// An inverse relation: computed from the links of `target`, never stored.
    package var isInverse: Bool
    /// An embedded object that the app sees as a value of a type of its own.
    package var isMapped: Bool
    /// An integer that writers add to.
    package var isCounter = false
    /// A string whose edits merge by character.
    package var isText = false

    package init(
        _ type: StoredType,
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
    /// What a property of this type asks of the schema.
    static var _shape: _PropertyShape { get }

    /// What a property that was declared without a default holds at first.
    static func _zeroValue() -> Self

    /// The value that the store holds, as this type. `links` is the class that links lead to.
    static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self

    /// The value as the store holds it; links are resolved in `links`, where unmanaged objects are added.
    func _toStored(_ links: _ClassAccess?) -> _StoredValue

    /// Reads the property of a managed object; the types that are read often replace it by an inlined path.
    static func _readManaged(_ object: ObjectBase, _ column: Int) -> Self

    /// Writes the property of a managed object.
    static func _writeManaged(_ object: ObjectBase, _ column: Int, _ value: Self)

    /// The value that a managed object keeps from its first read on (collections), or nil when each read is fresh.
    static func _cachesManagedValue() -> Bool

    /// Takes over what `value` holds when its unmanaged owner becomes managed.
    static func _adopt(_ value: Self, _ object: ObjectBase, _ column: Int)

    /// A value whose own properties continue the recorded path.
    static func _tracing(_ recorder: _PathRecorder) -> Self
}

extension _Persistable {
    /// Whether a managed object keeps the value from its first read on.
    @inlinable
    public static func _cachesManagedValue() -> Bool { false }

    /// Takes over what an unmanaged value holds when its owner becomes managed.
    public static func _adopt(_ value: Self, _ object: ObjectBase, _ column: Int) {}

    /// A value whose own properties continue the recorded path.
    public static func _tracing(_ recorder: _PathRecorder) -> Self { _zeroValue() }

    /// Reads the property of a managed object.
    public static func _readManaged(_ object: ObjectBase, _ column: Int) -> Self {
        let access = object._checkedAccess()
        return _fromStored(_StoredValue(access.value(object._key, column)), access.target(column))
    }

    /// Writes the property of a managed object.
    public static func _writeManaged(_ object: ObjectBase, _ column: Int, _ value: Self) {
        let access = object._writableAccess()
        access.write(object._key, column, value._toStored(access.target(column)).value)
    }
}

/// A type whose optional `@Persisted` can hold too.
public protocol _OptionalPersistable: _Persistable {
    /// What an optional property of this type asks of the schema.
    static var _optionalShape: _PropertyShape { get }
    /// The value that the store holds, or nil for null.
    static func _optionalFromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self?
    /// The value as the store holds it, null for nil.
    static func _optionalToStored(_ value: Self?, _ links: _ClassAccess?) -> _StoredValue
    /// Reads the optional property of a managed object.
    static func _readManagedOptional(_ object: ObjectBase, _ column: Int) -> Self?
    /// Writes the optional property of a managed object.
    static func _writeManagedOptional(_ object: ObjectBase, _ column: Int, _ value: Self?)
    /// A value whose own properties continue the recorded path.
    static func _optionalTracing(_ recorder: _PathRecorder) -> Self?
}

extension _OptionalPersistable {
    /// Reads the optional property of a managed object.
    public static func _readManagedOptional(_ object: ObjectBase, _ column: Int) -> Self? {
        let access = object._checkedAccess()
        return _optionalFromStored(_StoredValue(access.value(object._key, column)), access.target(column))
    }

    /// Writes the optional property of a managed object.
    public static func _writeManagedOptional(_ object: ObjectBase, _ column: Int, _ value: Self?) {
        let access = object._writableAccess()
        access.write(object._key, column, _optionalToStored(value, access.target(column)).value)
    }

    /// A value whose own properties continue the recorded path.
    public static func _optionalTracing(_ recorder: _PathRecorder) -> Self? { _tracing(recorder) }
}

/// A type that is one value of the model: it says which, and converts both ways. Everything else follows.
public protocol _PersistableScalar: _OptionalPersistable, _SnapshotValue {
    /// What values of this type are stored as.
    static var _scalarType: _ScalarType { get }

    /// Nil when the stored value is null or of another type.
    init?(_stored: _StoredValue)

    /// The value as the store holds it.
    var _stored: _StoredValue { get }
}

extension _PersistableScalar {
    /// What a property of this type asks of the schema.
    public static var _shape: _PropertyShape { _PropertyShape(_scalarType.type) }

    /// What an optional property of this type asks of the schema.
    public static var _optionalShape: _PropertyShape { _PropertyShape(_scalarType.type, isOptional: true) }

    /// The value that the store holds, as this type.
    public static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self {
        guard let value = Self(_stored: stored) else {
            misuse("Invalid stored value '\(stored.value)' for a property of type '\(Self.self)'.")
        }
        return value
    }

    /// The value as the store holds it.
    public func _toStored(_ links: _ClassAccess?) -> _StoredValue { _stored }

    // No scalar leads anywhere, so none asks where to.

    /// Reads the property of a managed object.
    public static func _readManaged(_ object: ObjectBase, _ column: Int) -> Self {
        let access = object._checkedAccess()
        return _fromStored(_StoredValue(access.value(object._key, column)), nil)
    }

    /// Reads the optional property of a managed object.
    public static func _readManagedOptional(_ object: ObjectBase, _ column: Int) -> Self? {
        let access = object._checkedAccess()
        return _optionalFromStored(_StoredValue(access.value(object._key, column)), nil)
    }

    /// Writes the property of a managed object.
    public static func _writeManaged(_ object: ObjectBase, _ column: Int, _ value: Self) {
        object._writableAccess().write(object._key, column, value._stored.value)
    }

    /// Writes the optional property of a managed object.
    public static func _writeManagedOptional(_ object: ObjectBase, _ column: Int, _ value: Self?) {
        object._writableAccess().write(object._key, column, value?._stored.value ?? .null)
    }

    /// The value that the store holds, or nil for null.
    public static func _optionalFromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self? {
        Self(_stored: stored)
    }

    /// The value as the store holds it, null for nil.
    public static func _optionalToStored(_ value: Self?, _ links: _ClassAccess?) -> _StoredValue {
        value?._stored ?? _StoredValue(.null)
    }
}

// MARK: - Optionals

extension Optional: _Persistable where Wrapped: _OptionalPersistable {
    /// What a property of this type asks of the schema.
    public static var _shape: _PropertyShape { Wrapped._optionalShape }

    /// What a property holds that was declared without a default.
    public static func _zeroValue() -> Wrapped? { nil }

    /// The value that the store holds, as this type.
    public static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Wrapped? {
        Wrapped._optionalFromStored(stored, links)
    }

    /// The value as the store holds it.
    public func _toStored(_ links: _ClassAccess?) -> _StoredValue {
        Wrapped._optionalToStored(self, links)
    }

    /// Reads the property of a managed object.
    @inlinable
    public static func _readManaged(_ object: ObjectBase, _ column: Int) -> Wrapped? {
        Wrapped._readManagedOptional(object, column)
    }

    /// Writes the property of a managed object.
    public static func _writeManaged(_ object: ObjectBase, _ column: Int, _ value: Wrapped?) {
        Wrapped._writeManagedOptional(object, column, value)
    }

    /// A value whose own properties continue the recorded path.
    public static func _tracing(_ recorder: _PathRecorder) -> Wrapped? {
        Wrapped._optionalTracing(recorder)
    }
}

extension Optional: RealmCollectionValue where Wrapped: _OptionalPersistable & RealmCollectionValue {}

/// What a collection can hold: scalars, optional scalars, objects and embedded objects; in a map optional objects.
///
/// ```swift
/// func first<Element: RealmCollectionValue>(_ list: List<Element>) -> Element? { list.first }
/// print(first(person.dogs)?.name ?? "", first(person.nicknames) ?? "")
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

/// What an aggregate can give.
public protocol _AggregateType: _Persistable {
    /// The value that an aggregate found, as this type; nil where it is of another.
    ///
    /// - Parameter links: any class of the Realm in which links lead somewhere.
    static func _aggregated(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self?
}

extension _PersistableScalar {
    /// The value that an aggregate found, as this type; nil where it is of another.
    public static func _aggregated(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self? { Self(_stored: stored) }
}

/// A type that `min(of:)` and `max(of:)` accept: numbers, dates and mixed values.
///
/// ```swift
/// func youngest<T: MinMaxType>(_ property: KeyPath<Dog, T>) -> T? { dogs.min(of: property) }
/// let age = youngest(\.age)
/// ```
public protocol MinMaxType: _AggregateType {}

/// A type that `sum(of:)` and `average(of:)` accept: numbers and mixed values.
///
/// ```swift
/// func total<T: AddableType>(_ property: KeyPath<Dog, T>) -> T { dogs.sum(of: property) }
/// let years = total(\.age)
/// ```
public protocol AddableType: _AggregateType {}
