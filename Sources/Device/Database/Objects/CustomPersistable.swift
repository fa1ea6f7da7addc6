import CausewayModel

/// A type of the app that is stored as another type, in both directions without loss.
///
/// ```swift
/// struct Celsius: CustomPersistable {
///     var degrees: Double
///     init(persistedValue: Double) { degrees = persistedValue }
///     var persistableValue: Double { degrees }
/// }
/// class Reading: Object { @Persisted var temperature: Celsius }
/// ```
///
/// The persisted type is a scalar, or an `EmbeddedObject` for types of several parts. Queries act on the persisted type
/// and take values of either. A type that not every persisted value makes sense for is a `FailableCustomPersistable`.
public protocol CustomPersistable: _CustomPersistable {
    /// Creates the value from what is stored. It may be called many times for one property.
    init(persistedValue: PersistedType)
}

/// A type of the app that is stored as another type, and that not every stored value is one of.
///
/// ```swift
/// extension URL: FailableCustomPersistable {
///     public init?(persistedValue: String) { self.init(string: persistedValue) }
///     public var persistableValue: String { absoluteString }
/// }
/// class Club: Object { @Persisted var url: URL? }
/// ```
///
/// Where the initialiser answers nil an optional property reads nil, and one that is not optional stops the program.
public protocol FailableCustomPersistable: _CustomPersistable {
    /// Creates the value from what is stored, or nil when it is none.
    init?(persistedValue: PersistedType)
}

/// What both kinds of custom types have in common; apps conform to one of those.
public protocol _CustomPersistable: _OptionalPersistable, _SnapshotValue {
    /// The type that is stored: a scalar or an embedded object.
    associatedtype PersistedType: _OptionalPersistable & RealmCollectionValue

    /// The value as it is stored.
    var persistableValue: PersistedType { get }

    /// The value that a persisted one stands for; nil where it stands for none.
    static func _custom(_ persisted: PersistedType) -> Self?

    /// Whether two persisted values stand for the same value.
    static func _isSame(_ left: PersistedType, _ right: PersistedType) -> Bool

    /// Feeds a persisted value to a hasher.
    static func _hash(_ value: PersistedType, into hasher: inout Hasher)
}

extension CustomPersistable {
    /// The value that a persisted one stands for; nil where it stands for none.
    public static func _custom(_ persisted: PersistedType) -> Self? { Self(persistedValue: persisted) }
}

extension FailableCustomPersistable {
    /// The value that a persisted one stands for; nil where it stands for none.
    public static func _custom(_ persisted: PersistedType) -> Self? { Self(persistedValue: persisted) }
}

// Elements of collections are compared; types that say nothing else are equal when they are stored alike.
extension _CustomPersistable {
    /// Two values are equal when they are stored alike.
    public static func == (left: Self, right: Self) -> Bool {
        _isSame(left.persistableValue, right.persistableValue)
    }

    /// Feeds what makes it equal to others to a hasher.
    public func hash(into hasher: inout Hasher) { Self._hash(persistableValue, into: &hasher) }

    /// The value as the store holds it; nil for one that is stored as an object.
    var scalarValue: Value? { Self._shape.isMapped ? nil : _toStored(nil).value }

    /// The object that holds the parts of the value; nil for a scalar.
    var embeddedObject: EmbeddedObject? { persistableValue as? EmbeddedObject }

    /// What an embedded object stands for; nil for an object of another class, or one that stands for nothing.
    static func value(of object: ObjectBase) -> Any? {
        (object as? PersistedType).flatMap { _custom($0) }
    }

    fileprivate static func required(_ persisted: PersistedType) -> Self {
        guard let value = _custom(persisted) else {
            misuse("Failed to convert persisted value '\(persisted)' to type '\(Self.self)' in a non-optional context.")
        }
        return value
    }
}

// MARK: - Stored as a scalar

extension _CustomPersistable where PersistedType: _PersistableScalar {
    /// What a property of this type asks of the schema.
    public static var _shape: _PropertyShape { PersistedType._shape }

    /// What an optional property of this type asks of the schema.
    public static var _optionalShape: _PropertyShape { PersistedType._optionalShape }

