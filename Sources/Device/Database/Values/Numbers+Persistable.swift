import CausewayModel

// The numbers that `@Persisted` accepts beside Int and Double, whose reads are inlined in Objects/InlinedReads.swift.
// Every integer is stored in 64 bits: a property may become wider later without touching the file.

extension _PersistableScalar where Self: FixedWidthInteger {
    public static var _scalarType: _ScalarType { _ScalarType(.int) }

    public static func _zeroValue() -> Self { 0 }

    /// Nil too when the stored number does not fit: a value of another width is never silently cut.
    public init?(_stored: _StoredValue) {
        guard case .int(let number) = _stored.value else { return nil }
        self.init(exactly: number)
    }

    public var _stored: _StoredValue { _StoredValue(.int(Int64(self))) }
}

extension Int8: _PersistableScalar, _PrimaryKey, _Indexable, MinMaxType, AddableType {}
extension Int16: _PersistableScalar, _PrimaryKey, _Indexable, MinMaxType, AddableType {}
extension Int32: _PersistableScalar, _PrimaryKey, _Indexable, MinMaxType, AddableType {}
extension Int64: _PersistableScalar, _PrimaryKey, _Indexable, MinMaxType, AddableType {}

extension Float: _PersistableScalar, MinMaxType, AddableType {
    public static var _scalarType: _ScalarType { _ScalarType(.float) }

    public static func _zeroValue() -> Float { 0 }

    public init?(_stored: _StoredValue) {
        guard case .float(let number) = _stored.value else { return nil }
        self = number
    }

    public var _stored: _StoredValue { _StoredValue(.float(self)) }
}
