import CausewayModel

// Properties by name, for code that does not know the class: creation from dictionaries, descriptions, observation.

extension ObjectBase {
    /// Reads or writes a property by name.
    ///
    /// ```swift
    /// dog["name"] = "Rex"
    /// ```
    ///
    /// A name that is no property of the class stops the program with RealmSwift's sentence.
    public subscript(key: String) -> Any? {
        get { value(forKey: key) }
        set { setValue(newValue, forKey: key) }
    }

    /// The value of a property by name; nil for an empty optional.
    public func value(forKey key: String) -> Any? {
        if let access = _access, access.model.isDynamic { return _checkedAccess().dynamicValue(of: self, key) }
        let model = ObjectModel.of(type(of: self))
        let base = Unmanaged.passUnretained(self).toOpaque()
        if let property = model.property(named: key) {
            if _header != nil { _ = _checkedAccess() }
            return withExtendedLifetime(self) { flattened(property.wrapper.read(self, base + property.offset)) }
        }
        if let inverse = model.inverses.first(where: { $0.name == key }) {
            return withExtendedLifetime(self) { flattened(inverse.wrapper.read(self, base + inverse.offset)) }
        }
        misuse("Invalid property name '\(key)' for class '\(model.className)'.")
    }

    /// The value at the end of a dotted path of links.
    public func value(forKeyPath keyPath: String) -> Any? {
        var current: Any? = self
        for name in keyPath.split(separator: ".") {
            guard let object = current as? ObjectBase else { return nil }
            current = object.value(forKey: String(name))
        }
        return current
    }

    /// Sets a property by name, converting as `Realm.create` does. An object becomes the link's target itself, no copy of it.
    public func setValue(_ value: Any?, forKey key: String) {
        if let access = _access, access.model.isDynamic {
            return _writableAccess().setDynamicValue(value, of: self, key)
        }
        if let link = value as? ObjectBase, let property = ObjectModel.of(type(of: self)).property(named: key),
            property.shape.type == .object, property.shape.collection == .none
        {
            let wrapper = Unmanaged.passUnretained(self).toOpaque() + property.offset
            if withExtendedLifetime(self, { property.wrapper.assign(self, wrapper, link) }) { return }
        }
        Draft().set(self, key, to: value ?? Optional<Any>.none as Any)
    }
}

/// `Any` that may hold an optional, as an optional of what is inside.
func flattened(_ value: Any) -> Any? {
    guard let optional = value as? any AnyOptional else { return value }
    return optional.wrapped.flatMap { flattened($0) }
}

private protocol AnyOptional {
    var wrapped: Any? { get }
}

extension Optional: AnyOptional {
    fileprivate var wrapped: Any? { self }
}
