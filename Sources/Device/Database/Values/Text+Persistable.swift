import CausewayModel
public import Foundation

extension String: _PersistableScalar, _PrimaryKey, _Indexable {
    public static var _scalarType: _ScalarType { _ScalarType(.string) }

    public static func _zeroValue() -> String { "" }

    public init?(_stored: _StoredValue) {
        guard case .string(let text) = _stored.value else { return nil }
        self = text
    }

    public var _stored: _StoredValue { _StoredValue(.string(self)) }
}

extension Data: _PersistableScalar {
    public static var _scalarType: _ScalarType { _ScalarType(.data) }

    public static func _zeroValue() -> Data { Data() }

    public init?(_stored: _StoredValue) {
        guard case .bytes(let bytes) = _stored.value else { return nil }
        self.init(bytes)
    }

    public var _stored: _StoredValue { _StoredValue(.bytes([UInt8](self))) }
}
