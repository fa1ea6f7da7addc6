extension Realm {
    /// Adds an unmanaged object, and the unmanaged objects it links to. It is live from then on.
    ///
    /// ```swift
    /// try realm.write { realm.add(dog, update: .modified) }
    /// ```
    ///
    /// With `.error` an existing primary key stops the program; the other policies need a class with a primary key.
    ///
    /// - Complexity: O(log n), plus one step a property.
    public func add(_ object: Object, update: UpdatePolicy = .error) {
        instance.checkThread()
        instance.checkTransaction()
        instance.checkPolicy(instance.access(for: type(of: object)), update)
        instance.add(object, update: update)
    }

    /// Adds all objects of a sequence.
    public func add<S: Sequence>(_ objects: S, update: UpdatePolicy = .error) where S.Iterator.Element: Object {
        for object in objects { add(object, update: update) }
    }

    /// Creates an object from a dictionary, an array in the order of the properties, or another object.
    ///
    /// ```swift
    /// try realm.write { realm.create(Dog.self, value: ["id": 1, "age": 11], update: .modified) }
    /// ```
    ///
    /// Nested dictionaries become linked objects. With an update policy, an existing object of the primary key is
    /// changed in the properties given and no others.
    ///
    /// - Returns: The object, managed by this Realm.
    /// - Complexity: O(log n), plus one step a property.
    @discardableResult
    public func create<T: Object>(_ type: T.Type, value: Any = [String: Any](), update: UpdatePolicy = .error) -> T {
        // The draft made it by T.init().
        unsafeDowncast(instance.create(type, value, update), to: T.self)
    }

    /// Creates an object that goes to the server and cannot be read back.
    public func create<T: AsymmetricObject>(_ type: T.Type, value: Any = [String: Any]()) {
        _ = instance.create(type, value, .error)
    }
}

// MARK: - Deleting

extension Realm {
    /// Deletes an object of this Realm. Links to it become nil, lists lose it, embedded objects in it go with it.
    ///
    /// - Complexity: O(log n), plus one step for each link to it.
    public func delete(_ object: ObjectBase) {
        instance.delete(object)
    }

    /// Deletes all objects of a sequence.
    public func delete<S: Sequence>(_ objects: S) where S.Iterator.Element: ObjectBase {
        for object in Array(objects) { instance.delete(object) }
    }

    /// Deletes all objects of a list.
    public func delete<Element: ObjectBase>(_ objects: List<Element>) {
        for object in Array(objects) { instance.delete(object) }
    }

    /// Deletes all objects of a result.
    ///
    /// - Complexity: O(k log n) for k objects; no object is created.
    public func delete<Element: ObjectBase>(_ objects: Results<Element>) {
        instance.checkThread()
        instance.checkTransaction()
        objects._source.deleteAll()
    }

    /// Deletes every object of every class.
    public func deleteAll() {
        instance.deleteAll()
    }
}
