import CausewayModel
public import Foundation

extension UUID: _PersistableScalar, _PrimaryKey, _Indexable {
    /// The type that values of this type are stored as.
    public static var _scalarType: _ScalarType { _ScalarType(.uuid) }

    /// A new random UUID, so that a primary key needs no code.
    public static func _zeroValue() -> UUID { UUID() }

    /// Converts a stored value to this type; nil for null and for a value of another type.
    public init?(_stored: _StoredValue) {
        guard case .uuid(let identifier) = _stored.value else { return nil }
        self.init(identifier)
    }

    /// The stored form of the value.
    public var _stored: _StoredValue { _StoredValue(.uuid(UUID16(self))) }
}

extension UUID16 {
    init(_ uuid: UUID) {
        let halves = withUnsafeBytes(of: uuid.uuid) { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
        self.init(high: halves.0, low: halves.1)
    }
}

extension UUID {
    init(_ identifier: UUID16) {
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) { target in
            target.storeBytes(of: identifier.high.bigEndian, toByteOffset: 0, as: UInt64.self)
            target.storeBytes(of: identifier.low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        self.init(uuid: bytes)
    }
}
