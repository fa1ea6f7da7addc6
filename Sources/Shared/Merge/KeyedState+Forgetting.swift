import CausewayModel

// RULES.md, section 12: a removal that everybody has seen need not be remembered.

extension KeyedState {
    /// Whether the state holds removed keys (tombstones).
    package var remembersRemoved: Bool { entries.contains { $0.value == nil } }

    /// The removed keys, with the stamps of their removals.
    package var removed: KeyedState {
        KeyedState(ascending: entries.filter { $0.value == nil })
    }

    /// Forgets the removed keys that another state holds with the same stamp.
    ///
    /// - Complexity: O(n + m)
    package mutating func forget(_ removed: KeyedState) {
        var others = Array(removed.entries)[...]
        let kept = entries.filter { entry in
            guard entry.value == nil else { return true }
            others = others.drop { Value.canonicallyPrecedes($0.key, entry.key) }
            guard let other = others.first, !Value.canonicallyPrecedes(entry.key, other.key) else { return true }
            return other.stamp != entry.stamp
        }
        self = KeyedState(ascending: kept)
    }
}
