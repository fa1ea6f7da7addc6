import CausewayModel
import CausewayQuery

// Queries act on stored values, so a property of a custom type is compared as its persisted type.

extension Query where T: _CustomPersistable {
    /// The property as its persisted type, with the operators of that type.
    ///
    /// ```swift
    /// clubs.where { $0.url.persistableValue.starts(with: "https") }
    /// ```
    public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(part) }
}

extension Query where T: _QueryOptional, T.Wrapped: _CustomPersistable {
    /// The property as its persisted type, with the operators of that type.
    public var persistableValue: Query<T.Wrapped.PersistedType?> { Query<T.Wrapped.PersistedType?>(part) }
}

extension Query where T: _CustomPersistable, T.PersistedType: _PersistableScalar {
    /// The stored value equals the given one.
    ///
    /// ```swift
    /// let warm = readings.where { $0.temperature == 21.5 }
    /// ```
    public static func == (left: Query, right: T.PersistedType) -> Query<Bool> { left.persistableValue == right }

    /// The stored value differs from the given one.
    ///
    /// ```swift
    /// let others = readings.where { $0.temperature != 21.5 }
    /// ```
    public static func != (left: Query, right: T.PersistedType) -> Query<Bool> { left.persistableValue != right }
}

extension Query where T: RealmCollectionValue {
    /// The property equals a value. A value that is stored as an embedded object is compared member by member. Objects
    /// and collections in it cannot be compared, so a class that has them stops the program.
    func equals(_ value: T) -> Query<Bool> {
        if let mixed = value as? AnyRealmValue, mixed.isCollection { return holds(mixed) }
        guard T._shape.isMapped else { return compared(.equal, .value(queryValue(value))) }
        guard let object = (value as? any _CustomPersistable)?.embeddedObject else {
            return compared(.equal, .value(.null))
        }
        return memberwise(object)
    }
}

extension Query {
    fileprivate func memberwise(_ object: EmbeddedObject) -> Query<Bool> {
        let model = ObjectModel.of(type(of: object))
        if let property = model.properties.first(where: { !$0.isScalar }) {
            misuse(
                "Unsupported property '\(model.className).\(property.name)' for comparison by members: only values can "
                    + "be compared, not objects or collections.")
        }
        let base = Unmanaged.passUnretained(object).toOpaque()
        let path = path
        let comparisons = withExtendedLifetime(object) {
            model.properties.map { property in
                var member = path
                member.names.append(property.name)
                let value = object._header == nil ? property.wrapper.scalar(base + property.offset) : nil
                return Predicate.comparison(
                    Comparison(
                        member.expression, .equal,
                        .value(value ?? storedValue(of: object.value(forKey: property.name) as Any) ?? .null)))
            }
        }
        let present = Predicate.comparison(Comparison(path.expression, .notEqual, .value(.null)))
        let condition = Predicate.all(of: [present] + comparisons)
        return Query<Bool>(
            .condition(
                condition, over: Set([path.collection].compactMap { $0 }), written: .leaf(condition, isPlural: false)))
    }
}