    /// What a property holds that was declared without a default.
    public static func _zeroValue() -> Self { required(PersistedType._zeroValue()) }

    /// The value that the store holds, as this type.
    public static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self {
        required(PersistedType._fromStored(stored, nil))
    }

    /// The value as the store holds it.
    public func _toStored(_ links: _ClassAccess?) -> _StoredValue { persistableValue._stored }

    /// The value that the store holds, or nil for null.
    public static func _optionalFromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self? {
        PersistedType(_stored: stored).flatMap(_custom)
    }

    /// The value as the store holds it, null for nil.
    public static func _optionalToStored(_ value: Self?, _ links: _ClassAccess?) -> _StoredValue {
        value?._toStored(nil) ?? _StoredValue(.null)
    }

    /// Whether two persisted values stand for the same value.
    public static func _isSame(_ left: PersistedType, _ right: PersistedType) -> Bool { left == right }

    /// Feeds a persisted value to a hasher.
    public static func _hash(_ value: PersistedType, into hasher: inout Hasher) { hasher.combine(value) }
}

extension _CustomPersistable where PersistedType: _PersistableScalar {
    /// Any value: key paths are read through it, and nobody looks at it. What nothing is stored as is not a value of
    /// every failable type, so likely ones are tried.
    public static func _tracing(_ recorder: _PathRecorder) -> Self {
        let likely: [Value] =
            switch PersistedType._scalarType.type {
            case .string: ["", "a:", "a", "0", "00000000-0000-0000-0000-000000000000", "{}"].map(Value.string)
            case .int: [0, 1].map(Value.int)
            default: [PersistedType._zeroValue()._stored.value]
            }
        for value in likely {
            if let found = _optionalFromStored(_StoredValue(value), nil) { return found }
        }
        misuse(
            "Type '\(Self.self)' has no value for an empty '\(PersistedType.self)': name its properties by text in "
                + "queries, or make them optional.")
    }
}

// MARK: - Stored as an embedded object

extension _CustomPersistable where PersistedType: EmbeddedObject {
    /// What a property of this type asks of the schema.
    public static var _shape: _PropertyShape { _optionalShape }

    /// What an optional property of this type asks of the schema.
    public static var _optionalShape: _PropertyShape {
        _PropertyShape(.object, isOptional: true, target: PersistedType.self, isMapped: true)
    }

    /// What a property holds that was declared without a default.
    public static func _zeroValue() -> Self { required(PersistedType()) }

    /// No object there is the value of a new one: a property that is not optional always has one to show.
    public static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self {
        required(PersistedType._optionalFromStored(stored, links) ?? PersistedType())
    }

    /// The value as the store holds it.
    public func _toStored(_ links: _ClassAccess?) -> _StoredValue { persistableValue._toStored(links) }

    /// The value that the store holds, or nil for null.
    public static func _optionalFromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self? {
        PersistedType._optionalFromStored(stored, links).flatMap(_custom)
    }

    /// The value as the store holds it, null for nil.
    public static func _optionalToStored(_ value: Self?, _ links: _ClassAccess?) -> _StoredValue {
        value?._toStored(links) ?? _StoredValue(.null)
    }

    /// Whether two persisted values stand for the same value.
    public static func _isSame(_ left: PersistedType, _ right: PersistedType) -> Bool {
        left.scalarValues == right.scalarValues
    }

    /// Feeds a persisted value to a hasher.
    public static func _hash(_ value: PersistedType, into hasher: inout Hasher) {
        hasher.combine(value.scalarValues)
    }
}

extension EmbeddedObject {
    /// The values of all properties that hold one, in the order of the class: what equality of mapped types goes by.
    fileprivate final var scalarValues: [Value] {
        let model = ObjectModel.of(type(of: self))
        let access = _header == nil ? nil : _checkedAccess()
        let base = Unmanaged.passUnretained(self).toOpaque()
        return withExtendedLifetime(self) {
            model.properties.filter(\.isScalar).map { property in
                if let access { return access.value(_key, access.column(of: property)) }
                return property.wrapper.scalar(base + property.offset)
            }
        }
    }
}
