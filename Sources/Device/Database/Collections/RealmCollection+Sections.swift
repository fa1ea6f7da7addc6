extension RealmCollection {
    /// - Parameter sortedSource: the elements in the order in which their sections shall appear.
    fileprivate func sections<Key: _Persistable & Hashable>(
        of sortedSource: _ResultsSource, by keyOf: @escaping (Element) -> Key
    ) -> SectionedResults<Key, Element> {
        SectionedResults(SectionSource(sortedSource, by: keyOf))
    }
}

extension RealmCollection where Element: ObjectBase {
    /// The objects in sections by a property, live, in the order of that property.
    ///
    /// ```swift
    /// let dogs = realm.objects(Dog.self).sectioned(by: \.firstLetter, ascending: true)
    /// dogs.allKeys    // ["F", "R", "S", "W"]
    /// ```
    ///
    /// The property may be computed from one that the Realm stores. The objects are then sorted by the stored one.
    public func sectioned<Key: _Persistable & Hashable>(
        by keyPath: KeyPath<Element, Key>, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        sectioned(by: keyPath, sortDescriptors: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// The objects in sections by a property, live, in an order whose first part is that property.
    ///
    /// ```swift
    /// dogs.sectioned(by: \.firstLetter, sortDescriptors: [
    ///     SortDescriptor(keyPath: \Dog.firstLetter), SortDescriptor(keyPath: \Dog.age),
    /// ])
    /// ```
    ///
    /// An order that is empty or begins with another property stops the program: sections would be scattered.
    public func sectioned<Key: _Persistable & Hashable>(
        by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        guard let first = sortDescriptors.first else {
            misuse("There must be at least one SortDescriptor when using SectionedResults.")
        }
        guard first.keyPath == _name(for: keyPath) else {
            misuse("The section key path must match the primary sort descriptor.")
        }
        return sections(of: _source.sorted(by: sortDescriptors)) { $0[keyPath: keyPath] }
    }

    /// The objects in sections by the key that a block returns for each, live.
    ///
    /// ```swift
    /// dogs.sectioned(by: { String($0.name.first!) }, sortDescriptors: [SortDescriptor(keyPath: "name", ascending: true)])
    /// ```
    ///
    /// The block is called for every object after each change that could matter. It must return the same key for the
    /// same object and must not write.
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping (Element) -> Key, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        sections(of: _source.sorted(by: sortDescriptors), by: block)
    }
}

extension RealmCollection where Element: SortableType {
    /// The values in sections by what a block says of each, live and in order; nil comes first.
    ///
    /// ```swift
    /// person.nicknames.sectioned(by: { $0.prefix(1).uppercased() })
    /// ```
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping (Element) -> Key, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        sections(of: sortedValues(ascending), by: block)
    }
}

extension RealmCollection where Element: _CustomPersistable, Element.PersistedType: SortableType {
    /// The values in sections by what a block says of each, live and in the order of what they are stored as.
    ///
    /// ```swift
    /// route.temperatures.sectioned(by: { $0.degrees < 0 })
    /// ```
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping (Element) -> Key, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        sections(of: sortedValues(ascending), by: block)
    }
}

extension RealmCollection
where Element: _QueryOptional, Element.Wrapped: _CustomPersistable, Element.Wrapped.PersistedType: SortableType {
    /// The values in sections by what a block says of each, live and in the order of what they are stored as; nil first.
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping (Element) -> Key, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        sections(of: sortedValues(ascending), by: block)
    }
}

extension RealmCollection {
    fileprivate func sortedValues(_ ascending: Bool) -> _ResultsSource {
        _source.sorted(by: [SortDescriptor(keyPath: "self", ascending: ascending)])
    }
}
