import CausewayModel

/// A type of the app that is stored as another type, without loss in either direction.
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
/// and accept values of both types. If some persisted values are invalid, use `FailableCustomPersistable`.
public protocol CustomPersistable: _CustomPersistable {
    /// Creates the value from the stored one. It may be called many times for one property.
    init(persistedValue: PersistedType)
}

/// A type of the app that is stored as another type, where some stored values may be invalid.
///
/// ```swift
/// extension URL: FailableCustomPersistable {
///     public init?(persistedValue: String) { self.init(string: persistedValue) }
///     public var persistableValue: String { absoluteString }
/// }
/// class Club: Object { @Persisted var url: URL? }
/// ```
///
/// If the initialiser returns nil, an optional property reads as nil, and any other property stops the program.
public protocol FailableCustomPersistable: _CustomPersistable {
    /// Creates the value from the stored one; nil if that is invalid.
    init?(persistedValue: PersistedType)
}

/// The common base of `CustomPersistable` and `FailableCustomPersistable`. Apps conform to one of those.
public protocol _CustomPersistable: _OptionalPersistable, _SnapshotValue, MinMaxType, AddableType, _QueryNumeric {
    /// The type that is stored: a scalar or an embedded object.
    associatedtype PersistedType: _OptionalPersistable & RealmCollectionValue

    /// The value to store.
    var persistableValue: PersistedType { get }

    /// Converts a persisted value to this type; nil if it is invalid.
    static func _custom(_ persisted: PersistedType) -> Self?

    /// Whether two persisted values are the same value of this type.
    static func _isSame(_ left: PersistedType, _ right: PersistedType) -> Bool

    /// Feeds a persisted value to a hasher.
    static func _hash(_ value: PersistedType, into hasher: inout Hasher)
}

extension CustomPersistable {
    /// Converts a persisted value to this type; nil if it is invalid.
    public static func _custom(_ persisted: PersistedType) -> Self? { Self(persistedValue: persisted) }
}

extension FailableCustomPersistable {
    /// Converts a persisted value to this type; nil if it is invalid.
    public static func _custom(_ persisted: PersistedType) -> Self? { Self(persistedValue: persisted) }
}

// Elements of collections must be comparable. By default two values are equal when their stored values are.
extension _CustomPersistable {
    /// Two values are equal when their stored values are.
    public static func == (left: Self, right: Self) -> Bool {
        _isSame(left.persistableValue, right.persistableValue)
    }

    /// Feeds the stored value to a hasher.
    public func hash(into hasher: inout Hasher) { Self._hash(persistableValue, into: &hasher) }

    /// The stored form of the value; nil for one that is stored as an object.
    var scalarValue: Value? { Self._shape.isMapped ? nil : _toStored(nil).value }

    /// The object that holds the parts of the value; nil for a scalar.
    var embeddedObject: EmbeddedObject? { persistableValue as? EmbeddedObject }

    /// Converts an embedded object to this type; nil for an object of another class and for an invalid one.
    static func value(of object: ObjectBase) -> Any? {
        (object as? PersistedType).flatMap { _custom($0) }
    }

    fileprivate static func defaulted(_ persisted: PersistedType) -> Self {
        guard let value = _custom(persisted) else {
            misuse(
                "Failed to default construct a \(Self.self) using the default value for persisted type "
                    + "\(PersistedType.self). This conversion must either succeed, the property must be optional, or you "
                    + "must explicitly specify a default value for the property.")
        }
        return value
    }

    fileprivate static func required(_ persisted: PersistedType) -> Self {
        guard let value = _custom(persisted) else {
            let reason = (Self.self as? any PersistableAsJSON.Type)?.failure(of: persisted).map { " \($0)" } ?? ""
            misuse(
                "Failed to convert persisted value '\(persisted)' to type '\(Self.self)' in a non-optional context.\(reason)"
            )
        }
        return value
    }
}

// MARK: - Stored as a scalar

