import CausewayModel
import CausewayObjectStore

extension Realm {
    /// All objects of a class, live.
    ///
    /// ```swift
    /// let adults = realm.objects(Person.self).where { $0.age >= 18 }.sorted(by: \.name)
    /// ```
    ///
    /// - Complexity: O(1). Nothing is read until the results are used.
    public func objects<Element: Object>(_ type: Element.Type) -> Results<Element> {
        Results(type._everything(in: self))
    }

    /// The object with a primary key, or nil.
    ///
    /// ```swift
    /// let person = realm.object(ofType: Person.self, forPrimaryKey: 12345)
    /// ```
    ///
    /// A class without primary key, or a key of another type, stops the program.
    ///
    /// - Complexity: O(log n).
    public func object<Element: Object, KeyType>(ofType type: Element.Type, forPrimaryKey key: KeyType) -> Element? {
        instance.checkThread()
        let access = instance.access(for: type)
        guard let row = access.plainPrimaryKey(key).map(access.table.key) ?? access.row(forPrimaryKey: key) else {
            return nil
        }
        return access.object(row, as: type)
    }
}

extension _ClassAccess {
    /// A key of the very type that the primary key has; nil where there is none, or the key is another type's. Spares the
    /// usual keys the conversion of a value of unknown type, which costs as much as the search.
    @inline(__always)
    fileprivate func plainPrimaryKey<Key>(_ key: Key) -> PrimaryKey? {
        // Each cast is of a value whose type was just compared.
        switch primaryKeyPlace?.type {
        case .int where Key.self == Int.self: .int(Int64(unsafeBitCast(key, to: Int.self)))
        case .string where Key.self == String.self: .string(unsafeBitCast(key, to: String.self))
        default: nil
        }
    }

    /// The row of a primary key given as any Swift value, or nil. A class without one, or a key of another type, stops
    /// the program.
    func row(forPrimaryKey key: Any) -> ObjectKey? {
        guard let property = model.primaryKey else {
            misuse("'\(model.className)' does not have a primary key defined")
        }
        guard
            let value = storedValue(of: key)?
                .converted(to: property.shape.type, isOptional: property.shape.isOptional),
            let primaryKey = PrimaryKey(value)
        else {
            misuse(
                "Invalid value '\(key)' of type '\(type(of: key))' for '\(property.shape.type.word)' property "
                    + "'\(model.className).\(property.name)'.")
        }
        return table.key(for: primaryKey)
    }
}
