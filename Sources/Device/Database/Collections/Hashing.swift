// Collections as keys and in hashed values. A collection that changes afterwards is no longer found, as with any class.

extension List: Hashable {
    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        if case .unmanaged(let elements) = state { hasher.combine(elements) } else { managed?.hash(into: &hasher) }
    }
}

extension MutableSet: Hashable {
    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        if case .unmanaged(_, let members) = state {
            hasher.combine(members)
        } else {
            managed?.list.hash(into: &hasher)
        }
    }
}

extension Map: Hashable {
    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        if case .unmanaged(let entries) = state { hasher.combine(entries) } else { managed?.list.hash(into: &hasher) }
    }
}

extension ManagedList {
    fileprivate func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(column)
        hasher.combine(ObjectIdentifier(access))
    }
}
