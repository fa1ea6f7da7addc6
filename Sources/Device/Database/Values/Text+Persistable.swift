import CausewayModel
import CausewayObjectStore
public import Foundation

extension String: _PersistableScalar, _PrimaryKey, _Indexable {
    /// What values of this type are stored as.
    public static var _scalarType: _ScalarType { _ScalarType(.string) }

    /// What a property holds that was declared without a default.
    public static func _zeroValue() -> String { "" }

    /// The value that the store holds; nil for one that this type has no value for.
    public init?(_stored: _StoredValue) {
        guard case .string(let text) = _stored.value else { return nil }
        self = text
    }

    /// The value as the store holds it.
    public var _stored: _StoredValue { _StoredValue(.string(self)) }

    // Out of the leaf where it may be read without further checks: a short text then costs no allocation.

    /// Reads the property of a managed object.
    @_effects(releasenone)
    public static func _readManaged(_ object: ObjectBase, _ column: Int) -> String {
        if let leaf = object._inlinedLeaf(column) {
            return String(decoding: StringLeaf(leaf).bytes(object._slot), as: UTF8.self)
        }
        return object._slowText(column) ?? ""
    }

    /// Reads the optional property of a managed object.
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
    /// What values of this type are stored as.
    public static var _scalarType: _ScalarType { _ScalarType(.data) }

    /// What a property holds that was declared without a default.
    public static func _zeroValue() -> Data { Data() }

    /// The value that the store holds; nil for one that this type has no value for.
    public init?(_stored: _StoredValue) {
        guard case .bytes(let bytes) = _stored.value else { return nil }
        self.init(bytes)
    }

    /// The value as the store holds it.
    public var _stored: _StoredValue { _StoredValue(.bytes([UInt8](self))) }
}

extension ObjectBase {
    fileprivate final func _slowText(_ column: Int) -> String? {
        if case .string(let text) = _slowRead(column) { text } else { nil }
    }
}
