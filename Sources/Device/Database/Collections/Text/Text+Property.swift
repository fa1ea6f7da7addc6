import CausewayModel
import CausewayObjectStore

extension Text: _Persistable {
    public static var _shape: _PropertyShape {
        var shape = _PropertyShape(.string)
        shape.isText = true
        return shape
    }

    public static func _zeroValue() -> Text { Text() }

    @inlinable
    public static func _cachesManagedValue() -> Bool { true }

    public static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Text {
        if case .string(let string) = stored.value { Text(string) } else { Text() }
    }

    public func _toStored(_ links: _ClassAccess?) -> _StoredValue { _StoredValue(.string(string)) }

    public static func _readManaged(_ object: ObjectBase, _ column: Int) -> Text {
        Text(state: .managed(ManagedText(object, object._checkedAccess(), column)))
    }

    /// Assigning a text makes the property's own text say the same.
    public static func _writeManaged(_ object: ObjectBase, _ column: Int, _ value: Text) {
        Text(state: .managed(ManagedText(object, object._writableAccess(), column))).replace(with: value.string)
    }

    public static func _adopt(_ value: Text, _ object: ObjectBase, _ column: Int) {
        guard let access = object._access else { return }
        let string = value.string
        let text = ManagedText(object, access, column)
        if case .unmanaged = value.state { value.become(text) }
        Text(state: .managed(text)).replace(with: string)
    }

    public static func _tracing(_ recorder: _PathRecorder) -> Text {
        Text(state: .tracing)
    }
}
