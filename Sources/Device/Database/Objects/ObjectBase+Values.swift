import CausewayModel
import Foundation

// Access to properties by name, for code that does not know the class: dictionaries, descriptions, observation.

extension ObjectBase {
    /// Reads or writes a property by name.
    ///
    /// ```swift
    /// dog["name"] = "Rex"
    /// ```
    ///
    /// An unknown name stops the program with RealmSwift's message.
    public subscript(key: String) -> Any? {
        get { value(forKey: key) }
        set { setValue(newValue, forKey: key) }
    }

    /// The value of a property by name; nil for an empty optional. A mixed property gives what it holds.
    ///
    /// ```swift
    /// let name = dog.value(forKey: "name") as? String
    /// ```
    public func value(forKey key: String) -> Any? { held(forKey: key).flatMap(shown) }

    /// The value of a property by name, a mixed one as what it is.
    final func held(forKey key: String) -> Any? {
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

    /// The value at the end of a dotted path, which may go through links, collections and collection operators.
    ///
    /// ```swift
    /// dog.value(forKeyPath: "favoriteToy.name")    // nil without a toy
    /// person.value(forKeyPath: "dogs.name")        // the names of all of them
    /// person.value(forKeyPath: "dogs.@max.age")    // see RealmCollection.value(forKeyPath:)
    /// ```
    public func value(forKeyPath keyPath: String) -> Any? {
        let parts = keyPath.split(separator: ".", maxSplits: 1).map(String.init)
        guard let name = parts.first, let value = value(forKey: name) else { return nil }
        guard parts.count == 2 else { return value }
        switch value {
        case let object as ObjectBase: return object.value(forKeyPath: parts[1])
        case let collection as any RealmCollection: return collection.value(forKeyPath: parts[1])
        case let map as any RealmKeyedCollection: return map.value(forKeyPath: parts[1])
        default: misuse("Invalid property name '\(parts[1])': '\(name)' is not an object or a collection.")
        }
    }

    /// Sets a property at the end of a dotted path of links. Does nothing when a link on the path is nil.
    ///
    /// ```swift
    /// try realm.write { dog.setValue("Ball", forKeyPath: "favoriteToy.name") }
    /// ```
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        let parts = keyPath.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return setValue(value, forKey: keyPath) }
        switch self.value(forKey: parts[0]) {
        case nil: break
        case let object as ObjectBase: object.setValue(value, forKeyPath: parts[1])
        default: misuse("Invalid property name '\(parts[1])': '\(parts[0])' is not an object.")
        }
    }

    /// Sets a property by name, and converts the value as `Realm.create` does. An object is linked to, not copied.
    ///
    /// ```swift
    /// try realm.write { dog.setValue("tan", forKey: "color") }
    /// ```
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

    /// Sets several properties by name, each as `setValue(_:forKey:)` does.
    ///
    /// ```swift
    /// try realm.write { dog.setValuesForKeys(["name": "Rex", "age": 10]) }
    /// ```
    public func setValuesForKeys(_ values: [String: Any]) {
        for (key, value) in values { setValue(value, forKey: key) }
    }

    /// The values of several properties by name; `NSNull` for nil.
    ///
    /// ```swift
    /// dog.dictionaryWithValues(forKeys: ["name", "age"])    // ["name": "Rex", "age": 10]
    /// ```
    public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }) { first, _ in first }
    }
}

/// Unwraps an `Any` that may hold an optional, through any number of layers.
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
