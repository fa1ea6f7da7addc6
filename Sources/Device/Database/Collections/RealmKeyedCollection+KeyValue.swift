// Entries by name, for code that does not know the map's type.

extension RealmKeyedCollection {
    /// The value of a key; nil when the key is missing or its value is nil.
    ///
    /// ```swift
    /// dog.favoriteParksByCity.value(forKey: "Chicago") as? String
    /// ```
    public func value(forKey key: String) -> Any? {
        self[Key(_mapKey: key)].flatMap { shown($0) }
    }

    /// The value of a key; nil where it is not there, and for an empty optional.
    ///
    /// ```swift
    /// dog.favoriteParksByCity.object(forKey: "Chicago") as? String
    /// ```
    public func object(forKey key: String) -> Any? { value(forKey: key) }

    /// The value at the end of a dotted path that begins with a key; or one value of all values when it begins with one of
    /// the operators `@count`, `@min`, `@max`, `@sum` and `@avg`.
    ///
    /// ```swift
    /// person.dogsByName.value(forKeyPath: "Rex.age")
    /// person.dogsByName.value(forKeyPath: "@max.age")
    /// ```
    public func value(forKeyPath keyPath: String) -> Any? {
        if keyPath == "@count" { return count }
        if keyPath.hasPrefix("@") {
            if let values = _unmanagedValues { return List(state: .unmanaged(values)).value(forKeyPath: keyPath) }
            return Results<Value>(_source).value(forKeyPath: keyPath)
        }
        let parts = keyPath.split(separator: ".", maxSplits: 1).map(String.init)
        let found = value(forKey: parts.first ?? keyPath)
        guard parts.count == 2 else { return found }
        return (found as? ObjectBase)?.value(forKeyPath: parts[1])
    }

    /// Sets the value of a key, in a write transaction; nil removes the key. A value of another type stops the program.
    ///
    /// ```swift
    /// try realm.write { dog.favoriteParksByCity.setValue("Jackson Park", forKey: "Chicago") }
    /// ```
    public func setValue(_ value: Any?, forKey key: String) {
        var map = self
        let name = Key(_mapKey: key)
        guard let value = value.flatMap(flattened) else {
            map[name] = nil
            return
        }
        guard let converted: [Value] = convertedElements([value], { $0 }), let entry = converted.first else {
            misuse("Invalid value '\(value)' of type '\(type(of: value))' for a map of '\(Value.self)'.")
        }
        map[name] = entry
    }
}

// MARK: - Maps of objects

extension RealmKeyedCollection where Value: _QueryOptional, Value.Wrapped: ObjectBase {
    /// The smallest value of a property of the values; nil when there is none.
    ///
    /// ```swift
    /// let youngest = person.dogsByName.min(of: \.age)
    /// ```
    public func min<T: MinMaxType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T? {
        min(ofProperty: _name(for: keyPath))
    }

    /// The smallest value of a property of the values; nil when there is none.
    public func min<T: MinMaxType>(of keyPath: KeyPath<Value.Wrapped, T?>) -> T? {
        min(ofProperty: _name(for: keyPath))
    }

    /// The largest value of a property of the values; nil when there is none.
    ///
    /// ```swift
    /// let oldest = person.dogsByName.max(of: \.age)
    /// ```
    public func max<T: MinMaxType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T? {
        max(ofProperty: _name(for: keyPath))
    }

    /// The largest value of a property of the values; nil when there is none.
    public func max<T: MinMaxType>(of keyPath: KeyPath<Value.Wrapped, T?>) -> T? {
        max(ofProperty: _name(for: keyPath))
    }

    /// The sum of a property of the values; zero when there are none.
    ///
    /// ```swift
    /// let years = person.dogsByName.sum(of: \.age)
    /// ```
    public func sum<T: AddableType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T {
        sum(ofProperty: _name(for: keyPath))
    }

    /// The sum of a property of the values; zero when there are none.
    public func sum<T: AddableType>(of keyPath: KeyPath<Value.Wrapped, T?>) -> T {
        sum(ofProperty: _name(for: keyPath))
    }

    /// The average of a property of the values; nil when none has a value.
    ///
    /// ```swift
    /// let mean = person.dogsByName.average(of: \.age)
    /// ```
    public func average<T: AddableType>(of keyPath: KeyPath<Value.Wrapped, T>) -> Double? {
        average(ofProperty: _name(for: keyPath))
    }

    /// The average of a property of the values; nil when none has a value.
    public func average<T: AddableType>(of keyPath: KeyPath<Value.Wrapped, T?>) -> Double? {
        average(ofProperty: _name(for: keyPath))
    }

    /// The values in the order of a property that the compiler checks.
    ///
    /// ```swift
    /// person.dogsByName.sorted(by: \.age)
    /// ```
    public func sorted<T: _Persistable>(
        by keyPath: KeyPath<Value.Wrapped, T>, ascending: Bool = true
    ) -> Results<Value> {
        sorted(byKeyPath: _name(for: keyPath), ascending: ascending)
    }

    /// The first value of each combination of values of the properties.
    ///
    /// ```swift
    /// person.dogsByName.distinct(by: [\.breed])
    /// ```
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Value>
    where S.Element == PartialKeyPath<Value.Wrapped> {
        distinct(by: keyPaths.map { _name(for: $0) })
    }
}
