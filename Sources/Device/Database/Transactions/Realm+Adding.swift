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
        if update != .error { instance.checkPolicy(instance.access(for: type(of: object)), update) }
        instance.add(object, update: update)
    }

    /// Adds all objects of a sequence.
    ///
    /// ```swift
    /// try realm.write { realm.add([Dog(value: ["name": "Rex"]), Dog(value: ["name": "Bello"])]) }
    /// ```
    public func add<S: Sequence>(_ objects: S, update: UpdatePolicy = .error) where S.Iterator.Element: Object {
        for object in objects { add(object, update: update) }
    }

    /// Creates an object from a dictionary, an array in the order of the properties, or another object.
    ///
    /// ```swift
    /// try realm.write { realm.create(Dog.self, value: ["id": rex.id, "age": 11], update: .modified) }
    /// ```
    ///
    /// Nested dictionaries become linked objects. With an update policy, an existing object with the same primary key
    /// is updated, in the given properties only.
    ///
    /// - Returns: The object, managed by this Realm.
    /// - Complexity: O(log n), plus one step a property.
    @discardableResult
    public func create<T: Object>(_ type: T.Type, value: Any = [String: Any](), update: UpdatePolicy = .error) -> T {
        // The draft made it by T.init().
        unsafeDowncast(instance.create(type, value, update), to: T.self)
    }

    /// Creates an object that goes to the server and cannot be read back.
    ///
    /// ```swift
    /// try realm.write { realm.create(WeatherSensor.self, value: ["temperature": 21.5]) }
    /// ```
    public func create<T: AsymmetricObject>(_ type: T.Type, value: Any = [String: Any]()) {
        _ = instance.create(type, value, .error)
    }
}

// MARK: - Creating many

extension Realm {
    /// Creates an object for each element of a collection, several times as fast as one by one.
    ///
    /// ```swift
    /// try realm.write {
    ///     try realm.create(Dog.self, from: records) { dog in
    ///         dog.set(\.age, to: \.age)
    ///         dog.set(\.name) { $0.name.capitalized }
    ///         dog.set(\.owner) { owners[$0.ownerNumber] }
    ///     }
    /// }
    /// ```
    ///
    /// The closure runs once and maps each property to its source. With `from: 0..<count`, the values can come from
    /// columns. Everything else is as if the objects had been added one after the other: indexes, links in both
    /// directions, observers and, in a synchronised Realm, the upload. Properties that are not set have their defaults;
    /// where the class declares a value for one, each element costs an unmanaged object. Linked unmanaged objects are
    /// added after the new objects. There is no update policy: to change existing objects, call
    /// `create(_:value:update:)`.
    ///
    /// The functions may read, and write objects of other classes. One that changes objects of this class stops the
    /// program, also where it deletes what they link to.
    ///
    /// - Complexity: O(n), plus O(n log n) for primary keys that do not ascend.
    /// - Throws: `Realm.Error.invalidInput` for a primary key that exists already or comes twice. Nothing is created
    ///   then, and the transaction is as it was.
    public func create<Model: Object, Elements: Collection>(
        _ type: Model.Type, from elements: Elements, _ properties: (ObjectMapping<Model, Elements>) -> Void
    ) throws {
        try createAll(elements, properties)
    }

    /// Creates objects that go to the server and cannot be read back, one for each element.
    public func create<Model: AsymmetricObject, Elements: Collection>(
        _ type: Model.Type, from elements: Elements, _ properties: (ObjectMapping<Model, Elements>) -> Void
    ) throws {
        try createAll(elements, properties)
    }

    private func createAll<Model: ObjectBase, Elements: Collection>(
        _ elements: Elements, _ properties: (ObjectMapping<Model, Elements>) -> Void
    ) throws {
        let mapping = ObjectMapping<Model, Elements>()
        properties(mapping)
        try instance.create(mapping, from: elements)
    }
}

// MARK: - Deleting

extension Realm {
    /// Deletes an object of this Realm. Links to it become nil, lists lose it, embedded objects in it go with it.
    ///
    /// ```swift
    /// try realm.write { realm.delete(dog) }
    /// ```
    ///
    /// - Complexity: O(log n), plus one step for each link to it.
    public func delete(_ object: ObjectBase) {
        instance.delete(object)
    }

    /// Deletes all objects of a sequence.
    ///
    /// ```swift
    /// try realm.write { realm.delete(person.dogs.filter { $0.age > 30 }) }
    /// ```
    public func delete<S: Sequence>(_ objects: S) where S.Iterator.Element: ObjectBase {
        instance.delete(Array(objects))
    }

    /// Deletes all objects of a list.
    ///
    /// ```swift
    /// try realm.write { realm.delete(person.dogs) }
    /// ```
    public func delete<Element: ObjectBase>(_ objects: List<Element>) {
        instance.delete(Array(objects))
    }

    /// Deletes all objects that are values of a map.
    ///
    /// ```swift
    /// try realm.write { realm.delete(person.dogsByName) }
    /// ```
    public func delete<Key: _MapKey, Value: ObjectBase>(_ map: Map<Key, Value?>) {
        instance.delete(map.values.compactMap { $0 })
    }

    /// Deletes all objects of a result.
    ///
    /// ```swift
    /// try realm.write { realm.delete(realm.objects(Dog.self).where { $0.age > 30 }) }
    /// ```
    ///
    /// - Complexity: O(k log n) for k objects; no object is created.
    public func delete<Element: ObjectBase>(_ objects: Results<Element>) {
        instance.checkThread()
        guard objects._source.instance === instance else {
            misuse("Can only delete objects from the Realm they belong to.")
        }
        instance.checkTransaction()
        objects._source.deleteAll()
    }

    /// Deletes every object of every class.
    ///
    /// ```swift
    /// try realm.write { realm.deleteAll() }
    /// ```
    public func deleteAll() {
        instance.deleteAll()
    }
}
