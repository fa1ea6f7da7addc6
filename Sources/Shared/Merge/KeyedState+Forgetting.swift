import CausewayModel

// RULES.md, section 12: what everybody has seen to be removed need not be remembered.

extension KeyedState {
    /// Whether keys that are gone are remembered.
    package var remembersRemoved: Bool { entries.contains { $0.value == nil } }

    /// The keys that are gone, with the stamps that say so.
    package var removed: KeyedState {
        KeyedState(ascending: entries.filter { $0.value == nil })
    }

    /// Forgets keys that are gone since the same stamp as in another state.
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
