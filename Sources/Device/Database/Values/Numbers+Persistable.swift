import CausewayModel

// The numbers that `@Persisted` accepts beside Int and Double, whose reads are inlined in Objects/InlinedReads.swift.
// Every integer is stored in 64 bits: a property may become wider later without touching the file.

extension _PersistableScalar where Self: FixedWidthInteger {
    /// The type that values of this type are stored as.
    public static var _scalarType: _ScalarType { _ScalarType(.int) }

    /// The initial value of a property declared without a default.
    public static func _zeroValue() -> Self { 0 }

    /// Converts a stored value to this type; nil also for a number that does not fit. Numbers are never cut silently.
    public init?(_stored: _StoredValue) {
        guard case .int(let number) = _stored.value else { return nil }
        self.init(exactly: number)
    }

    /// The stored form of the value.
    public var _stored: _StoredValue { _StoredValue(.int(Int64(self))) }
}

extension Int8: _PersistableScalar, _PrimaryKey, _Indexable, MinMaxType, AddableType {}
extension Int16: _PersistableScalar, _PrimaryKey, _Indexable, MinMaxType, AddableType {}
extension Int32: _PersistableScalar, _PrimaryKey, _Indexable, MinMaxType, AddableType {}
extension Int64: _PersistableScalar, _PrimaryKey, _Indexable, MinMaxType, AddableType {}

extension Float: _PersistableScalar, MinMaxType, AddableType {
    /// The type that values of this type are stored as.
    public static var _scalarType: _ScalarType { _ScalarType(.float) }

    /// The initial value of a property declared without a default.
    public static func _zeroValue() -> Float { 0 }

    /// Converts a stored value to this type; nil for null and for a value of another type.
    public init?(_stored: _StoredValue) {
        guard case .float(let number) = _stored.value else { return nil }
        self = number
    }

    /// The stored form of the value.
    public var _stored: _StoredValue { _StoredValue(.float(self)) }
}
