import CausewayModel
import CausewayObjectStore

/// A class of objects that a property `T?` or a `List<T>` can link to.
public protocol _PersistableObject: _OptionalPersistable, RealmCollectionValue {}

extension _PersistableObject where Self: ObjectBase {
    // A property of the non-optional class has this shape. Schema validation rejects it: links must be optional.
    /// The schema of a property of this type.
    public static var _shape: _PropertyShape { _PropertyShape(.object, target: self) }

    /// The schema of an optional property of this type.
    public static var _optionalShape: _PropertyShape { _PropertyShape(.object, isOptional: true, target: self) }

    /// The initial value of a property declared without a default.
    public static func _zeroValue() -> Self { self.init() }

    /// True: this is a class of objects.
    @inlinable
    public static func _isObject() -> Bool { true }

    /// Converts a stored value to this type.
    public static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self {
        guard let object = _optionalFromStored(stored, links) else {
            misuse("A link to an object of type '\(className())' leads nowhere.")
        }
        return object
    }

    /// The stored form of the value.
    public func _toStored(_ links: _ClassAccess?) -> _StoredValue {
        guard let links else { return _StoredValue(_linkValue()) }
        return _StoredValue(links.link(to: self))
    }

    /// Converts a stored value to this type; nil for null.
    public static func _optionalFromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self? {
        // A ghost is a row whose object has not arrived here. A link to it reads as nil.
        guard case .object(let key) = stored.value, let links,
            links.exists(key)
        else { return nil }
        return links.object(key, as: self)
    }

    /// Reads the optional property of a managed object.
    @inlinable
    public static func _readManagedOptional(_ object: ObjectBase, _ column: Int) -> Self? {
        if let moved = object._movedTarget(column), type(of: moved) == Self.self {
            return unsafeDowncast(moved, to: Self.self)
        }
        return _linked(object, column)
    }

    @usableFromInline
    static func _linked(_ object: ObjectBase, _ column: Int) -> Self? {
        guard let target = object._linked(column) else { return nil }
        return _ClassAccess.typed(target, as: self)
    }

    /// Writes the optional property of a managed object. An embedded object that is there already stays as it is.
    public static func _writeManagedOptional(_ object: ObjectBase, _ column: Int, _ value: Self?) {
        let access = object._writableAccess()
        let target = access.target(column)
        if target?.isEmbedded == true || access.instance.updatePolicy == .modified {
            let present = access.value(object._key, column)
            if access.instance.keeps(present, for: value, target) { return }
            let stored = _optionalToStored(value, target).value
            if stored != present { access.write(object._key, column, stored) }
            return
        }
        access.write(object._key, column, _optionalToStored(value, target).value)
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
    /// The stored link to an object. An unmanaged object is added to this Realm first.
    func link(to object: ObjectBase) -> Value {
        if object._header == nil {
            return .object(instance.add(object, update: .error, asChild: true))
        }
        // An object that is read through this class access is of its Realm.
        guard object._header == header || object._instance === instance else {
            misuse(
                "Object is already managed by another Realm. Use create instead to copy it into this Realm.")
        }
        object._check()
        if isEmbedded {
            misuse(
                "Can't set link to existing managed embedded object: an embedded object belongs to one parent. "
                    + "Assign an unmanaged copy.")
        }
        return .object(object._key)
    }
}
