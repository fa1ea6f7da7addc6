// Compiler-checked queries, sorts and sections of projections, as collections of objects have them.

/// The name of the object's property that a key path of the projection shows.
///
/// A property that the projection shows under another name or type stops the program.
private func passthroughName<P: ProjectionObservable>(_ keyPath: PartialKeyPath<P>) -> String {
    let recorder = _PathRecorder()
    let value = P._tracing(recorder)[keyPath: keyPath]
    touchElements(value)
    let name = recorder.path
    let model = ProjectionModel.of(P.self)
    guard let property = model.property(named: name), property.isPassthrough else {
        model.refuse(model.properties.first { $0.rootPaths == [name] }?.name ?? name, in: P.self)
    }
    return name
}

extension Query where T: ProjectionObservable {
    /// A projected property. It must have the name and type of the object's own property; any other stops the program.
    ///
    /// ```swift
    /// let janes = realm.objects(PersonProjection.self).where { $0.firstName == "Jane" }
    /// ```
    public subscript<V: _Persistable>(dynamicMember member: KeyPath<T, V>) -> Query<V> {
        appending(passthroughName(member), V._shape)
    }
}

extension RealmCollection where Element: ProjectionObservable {
    /// The projections in the order of a property.
    ///
    /// ```swift
    /// realm.objects(PersonProjection.self).sorted(by: \.firstName)
    /// ```
    public func sorted<V: _Persistable>(by keyPath: KeyPath<Element, V>, ascending: Bool = true) -> Results<Element> {
        sorted(byKeyPath: rootPath(of: keyPath), ascending: ascending)
    }

    /// The projections in sections by a projected property, in the order of that property.
    ///
    /// ```swift
    /// realm.objects(PersonProjection.self).sectioned(by: \.homeCity)
    /// ```
    public func sectioned<Key: _Persistable & Hashable>(
        by keyPath: KeyPath<Element, Key>, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        let order = [SortDescriptor(keyPath: rootPath(of: keyPath), ascending: ascending)]
        return SectionedResults(SectionSource(_source.sorted(by: order)) { $0[keyPath: keyPath] })
    }

    /// The projections in sections by the key that a block returns for each.
    ///
    /// ```swift
    /// let byLetter = realm.objects(PersonProjection.self)
    ///     .sectioned(by: { String($0.firstName.prefix(1)) }, sortDescriptors: [SortDescriptor(keyPath: "firstName")])
    /// ```
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping (Element) -> Key, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        SectionedResults(SectionSource(_source.sorted(by: sortDescriptors), by: block))
    }

    /// The position of the object that a projection shows, or nil.
    ///
    /// ```swift
    /// let place = realm.objects(PersonProjection.self).index(of: projection)
    /// ```
    ///
    /// - Complexity: O(log n) in results of a class that are not sorted, else O(n).
    public func index(of object: Element) -> Int? {
        guard object.rootObject._header != nil else { return nil }
        return _source.position(of: object.rootObject._key)
    }

    /// The object's path behind a key path of the projection. It may lead through links and have another name there.
    private func rootPath(of keyPath: PartialKeyPath<Element>) -> String {
        let recorder = _PathRecorder()
        _ = Element._tracing(recorder)[keyPath: keyPath]
        return recorder.path
    }
}
