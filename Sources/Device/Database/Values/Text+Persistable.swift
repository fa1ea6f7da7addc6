import CausewayModel
import CausewayObjectStore
public import Foundation

extension String: _PersistableScalar, _PrimaryKey, _Indexable {
    public static var _scalarType: _ScalarType { _ScalarType(.string) }

    public static func _zeroValue() -> String { "" }

    public init?(_stored: _StoredValue) {
        guard case .string(let text) = _stored.value else { return nil }
        self = text
    }

    public var _stored: _StoredValue { _StoredValue(.string(self)) }

    // Out of the leaf where it may be read without further checks: a short text then costs no allocation.

    @_effects(releasenone)
    public static func _readManaged(_ object: ObjectBase, _ column: Int) -> String {
        if let leaf = object._inlinedLeaf(column) {
            return String(decoding: StringLeaf(leaf).bytes(object._slot), as: UTF8.self)
        }
        return object._slowText(column) ?? ""
    }

    @_effects(releasenone)
    public static func _readManagedOptional(_ object: ObjectBase, _ column: Int) -> String? {
        if let leaf = object._inlinedLeaf(column) {
            let texts = StringLeaf(leaf)
            return texts.isNull(object._slot) ? nil : String(decoding: texts.bytes(object._slot), as: UTF8.self)
        }
        return object._slowText(column)
    }
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

extension ObjectBase {
    fileprivate final func _slowText(_ column: Int) -> String? {
        if case .string(let text) = _slowRead(column) { text } else { nil }
    }
}