extension _CustomPersistable where PersistedType: _PersistableScalar {
    /// The schema of a property of this type.
    public static var _shape: _PropertyShape { PersistedType._shape }

    /// The schema of an optional property of this type.
    public static var _optionalShape: _PropertyShape { PersistedType._optionalShape }

    /// The initial value of a property declared without a default.
    public static func _zeroValue() -> Self { defaulted(PersistedType._zeroValue()) }

    /// Converts a stored value to this type.
    public static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self {
        required(PersistedType._fromStored(stored, nil))
    }

    /// The stored form of the value.
    public func _toStored(_ links: _ClassAccess?) -> _StoredValue { persistableValue._stored }

    /// Converts a stored value to this type; nil for null.
    public static func _optionalFromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self? {
        PersistedType(_stored: stored).flatMap(_custom)
    }

    /// Converts the value to its stored form; null for nil.
    public static func _optionalToStored(_ value: Self?, _ links: _ClassAccess?) -> _StoredValue {
        value?._toStored(nil) ?? _StoredValue(.null)
    }

    /// The value that an aggregate found, as this type; nil where none is stored as it.
    public static func _aggregated(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self? {
        guard let value = stored.value.converted(to: _shape.type, isOptional: false) else { return nil }
        return _optionalFromStored(_StoredValue(value), nil)
    }

    /// Whether two persisted values stand for the same value.
    public static func _isSame(_ left: PersistedType, _ right: PersistedType) -> Bool { left == right }

    /// Feeds a persisted value to a hasher.
    public static func _hash(_ value: PersistedType, into hasher: inout Hasher) { hasher.combine(value) }
}

extension _CustomPersistable where PersistedType: _PersistableScalar {
    /// Any valid value, for reading key paths through it. The zero value may be invalid for a failable type, so several
    /// likely values are tried. Stops the program when none is valid.
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
    /// The schema of a property of this type.
    public static var _shape: _PropertyShape { _optionalShape }

    /// The schema of an optional property of this type.
    public static var _optionalShape: _PropertyShape {
        _PropertyShape(.object, isOptional: true, target: PersistedType.self, isMapped: true)
    }

    /// The initial value of a property declared without a default.
    public static func _zeroValue() -> Self { defaulted(PersistedType()) }

    /// Converts a stored value to this type. A missing object reads as a new one, because the property is not optional.
    public static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self {
        required(PersistedType._optionalFromStored(stored, links) ?? PersistedType())
    }

    /// The stored form of the value.
    public func _toStored(_ links: _ClassAccess?) -> _StoredValue { persistableValue._toStored(links) }

    /// Objects have no aggregates.
    public static func _aggregated(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self? { nil }

    /// Writes the property of a managed object.
    public static func _writeManaged(_ object: ObjectBase, _ column: Int, _ value: Self) {
        PersistedType._writeManagedOptional(object, column, value.persistableValue)
    }

    /// Writes the optional property of a managed object.
    public static func _writeManagedOptional(_ object: ObjectBase, _ column: Int, _ value: Self?) {
        PersistedType._writeManagedOptional(object, column, value?.persistableValue)
    }

    /// The value that the store holds, or nil for null.
    public static func _optionalFromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self? {
        PersistedType._optionalFromStored(stored, links).flatMap(_custom)
    }

    /// Converts the value to its stored form; null for nil.
    public static func _optionalToStored(_ value: Self?, _ links: _ClassAccess?) -> _StoredValue {
        value?._toStored(links) ?? _StoredValue(.null)
    }

    /// Whether two persisted values are the same value of this type.
    public static func _isSame(_ left: PersistedType, _ right: PersistedType) -> Bool {
        left.scalarValues == right.scalarValues
    }

    /// Feeds a persisted value to a hasher.
    public static func _hash(_ value: PersistedType, into hasher: inout Hasher) {
        hasher.combine(value.scalarValues)
    }
}

extension EmbeddedObject {
    /// The values of all scalar properties in the order of the class. Mapped values are compared by them.
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
