import CausewayModel
import CausewayObjectStore

/// A class whose objects are linked to: as `T?` from a property, as elements of a `List<T>`.
public protocol _PersistableObject: _OptionalPersistable, RealmCollectionValue {}

extension _PersistableObject where Self: ObjectBase {
    // A property of the bare class has this shape, and the schema's validation refuses it: links must be optional.
    /// What a property of this type asks of the schema.
    public static var _shape: _PropertyShape { _PropertyShape(.object, target: self) }

    /// What an optional property of this type asks of the schema.
    public static var _optionalShape: _PropertyShape { _PropertyShape(.object, isOptional: true, target: self) }

    /// What a property holds that was declared without a default.
    public static func _zeroValue() -> Self { self.init() }

    /// Whether this is a class of objects.
    @inlinable
    public static func _isObject() -> Bool { true }

    /// The value that the store holds, as this type.
    public static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self {
        guard let object = _optionalFromStored(stored, links) else {
            misuse("A link to an object of type '\(className())' leads nowhere.")
        }
        return object
    }

    /// The value as the store holds it.
    public func _toStored(_ links: _ClassAccess?) -> _StoredValue {
        guard let links else { return _StoredValue(_linkValue()) }
        return _StoredValue(links.link(to: self))
    }

    /// The value that the store holds, or nil for null.
    public static func _optionalFromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self? {
        // A ghost is a row whose object has not arrived here: it reads as no link.
        guard case .object(let key) = stored.value, let links,
            links.table.exists(key)
        else { return nil }
        return links.object(key, as: self)
    }

    /// Reads the optional property of a managed object.
    public static func _readManagedOptional(_ object: ObjectBase, _ column: Int) -> Self? {
        object._linked(column).map { _ClassAccess.typed($0, as: self) }
    }

    /// The value as the store holds it, null for nil.
    public static func _optionalToStored(_ value: Self?, _ links: _ClassAccess?) -> _StoredValue {
        value?._toStored(links) ?? _StoredValue(.null)
    }

    /// A value whose own properties continue the recorded path.
    public static func _tracing(_ recorder: _PathRecorder) -> Self {
        guard let object = ObjectModel.of(self).traced(by: recorder) as? Self else {
            misuse("Class '\(className())' made an object of another class.")
        }
        return object
    }
}

extension _ClassAccess {
    /// The stored link to an object, which is added to this Realm first if it is unmanaged.
    func link(to object: ObjectBase) -> Value {
        if object._header == nil {
            return .object(instance.add(object, update: .error, asChild: true))
        }
        guard object._instance === instance else {
            misuse(
                "Object is already managed by another Realm. Use create instead to copy it into this Realm.")
        }
        _ = object._checkedAccess()
        if isEmbedded {
            misuse(
                "Can't set link to existing managed embedded object: an embedded object belongs to one parent. "
                    + "Assign an unmanaged copy.")
        }
        return .object(object._key)
    }
}
