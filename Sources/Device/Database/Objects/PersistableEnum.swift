/// An enumeration that is stored as its raw value.
///
/// ```swift
/// enum Status: String, PersistableEnum { case notStarted, inProgress, complete }
/// class Task: Object { @Persisted var status = Status.notStarted }
/// ```
///
/// A stored raw value that no case has is read as nil by an optional property; a property that is not optional stops.
public protocol PersistableEnum: _PersistableScalar, RawRepresentable, CaseIterable, Comparable
where RawValue: _PersistableScalar & Comparable {}

extension PersistableEnum {
    public static var _scalarType: _ScalarType { RawValue._scalarType }

    public init?(_stored: _StoredValue) {
        guard let rawValue = RawValue(_stored: _stored) else { return nil }
        self.init(rawValue: rawValue)
    }

    public var _stored: _StoredValue { rawValue._stored }

    public static func _zeroValue() -> Self {
        guard let first = allCases.first else { misuse("Enumeration '\(Self.self)' has no cases to start from.") }
        return first
    }

    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue < right.rawValue
    }
}
