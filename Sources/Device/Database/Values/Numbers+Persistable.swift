import CausewayModel

// The numbers that `@Persisted` accepts beside Int and Double, whose reads are inlined in Objects/InlinedReads.swift.
// Every integer is stored in 64 bits: a property may become wider later without touching the file.

extension _PersistableScalar where Self: FixedWidthInteger {
    /// What values of this type are stored as.
    public static var _scalarType: _ScalarType { _ScalarType(.int) }

    /// What a property holds that was declared without a default.
    public static func _zeroValue() -> Self { 0 }

    /// Nil too when the stored number does not fit: a value of another width is never silently cut.
    public init?(_stored: _StoredValue) {
        guard case .int(let number) = _stored.value else { return nil }
        self.init(exactly: number)
    }

    /// The value as the store holds it.
    public var _stored: _StoredValue { _StoredValue(.int(Int64(self))) }
}

extension Int8: _PersistableScalar, _PrimaryKey, _Indexable, MinMaxType, AddableType {}
extension Int16: _PersistableScalar, _PrimaryKey, _Indexable, MinMaxType, AddableType {}
extension Int32: _PersistableScalar, _PrimaryKey, _Indexable, MinMaxType, AddableType {}
extension Int64: _PersistableScalar, _PrimaryKey, _Indexable, MinMaxType, AddableType {}

extension Float: _PersistableScalar, MinMaxType, AddableType {
    /// What values of this type are stored as.
    public static var _scalarType: _ScalarType { _ScalarType(.float) }

    /// What a property holds that was declared without a default.
    public static func _zeroValue() -> Float { 0 }

    /// The value that the store holds; nil for one that this type has no value for.
    public init?(_stored: _StoredValue) {
        guard case .float(let number) = _stored.value else { return nil }
        self = number
    }

    /// The value as the store holds it.
    public var _stored: _StoredValue { _StoredValue(.float(self)) }
}
