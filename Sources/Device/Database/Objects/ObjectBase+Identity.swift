extension ObjectBase: Hashable {
    /// Two managed objects of a class with a primary key are equal when they are the same row; all others when they
    /// are the same instance.
    public static func == (left: ObjectBase, right: ObjectBase) -> Bool {
        if left === right { return true }
        guard let access = left._access, access.model.primaryKey != nil else { return false }
        return left.isSameRow(as: right)
    }

    public func hash(into hasher: inout Hasher) {
        if let access = _access, access.model.primaryKey != nil {
            hasher.combine(access.model.className)
            hasher.combine(_key)
        } else {
            hasher.combine(ObjectIdentifier(self))
        }
    }

    /// Whether both are accessors of one row of one file.
    final func isSameRow(as other: ObjectBase) -> Bool {
        guard let access = _access, let otherAccess = other._access else { return self === other }
        return _key == other._key && access.model.className == otherAccess.model.className
            && access.instance.showsSameObjects(as: otherAccess.instance)
    }
}

extension ObjectBase {
    /// Whether the other object is the same row of the same Realm, whatever instance it is.
    ///
    /// ```swift
    /// realm.objects(Dog.self)[0].isSameObject(as: rex)
    /// ```
    public func isSameObject(as other: ObjectBase?) -> Bool {
        guard let other else { return false }
        return isSameRow(as: other)
    }
}
