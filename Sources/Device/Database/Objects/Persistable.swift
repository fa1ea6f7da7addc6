package import CausewayModel

// How Swift types convert to stored properties and back.
//
//     _Persistable            anything `@Persisted` accepts
//     ├─ _OptionalPersistable its optional is accepted as well
//     │  ├─ _PersistableScalar one value of the model: numbers, strings, dates, ids, enums
//     │  ├─ _CustomPersistable an app's own type, stored as a scalar or an embedded object
//     │  └─ _PersistableObject links and embedded objects
//     └─ List, MutableSet, Map, LinkingObjects
//
// The protocols are public only because `@Persisted` and the collections are generic over them. Apps do not implement
// them.

/// A value on its way between a property and the store.
public struct _StoredValue: Sendable {
    package var value: Value

    package init(_ value: Value) {
        self.value = value
    }
}

/// The stored type of a scalar.
public struct _ScalarType: Sendable {
    package var type: StoredType

    package init(_ type: StoredType) {
        self.type = type
    }
}

/// The schema of a property of a Swift type, without the property's name.
public struct _PropertyShape: Sendable {
    package var type: StoredType
    package var collection: CollectionKind
    package var isOptional: Bool
    /// The target class of links of this type.
    package var target: ObjectBase.Type?
    /// An inverse relation: computed from the links of `target`, never stored.
    package var isInverse: Bool
    /// An embedded object that the app reads as a value of a `CustomPersistable` type.
    package var isMapped: Bool
    /// An integer whose increments add up when they merge.
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
    /// The schema of a property of this type.
    static var _shape: _PropertyShape { get }

    /// The initial value of a property declared without a default.
    static func _zeroValue() -> Self

    /// Converts a stored value to this type. `links` is the class that links lead to.
    static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self

    /// Converts the value to its stored form. Links are resolved in `links`, where unmanaged objects are added.
    func _toStored(_ links: _ClassAccess?) -> _StoredValue

    /// Reads the property of a managed object. The most frequent types replace it by an inlined path.
    static func _readManaged(_ object: ObjectBase, _ column: Int) -> Self

    /// Writes the property of a managed object.
    static func _writeManaged(_ object: ObjectBase, _ column: Int, _ value: Self)

    /// Whether a managed object keeps the value from its first read on, as for collections. False by default.
    static func _cachesManagedValue() -> Bool

    /// Moves the content of `value` into the row when its unmanaged owner becomes managed.
    static func _adopt(_ value: Self, _ object: ObjectBase, _ column: Int)

    /// A value whose properties continue the recorded key path.
    static func _tracing(_ recorder: _PathRecorder) -> Self
}

extension _Persistable {
    /// False: each read is fresh.
    @inlinable
    public static func _cachesManagedValue() -> Bool { false }

    /// Does nothing: only collections and texts have content to move.
    public static func _adopt(_ value: Self, _ object: ObjectBase, _ column: Int) {}

    /// A value whose properties continue the recorded key path.
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
    /// The schema of an optional property of this type.
    static var _optionalShape: _PropertyShape { get }
    /// Converts a stored value to this type; nil for null.
    static func _optionalFromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self?
    /// Converts the value to its stored form; null for nil.
    static func _optionalToStored(_ value: Self?, _ links: _ClassAccess?) -> _StoredValue
    /// Reads the optional property of a managed object.
    static func _readManagedOptional(_ object: ObjectBase, _ column: Int) -> Self?
    /// Writes the optional property of a managed object.
    static func _writeManagedOptional(_ object: ObjectBase, _ column: Int, _ value: Self?)
    /// A value whose properties continue the recorded key path.
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

    /// A value whose properties continue the recorded key path.
    public static func _optionalTracing(_ recorder: _PathRecorder) -> Self? { _tracing(recorder) }
}

/// A type that is stored as one value of the model. It names the stored type and converts both ways; the rest has
/// default implementations.
public protocol _PersistableScalar: _OptionalPersistable, _SnapshotValue {
    /// The type that values of this type are stored as.
    static var _scalarType: _ScalarType { get }

    /// Converts a stored value to this type; nil for null and for a value of another type.
    init?(_stored: _StoredValue)

    /// The stored form of the value.
    var _stored: _StoredValue { get }
}

