/// An enumeration that is stored as its raw value.
///
/// ```swift
/// enum Status: String, PersistableEnum { case notStarted, inProgress, complete }
/// class Task: Object { @Persisted var status = Status.notStarted }
/// ```
///
/// A stored raw value that no case has is read as nil by an optional property; a property that is not optional stops.
public protocol PersistableEnum: _StoredAsRawValue, CaseIterable, Comparable where RawValue: Comparable {}

extension PersistableEnum {
    /// What a property holds that was declared without a default.
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

/// What all enumerations that a property can hold have in common.
public protocol _StoredAsRawValue: _PersistableScalar, RawRepresentable where RawValue: _PersistableScalar {}

extension _StoredAsRawValue {
    /// What values of this type are stored as.
    public static var _scalarType: _ScalarType { RawValue._scalarType }

    /// The value that the store holds; nil for one that this type has no value for.
    public init?(_stored: _StoredValue) {
        guard let rawValue = RawValue(_stored: _stored) else { return nil }
        self.init(rawValue: rawValue)
    }

    /// The value as the store holds it.
    public var _stored: _StoredValue { rawValue._stored }
}
