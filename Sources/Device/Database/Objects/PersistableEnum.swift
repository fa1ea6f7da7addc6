/// An enumeration that is stored as its raw value.
///
/// ```swift
/// enum Status: String, PersistableEnum { case notStarted, inProgress, complete }
/// class Task: Object { @Persisted var status = Status.notStarted }
/// ```
///
/// A stored raw value without a case reads as nil in an optional property. In other properties it stops the program.
public protocol PersistableEnum: _StoredAsRawValue, CaseIterable, Comparable, SortableType,
    MinMaxType, _QueryNumeric
where RawValue: Comparable {}

extension PersistableEnum {
    /// The initial value of a property declared without a default.
    public static func _zeroValue() -> Self {
        guard let first = allCases.first else { misuse("Enumeration '\(Self.self)' has no cases to start from.") }
        return first
    }

    /// The order of the raw values.
    ///
    /// ```swift
    /// enum Size: Int, PersistableEnum, Comparable { case small, large }
    /// Size.small < Size.large    // true
    /// ```
    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// An enumeration that a property can hold: `PersistableEnum` or `RealmEnum`.
public protocol _StoredAsRawValue: _PersistableScalar, RawRepresentable where RawValue: _PersistableScalar {}

extension _StoredAsRawValue {
    /// The type that values of this type are stored as.
    public static var _scalarType: _ScalarType { RawValue._scalarType }

    /// Converts a stored value to this type; nil for null and for a value that this type lacks.
    public init?(_stored: _StoredValue) {
        guard let rawValue = RawValue(_stored: _stored) else { return nil }
        self.init(rawValue: rawValue)
    }

    /// The stored form of the value.
    public var _stored: _StoredValue { rawValue._stored }
}
