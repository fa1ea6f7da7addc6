extension ObjectBase: Hashable {
    /// Whether the objects are equal by `isEqual(_:)` of the left one.
    public static func == (left: ObjectBase, right: ObjectBase) -> Bool {
        left === right || left.isEqual(right)
    }

    /// Feeds the object's `hash` to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }

    /// Whether it is the row that makes the object equal to others: where the row can never become another object.
    final var comparesByRow: Bool {
        guard let access = _access else { return false }
        return access.model.primaryKey != nil || access.instance.isFrozen
    }

    /// Whether both are accessors of one row of one file.
    final func isSameRow(as other: ObjectBase) -> Bool {
        guard let access = _access, let otherAccess = other._access else { return self === other }
        return _key == other._key && access.model.className == otherAccess.model.className
            && access.instance.showsSameObjects(as: otherAccess.instance)
    }
}

extension ObjectBase {
    /// Whether both objects stand for the same row of the same Realm.
    ///
    /// ```swift
    /// realm.objects(Dog.self)[0].isSameObject(as: rex)
    /// ```
    public func isSameObject(as other: ObjectBase?) -> Bool {
        guard let other else { return false }
        return isSameRow(as: other)
    }
}
