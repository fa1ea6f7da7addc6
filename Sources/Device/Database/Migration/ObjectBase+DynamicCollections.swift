import CausewayModel

// Collections of objects whose class the program need not declare.

extension ObjectBase {
    /// The list with this name, with elements that need no declared class.
    ///
    /// ```swift
    /// for dog in person.dynamicList("dogs") { print(dog["name"] as Any) }
    /// ```
    ///
    /// The object must be managed, and the property a list of objects; otherwise the program stops.
    public func dynamicList(_ propertyName: String) -> List<DynamicObject> {
        let (row, column) = dynamicCollection(propertyName, .list)
        return List._readManaged(row, column)
    }

    /// The set with this name, with elements that need no declared class. See ``dynamicList(_:)``.
    ///
    /// ```swift
    /// class Pack: Object { @Persisted var dogs: MutableSet<Dog> }
    /// for dog in realm.objects(Pack.self)[0].dynamicMutableSet("dogs") { print(dog["name"] as Any) }
    /// ```
    public func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> {
        let (row, column) = dynamicCollection(propertyName, .set)
        return MutableSet._readManaged(row, column)
    }

    /// The map with this name, with values that need no declared class. See ``dynamicList(_:)``.
    ///
    /// ```swift
    /// let dogs: Map<String, DynamicObject?> = person.dynamicMap("dogsByName")
    /// ```
    public func dynamicMap<Key: _MapKey>(_ propertyName: String) -> Map<Key, DynamicObject?> {
        let (row, column) = dynamicCollection(propertyName, .map)
        return Map._readManaged(row, column)
    }

    /// The same row as a dynamic object, and the column of one of its collections.
    private func dynamicCollection(_ name: String, _ kind: CollectionKind) -> (row: ObjectBase, column: Int) {
        guard _header != nil else {
            misuse("Object of type '\(type(of: self).className())' is not managed by a Realm.")
        }
        let access = _checkedAccess()
        guard let position = access.model.position(of: name) else {
            misuse("Invalid property name '\(name)' for class '\(access.model.className)'.")
        }
        let shape = access.model.properties[position].shape
        guard shape.collection == kind, shape.type == .object else {
            misuse(
                "Property '\(access.model.className).\(name)' is not of type '\(kind.word)' of objects, but "
                    + "'\(shape.type.word)'.")
        }
        let dynamic = access.instance.dynamicAccess(named: access.model.className)
        return (dynamic.object(_key), access.columns[position])
    }
}
