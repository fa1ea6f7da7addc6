package import CausewayModel
package import CausewayOperations

/// The state of one set or map: for each key its value, or that it is removed, and the stamp of that operation.
///
/// `RULES.md`, section 4, says what it means. A set is a map whose values are null. Entries are in the canonical order
/// of their keys, each key once, so that the order of arrival never shows.
package struct KeyedState: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package var key: Value
        /// Nil once removed: the stamp of the removal still beats older puts.
        package var value: Value?
        package var stamp: Stamp

        package init(key: Value, value: Value?, stamp: Stamp) {
            self.key = key
            self.value = value
            self.stamp = stamp
        }
    }

    package private(set) var entries = SortedChunks<Entry>()

    package init() {}

    /// - Parameter entries: in any order; if a key is named twice, the entry with the later stamp stays.
    package init(_ entries: [Entry]) {
        for entry in entries { put(entry) }
    }

    /// - Precondition: the keys ascend.
    init(ascending entries: [Entry]) {
        self.entries = SortedChunks(ascending: entries)
    }
}

// MARK: - What everybody sees

extension KeyedState {
    /// What is there, in the order of the keys.
    package var visible: [(key: Value, value: Value)] {
        entries.compactMap { entry in entry.value.map { (key: entry.key, value: $0) } }
    }

    package var isEmpty: Bool { entries.allSatisfy { $0.value == nil } }

    /// - Complexity: O(log n)
    package subscript(key: Value) -> Value? { entry(of: key)?.value }

    /// The key in the form in which it is there; nil if it is not there. 0 and −0 are one key in two forms.
    ///
    /// - Complexity: O(log n)
    package func standing(_ key: Value) -> Value? {
        entry(of: key).flatMap { $0.value == nil ? nil : $0.key }
    }

    package var latestStamp: Stamp {
        entries.reduce(.zero) { max($0, $1.stamp) }
    }

    private func entry(of key: Value) -> Entry? {
        entries[place(of: key)].flatMap { Value.canonicallyPrecedes(key, $0.key) ? nil : $0 }
    }

    private func place(of key: Value) -> SortedChunks<Entry>.Place {
        entries.place { Value.canonicallyPrecedes($0.key, key) }
    }
}

// MARK: - Joining

extension KeyedState {
    /// K1 to K6: the later stamp wins; at equal stamps the operation joined last.
    ///
    /// - Complexity: O(log n)
    package mutating func join(_ operation: KeyedOperation, stamp: Stamp) -> Outcome {
        let value: Value? = if case .put(_, let value) = operation { value } else { nil }
        return put(Entry(key: operation.key, value: value, stamp: stamp))
    }

    @discardableResult
    private mutating func put(_ entry: Entry) -> Outcome {
        let place = place(of: entry.key)
        guard let present = entries[place], !Value.canonicallyPrecedes(entry.key, present.key) else {
            entries.insert(entry, at: place)
            return .applied
        }
        if entry.stamp < present.stamp { return .noEffect }
        entries.replace(at: place, with: entry)
        return .applied
    }

    /// Does what the server did: the operation takes effect whatever stamps are here.
    ///
    /// - Complexity: O(log n)
    package mutating func follow(_ operation: KeyedOperation, stamp: Stamp) {
        let value: Value? = if case .put(_, let value) = operation { value } else { nil }
        let entry = Entry(key: operation.key, value: value, stamp: stamp)
        let place = place(of: entry.key)
        if let present = entries[place], !Value.canonicallyPrecedes(entry.key, present.key) {
            entries.replace(at: place, with: entry)
        } else {
            entries.insert(entry, at: place)
        }
    }

    /// Becomes the state that has seen the operations of both: idempotent, commutative and associative.
    ///
    /// - Complexity: O(n + m)
    package mutating func merge(_ other: KeyedState) {
        var merged: [Entry] = []
        merged.reserveCapacity(max(entries.count, other.entries.count))
        var (ours, theirs) = (entries.makeIterator(), other.entries.makeIterator())
        var (left, right) = (ours.next(), theirs.next())
        while let first = left, let second = right {
            let isBefore = Value.canonicallyPrecedes(first.key, second.key)
            let isAfter = !isBefore && Value.canonicallyPrecedes(second.key, first.key)
            merged.append(isBefore || (!isAfter && !first.isBeaten(by: second)) ? first : second)
            if !isAfter { left = ours.next() }
            if !isBefore { right = theirs.next() }
        }
        while let first = left {
            merged.append(first)
            left = ours.next()
        }
        while let second = right {
            merged.append(second)
            right = theirs.next()
        }
        entries = SortedChunks(ascending: merged)
    }
}

extension KeyedState.Entry {
    /// The later stamp wins. States that saw only a part of one changeset may differ at equal stamps. Then a value
    /// beats a removal, and of two values the one with the greater bytes wins.
    fileprivate func isBeaten(by other: Self) -> Bool {
        if stamp != other.stamp { return stamp < other.stamp }
        guard let value, let otherValue = other.value else {
            return value == nil && (other.value != nil || other.key.isWrittenAfter(key))
        }
        // At equal values the keys may still be written differently (0 and −0).
        return value == otherValue ? other.key.isWrittenAfter(key) : otherValue.isWrittenAfter(value)
    }
}
