/// Declares a property of an object that the Realm stores.
///
/// ```swift
/// class Dog: Object {
///     @Persisted(primaryKey: true) var id: ObjectId
///     @Persisted(indexed: true) var name = ""
///     @Persisted var age: Int
///     @Persisted var favoriteToy: DogToy?
///     @Persisted var citiesVisited: List<String>
/// }
/// ```
///
/// A property without a default starts at its type's zero value; `ObjectId` and `UUID` start at a new random value.
/// As soon as a class declares one persisted property, its properties without `@Persisted` are ignored.
///
/// - Complexity: Reading a number or Bool of a managed object costs a few nanoseconds and allocates nothing. Reading
///   another type costs its conversion. Reading a link creates an accessor for the target.
@propertyWrapper
@frozen
public struct Persisted<Value: _Persistable> {
    /// The column while the object is managed, else -1. Reading a managed value loads nothing else from the wrapper.
    @usableFromInline var column: Int32 = -1
    @usableFromInline var storage: _PersistedStorage<Value>

    @inlinable
    init(storage: _PersistedStorage<Value>) {
        self.storage = storage
    }

    /// Declares a property that starts at its type's zero value.
    @inlinable
    public init() {
        storage = .zero(flags: 0)
    }

    /// Declares a property that starts at the given default.
    @inlinable
    public init(wrappedValue: Value) {
        storage = .unmanaged(wrappedValue, flags: 0)
    }

    // No access to the wrapper lasts longer than one load or store. An optimising compiler sees so in the app's module, and
    // checks none of them for exclusivity, which took up to two fifths of a read.

    /// Reads or writes the property of the object it belongs to.
    @inlinable
    public static subscript<EnclosingSelf: ObjectBase, FinalValue>(
        _enclosingInstance object: EnclosingSelf,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, FinalValue>,
        storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Self>
    ) -> Value {
        // Inlining makes the key path a constant, so that reading through it is one load from the object.
        @inline(__always)
        get {
            let column = object[keyPath: storageKeyPath].column
            if column >= 0, !Value._cachesManagedValue() { return Value._readManaged(object, Int(column)) }
            switch object[keyPath: storageKeyPath].storage {
            case .managed(let column):
                let value = Value._readManaged(object, Int(column))
                if object._beginsToCache() {
                    object[keyPath: storageKeyPath].storage = .managedCached(value, column)
                }
                return value
            case .managedCached(let value, _), .unmanaged(let value, _): return value
            case .zero(let flags):
                let value = Value._zeroValue()
                object[keyPath: storageKeyPath].storage = .unmanaged(value, flags: flags)
                return value
            case .tracing(let recorder, let position): return _trace(recorder, position)
            }
        }
        @inline(__always)
        set {
            let column = object[keyPath: storageKeyPath].column
            if column >= 0 {
                Value._writeManaged(object, Int(column), newValue)
            } else if let flags = object[keyPath: storageKeyPath].storage._ownFlags {
                object[keyPath: storageKeyPath].storage = .unmanaged(newValue, flags: flags)
            }
        }
    }

    /// Sets the property of an unmanaged object.
    mutating func assign(_ value: Value) {
        if let flags = storage._ownFlags { storage = .unmanaged(value, flags: flags) }
    }

    /// The value of a property of an object that records which properties a key path visits.
    @usableFromInline
    static func _trace(_ recorder: Unmanaged<_PathRecorder>, _ position: Int32) -> Value {
        let recorder = recorder.takeUnretainedValue()
        recorder.visit(position)
        return Value._tracing(recorder)
    }

    /// Unavailable: the property needs the object around it.
    @available(*, unavailable, message: "@Persisted can only be used as a property on a Realm object")
    public var wrappedValue: Value {
        get { fatalError("unavailable") }
        set { fatalError("unavailable") }
    }
}

extension Persisted where Value: _PrimaryKey {
    /// Declares the primary key, starting at the type's zero value.
    ///
    /// ```swift
    /// class Tab: Object {
    ///     @Persisted(primaryKey: true) var url: String
    /// }
    /// ```
    public init(primaryKey: Bool) {
        storage = .zero(flags: primaryKey ? PersistedFlags.primaryKey : 0)
    }

    /// Declares the primary key with a default.
    public init(wrappedValue: Value, primaryKey: Bool) {
        storage = .unmanaged(wrappedValue, flags: primaryKey ? PersistedFlags.primaryKey : 0)
    }
}

extension Persisted where Value: _Indexable {
    /// Declares an indexed property, starting at the type's zero value.
    ///
    /// ```swift
    /// class Tab: Object {
    ///     @Persisted(indexed: true) var url: String
    /// }
    /// ```
    ///
    /// An index makes equality, IN, ranges and BEGINSWITH faster. It makes writes a little slower and takes space.
    public init(indexed: Bool) {
        storage = .zero(flags: indexed ? PersistedFlags.indexed : 0)
    }

    /// Declares an indexed property with a default.
    public init(wrappedValue: Value, indexed: Bool) {
        storage = .unmanaged(wrappedValue, flags: indexed ? PersistedFlags.indexed : 0)
    }

    /// Declares a property with an index of the given type, starting at the type's zero value.
    ///
    /// ```swift
    /// class Note: Object {
    ///     @Persisted(indexed: .fullText) var body: String
    /// }
    /// ```
    ///
    /// A full-text index is for strings. It holds the words of each text, so `body TEXT 'rex dog'` does not read the
    /// texts. Opening a Realm that has one on a property of another type throws.
    public init(indexed type: IndexType) {
        storage = .zero(flags: type.flags)
    }