extension _PersistableScalar {
    /// The schema of a property of this type.
    public static var _shape: _PropertyShape { _PropertyShape(_scalarType.type) }

    /// The schema of an optional property of this type.
    public static var _optionalShape: _PropertyShape { _PropertyShape(_scalarType.type, isOptional: true) }

    /// Converts a stored value to this type.
    public static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self {
        guard let value = Self(_stored: stored) else {
            misuse("Invalid stored value '\(stored.value)' for a property of type '\(Self.self)'.")
        }
        return value
    }

    /// The stored form of the value.
    public func _toStored(_ links: _ClassAccess?) -> _StoredValue { _stored }

    // Scalars are no links, so these need no target class.

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

    /// Converts a stored value to this type; nil for null.
    public static func _optionalFromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self? {
        Self(_stored: stored)
    }

    /// Converts the value to its stored form; null for nil.
    public static func _optionalToStored(_ value: Self?, _ links: _ClassAccess?) -> _StoredValue {
        value?._stored ?? _StoredValue(.null)
    }
}

// MARK: - Optionals

extension Optional: _Persistable where Wrapped: _OptionalPersistable {
    /// The schema of a property of this type.
    public static var _shape: _PropertyShape { Wrapped._optionalShape }

    /// The initial value of a property declared without a default.
    public static func _zeroValue() -> Wrapped? { nil }

    /// Converts a stored value to this type.
    public static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Wrapped? {
        Wrapped._optionalFromStored(stored, links)
    }

    /// The stored form of the value.
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

    /// A value whose properties continue the recorded key path.
    public static func _tracing(_ recorder: _PathRecorder) -> Wrapped? {
        Wrapped._optionalTracing(recorder)
    }
}

extension Optional: RealmCollectionValue where Wrapped: _OptionalPersistable & RealmCollectionValue {}

/// A type that a collection can hold: a scalar, an optional scalar, an object or an embedded object. In a map, an
/// optional object.
///
/// ```swift
/// func first<Element: RealmCollectionValue>(_ list: List<Element>) -> Element? { list.first }
/// print(first(person.dogs)?.name ?? "", first(person.nicknames) ?? "")
/// ```
public protocol RealmCollectionValue: Hashable, _Persistable {
    /// Reads an element of a managed list in place; nil when the inlined path cannot read it.
    static func _inlinedElement(_ cursor: UnsafeMutablePointer<_ListCursor>, _ position: Int) -> Self?

    /// Whether this is a class of objects, for which a loop returns accessors.
    static func _isObject() -> Bool
}

// MARK: - What a type may additionally be used for

/// A type that `@Persisted(primaryKey: true)` accepts: integers, String, ObjectId, UUID and their optionals.
public protocol _PrimaryKey {}

/// A type that `@Persisted(indexed: true)` accepts: integers, Bool, String, Date, Duration, ObjectId, UUID, the
/// optionals of these, Counter, and AnyRealmValue.
public protocol _Indexable {}

extension Optional: _PrimaryKey where Wrapped: _OptionalPersistable & _PrimaryKey {}
extension Optional: _Indexable where Wrapped: _OptionalPersistable & _Indexable {}

/// A type that an aggregate can return.
public protocol _AggregateType: _Persistable {
    /// Converts the result of an aggregate to this type; nil for a value of another type.
    ///
    /// - Parameter links: Any class of the Realm, for resolving links.
    static func _aggregated(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self?
}

extension _PersistableScalar {
    /// Converts the result of an aggregate to this type; nil for a value of another type.
    public static func _aggregated(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self? { Self(_stored: stored) }
}

/// A type that `min(of:)` and `max(of:)` accept: numbers, dates, durations, mixed values,
/// enumerations, and types that are stored as one of these.
///
/// ```swift
/// func youngest<T: MinMaxType>(_ property: KeyPath<Dog, T>) -> T? { dogs.min(of: property) }
/// let age = youngest(\.age)
/// ```
public protocol MinMaxType: _AggregateType {}

/// A type that `sum(of:)` and `average(of:)` accept: numbers, durations, mixed values, and types
/// that are stored as one of these.
///
/// ```swift
/// func total<T: AddableType>(_ property: KeyPath<Dog, T>) -> T { dogs.sum(of: property) }
/// let years = total(\.age)
/// ```
public protocol AddableType: _AggregateType {}
