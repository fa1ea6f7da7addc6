extension Query where T: ObjectBase {
    /// A property declared with `RealmProperty`.
    ///
    /// ```swift
    /// class Guest: Object { let age = RealmProperty<Int?>() }
    /// let adults = realm.objects(Guest.self).where { $0.age >= 18 }
    /// ```
    public subscript<V: RealmPropertyType>(dynamicMember member: KeyPath<T, RealmProperty<V>>) -> Query<V> {
        appending(_name(for: member), V._shape)
    }

    /// A property declared with `RealmOptional`.
    ///
    /// ```swift
    /// class Guest: Object { let age = RealmOptional<Int>() }
    /// let adults = realm.objects(Guest.self).where { $0.age >= 18 }
    /// ```
    public subscript<V: RealmOptionalType>(dynamicMember member: KeyPath<T, RealmOptional<V>>) -> Query<V?> {
        appending(_name(for: member), V?._shape)
    }
}

extension Query where T: _QueryOptional, T.Wrapped: ObjectBase {
    /// A property of the linked object declared with `RealmProperty`.
    ///
    /// ```swift
    /// class Guest: Object { let age = RealmProperty<Int?>() }
    /// class Party: Object { @Persisted var host: Guest? }
    /// let ofAdults = realm.objects(Party.self).where { $0.host.age >= 18 }
    /// ```
    public subscript<V: RealmPropertyType>(dynamicMember member: KeyPath<T.Wrapped, RealmProperty<V>>) -> Query<V> {
        appending(_name(for: member), V._shape)
    }
}

extension Query where T: RealmCollection, T.Element: ObjectBase {
    /// A property of each object of the collection, declared with `RealmProperty`.
    ///
    /// ```swift
    /// class Guest: Object { let age = RealmProperty<Int?>() }
    /// class Party: Object { @Persisted var guests: List<Guest> }
    /// let withAdults = realm.objects(Party.self).where { $0.guests.age >= 18 }
    /// ```
    public subscript<V: RealmPropertyType>(dynamicMember member: KeyPath<T.Element, RealmProperty<V>>) -> Query<V> {
        appending(_name(for: member), V._shape, isPlural: true)
    }
}