    /// Declares a property with an index of the given type and a default.
    public init(wrappedValue: Value, indexed type: IndexType) {
        storage = .unmanaged(wrappedValue, flags: type.flags)
    }
}

// Enumerations and types of the app's own are keys and indexed as what they are stored as.

extension Persisted where Value: _StoredAsRawValue, Value.RawValue: _PrimaryKey {
    /// Declares the primary key, starting at the type's zero value.
    public init(primaryKey: Bool) { storage = .zero(flags: primaryKey ? PersistedFlags.primaryKey : 0) }

    /// Declares the primary key with a default.
    public init(wrappedValue: Value, primaryKey: Bool) {
        storage = .unmanaged(wrappedValue, flags: primaryKey ? PersistedFlags.primaryKey : 0)
    }
}

extension Persisted where Value: _StoredAsRawValue, Value.RawValue: _Indexable {
    /// Declares an indexed property, starting at the type's zero value.
    public init(indexed: Bool) { storage = .zero(flags: indexed ? PersistedFlags.indexed : 0) }

    /// Declares an indexed property with a default.
    public init(wrappedValue: Value, indexed: Bool) {
        storage = .unmanaged(wrappedValue, flags: indexed ? PersistedFlags.indexed : 0)
    }
}

extension Persisted where Value: _QueryOptional, Value.Wrapped: _StoredAsRawValue, Value.Wrapped.RawValue: _Indexable {
    /// Declares an indexed property, starting at nil.
    public init(indexed: Bool) { storage = .zero(flags: indexed ? PersistedFlags.indexed : 0) }

    /// Declares an indexed property with a default.
    public init(wrappedValue: Value, indexed: Bool) {
        storage = .unmanaged(wrappedValue, flags: indexed ? PersistedFlags.indexed : 0)
    }
}

extension Persisted where Value: _CustomPersistable, Value.PersistedType: _Indexable {
    /// Declares an indexed property, starting at the type's zero value.
    public init(indexed: Bool) { storage = .zero(flags: indexed ? PersistedFlags.indexed : 0) }

    /// Declares an indexed property with a default.
    public init(wrappedValue: Value, indexed: Bool) {
        storage = .unmanaged(wrappedValue, flags: indexed ? PersistedFlags.indexed : 0)
    }
}

extension Persisted where Value: _CustomPersistable, Value.PersistedType: _PrimaryKey {
    /// Declares the primary key, starting at the type's zero value.
    public init(primaryKey: Bool) { storage = .zero(flags: primaryKey ? PersistedFlags.primaryKey : 0) }

    /// Declares the primary key with a default.
    public init(wrappedValue: Value, primaryKey: Bool) {
        storage = .unmanaged(wrappedValue, flags: primaryKey ? PersistedFlags.primaryKey : 0)
    }
}

extension Persisted
where Value: _QueryOptional, Value.Wrapped: _CustomPersistable, Value.Wrapped.PersistedType: _Indexable {
    /// Declares an indexed property, starting at nil.
    public init(indexed: Bool) { storage = .zero(flags: indexed ? PersistedFlags.indexed : 0) }

    /// Declares an indexed property with a default.
    public init(wrappedValue: Value, indexed: Bool) {
        storage = .unmanaged(wrappedValue, flags: indexed ? PersistedFlags.indexed : 0)
    }
}

/// The queries that an index makes faster.
///
/// ```swift
/// class Note: Object {
///     @Persisted(indexed: IndexType.general) var title: String
///     @Persisted(indexed: IndexType.fullText) var body: String
/// }
/// realm.objects(Note.self).where { $0.body.fullText("rex") }
/// ```
public enum IndexType: Sendable {
    /// Equality, IN, ranges and BEGINSWITH. The same as `@Persisted(indexed: true)`.
    case general
    /// TEXT, the search for words in a string.
    case fullText

    fileprivate var flags: UInt8 {
        switch self {
        case .general: PersistedFlags.indexed
        case .fullText: PersistedFlags.fullText
        }
    }
}

extension Persisted where Value: _InverseRelation {
    /// Declares the inverse of a link: the objects whose property `originProperty` links to this one.
    ///
    /// ```swift
    /// class Pet: Object {
    ///     @Persisted(originProperty: "pet") var owners: LinkingObjects<Owner>
    /// }
    /// class Owner: Object { @Persisted var pet: Pet? }
    /// ```
    public init(originProperty: String) {
        storage = .unmanaged(Value(_originProperty: originProperty), flags: 0)
    }
}

/// The value of a property, or where to find it.
///
/// Only the stored values may be nontrivial, so copying the storage of a number does no reference counting.
@frozen
@usableFromInline
enum _PersistedStorage<Value> {
    /// The object is unmanaged, and nobody asked for the value yet.
    case zero(flags: UInt8)
    case unmanaged(Value, flags: UInt8)
    case managed(column: Int32)
    /// The object is managed, and the value is a collection that stays bound to it.
    case managedCached(Value, Int32)
    /// The object records which properties a key path visits. The recorder outlives every object it makes.
    case tracing(Unmanaged<_PathRecorder>, Int32)

    /// The flags of a property that has its value in the object; nil when the value is elsewhere.
    @inlinable var _ownFlags: UInt8? {
        @inline(__always)
        get {
            switch self {
            case .zero(let flags), .unmanaged(_, let flags): flags
            case .managed, .managedCached, .tracing: nil
            }
        }
    }
}

enum PersistedFlags {
    static let primaryKey: UInt8 = 1
    static let indexed: UInt8 = 2
    static let cascade: UInt8 = 4
    static let cascadeWhenLast: UInt8 = 8
    static let fullText: UInt8 = 16
}
