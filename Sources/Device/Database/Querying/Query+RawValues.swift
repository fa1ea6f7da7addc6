import CausewayQuery

// Queries act on stored values, so an enumeration is compared as its raw value, wherever it stands.

extension Query where T: PersistableEnum {
    /// The stored value of the enumeration.
    ///
    /// ```swift
    /// let running = jobs.where { $0.status.rawValue.starts(with: "in") }
    /// ```
    public var rawValue: Query<T.RawValue> { Query<T.RawValue>(part) }

    /// The same as `rawValue`.
    public var persistableValue: Query<T.RawValue> { rawValue }
}

extension Query where T: _QueryOptional, T.Wrapped: PersistableEnum {
    /// The stored value of the enumeration, or nil.
    public var rawValue: Query<T.Wrapped.RawValue?> { Query<T.Wrapped.RawValue?>(part) }

    /// The same as `rawValue`.
    public var persistableValue: Query<T.Wrapped.RawValue?> { rawValue }
}

// MARK: - In collections

extension Query where T: RealmCollection, T.Element: PersistableEnum, T.Element.RawValue: RealmCollectionValue {
    /// The stored values of the enumeration's cases in the collection.
    ///
    /// ```swift
    /// enum Stage: String, PersistableEnum { case planned, inWork, done }
    /// class Plan: Object { @Persisted var stages: List<Stage> }
    /// let begun = realm.objects(Plan.self).where { $0.stages.rawValue.contains("inWork") }
    /// ```
    public var rawValue: Query<AnyRealmCollection<T.Element.RawValue>> {
        Query<AnyRealmCollection<T.Element.RawValue>>(part)
    }

    /// The same as `rawValue`.
    public var persistableValue: Query<AnyRealmCollection<T.Element.RawValue>> { rawValue }
}

extension Query
where
    T: RealmCollection, T.Element: _QueryOptional, T.Element.Wrapped: PersistableEnum,
    T.Element.Wrapped.RawValue: RealmCollectionValue & _OptionalPersistable
{
    /// The stored values of the enumeration's cases in the collection.
    public var rawValue: Query<AnyRealmCollection<T.Element.Wrapped.RawValue?>> {
        Query<AnyRealmCollection<T.Element.Wrapped.RawValue?>>(part)
    }
}

extension Query where T: RealmCollection, T.Element: _CustomPersistable {
    /// The values that are stored for those of the collection.
    ///
    /// ```swift
    /// class Week: Object { @Persisted var temperatures: List<Celsius> }
    /// let withFrost = realm.objects(Week.self).where { $0.temperatures.persistableValue < 0 }
    /// ```
    public var persistableValue: Query<AnyRealmCollection<T.Element.PersistedType>> {
        Query<AnyRealmCollection<T.Element.PersistedType>>(part)
    }
}

// MARK: - In maps

extension Query where T: RealmKeyedCollection, T.Value: PersistableEnum, T.Value.RawValue: RealmCollectionValue {
    /// The stored values of the enumeration's cases in the map.
    ///
    /// ```swift
    /// enum Stage: String, PersistableEnum { case planned, inWork, done }
    /// class Plan: Object { @Persisted var stages: Map<String, Stage> }
    /// let begun = realm.objects(Plan.self).where { $0.stages.rawValue.contains("inWork") }
    /// ```
    public var rawValue: Query<Map<T.Key, T.Value.RawValue>> { Query<Map<T.Key, T.Value.RawValue>>(part) }

    /// The same as `rawValue`.
    public var persistableValue: Query<Map<T.Key, T.Value.RawValue>> { rawValue }
}

extension Query
where
    T: RealmKeyedCollection, T.Value: _QueryOptional, T.Value.Wrapped: PersistableEnum,
    T.Value.Wrapped.RawValue: RealmCollectionValue & _OptionalPersistable
{
    /// The stored values of the enumeration's cases in the map.
    public var rawValue: Query<Map<T.Key, T.Value.Wrapped.RawValue?>> {
        Query<Map<T.Key, T.Value.Wrapped.RawValue?>>(part)
    }
}

extension Query where T: RealmKeyedCollection, T.Value: _CustomPersistable {
    /// The values that are stored for those of the map.
    public var persistableValue: Query<Map<T.Key, T.Value.PersistedType>> {
        Query<Map<T.Key, T.Value.PersistedType>>(part)
    }
}
