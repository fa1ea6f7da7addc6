import CausewayModel
import CausewayObjectStore
public import Foundation

extension String: _PersistableScalar, _PrimaryKey, _Indexable {
    /// The type that values of this type are stored as.
    public static var _scalarType: _ScalarType { _ScalarType(.string) }

    /// The initial value of a property declared without a default.
    public static func _zeroValue() -> String { "" }

    /// Converts a stored value to this type; nil for null and for a value of another type.
    public init?(_stored: _StoredValue) {
        guard case .string(let text) = _stored.value else { return nil }
        self = text
    }

    /// The stored form of the value.
    public var _stored: _StoredValue { _StoredValue(.string(self)) }

    // Inlined, so that the compiler sees that a read releases nothing, and a loop retains no object.

    /// Reads the property of a managed object.
    @inlinable
    public static func _readManaged(_ object: ObjectBase, _ column: Int) -> String { object._text(column) }

    /// Reads the optional property of a managed object.
    @inlinable
    public static func _readManagedOptional(_ object: ObjectBase, _ column: Int) -> String? {
        object._optionalText(column)
    }
}

extension Data: _PersistableScalar {
    /// The type that values of this type are stored as.
    public static var _scalarType: _ScalarType { _ScalarType(.data) }

    /// The initial value of a property declared without a default.
    public static func _zeroValue() -> Data { Data() }

    /// Converts a stored value to this type; nil for null and for a value of another type.
    public init?(_stored: _StoredValue) {
        guard case .bytes(let bytes) = _stored.value else { return nil }
        self.init(bytes)
    }

    /// The stored form of the value.
    public var _stored: _StoredValue { _StoredValue(.bytes([UInt8](self))) }
}

extension ObjectBase {
    // Both read the leaf directly where no further checks are needed: a short text then costs no allocation.

    @usableFromInline
    @_effects(releasenone)
    final func _text(_ column: Int) -> String {
        if let leaf = _inlinedLeaf(column) { return ShortTexts.text(StringLeaf(leaf).bytes(_slot)) }
        return _slowText(column) ?? ""
    }

    @usableFromInline
    @_effects(releasenone)
    final func _optionalText(_ column: Int) -> String? {
        if let leaf = _inlinedLeaf(column) {
            let texts = StringLeaf(leaf)
            return texts.isNull(_slot) ? nil : ShortTexts.text(texts.bytes(_slot))
        }
        return _slowText(column)
    }

    @inline(never)
    private final func _slowText(_ column: Int) -> String? {
        if case .string(let text) = _slowRead(column) { text } else { nil }
    }
}
