package import CausewayModel

// A set is a list whose elements are in canonical order, each once. A map is two lists of equal length in the order of
// its keys. Its values are under the property's own column, where queries read them as any list's elements. Its keys
// are under a column of their own, whose number is the complement of the property's.

extension Table {
    /// The column by which the list calls find the keys of a map.
    @inlinable
    package static func keys(of column: Int) -> Int { ~column }

    /// The property whose elements, or keys, a column holds.
    @inlinable
    package static func property(of column: Int) -> Int { column < 0 ? ~column : column }

    func listTree(_ column: Int) -> UInt32 {
        column < 0 ? columns[~column].keysTree : columns[column].listTree
    }

    func elementType(_ column: Int) -> PropertyType {
        column < 0 ? .string : schema.properties[column].type
    }

    // MARK: - Sets

    /// The place of an element in a set, or where it belongs. A link must be given as a row.
    ///
    /// - Complexity: O(log n)
    package func setPlace(_ key: ObjectKey, _ column: Int, _ element: Value) -> (index: Int, isThere: Bool) {
        Value.canonicalPlace(of: element, count: listCount(key, column)) { listValue(key, column, $0) }
    }

    /// Puts an element into a set; false when it was there.
    @discardableResult
    package func setInsert(_ key: ObjectKey, _ column: Int, _ element: Value) -> Bool {
        let element = atRest(element, column)
        let place = setPlace(key, column, element)
        if place.isThere { return false }
        listInsert(key, column, place.index, element)
        return true
    }

    /// Takes an element out of a set; false when it was not there.
    @discardableResult
    package func setRemove(_ key: ObjectKey, _ column: Int, _ element: Value) -> Bool {
        let place = setPlace(key, column, atRest(element, column))
        if place.isThere { listRemove(key, column, place.index) }
        return place.isThere
    }

    /// Replaces the elements of a set; they may come in any order. Only differences are written. An element that is
    /// equal but written differently, as −0 for 0, is a difference.
    package func setReplace(_ key: ObjectKey, _ column: Int, _ elements: [Value]) {
        let wanted = elements.map { atRest($0, column) }.canonical { $0 }
        let present = listValues(key, column)
        differences(from: present, to: wanted) { step in
            // The removal of an element may have deleted the object itself, if they held each other in a circle.
            guard exists(key) else { return }
            switch step {
            case .same(let index, let old, let element):
                if present[old] != wanted[element] { listSet(key, column, index, wanted[element]) }
            case .extra(let index, _): listRemove(key, column, index)
            case .missing(let index, let element): listInsert(key, column, index, wanted[element])
            }
        }
    }

    // MARK: - Maps

    /// Where a key stands in a map, or where it belongs.
    ///
    /// - Complexity: O(log n)
    package func mapPlace(_ key: ObjectKey, _ column: Int, _ name: String) -> (index: Int, isThere: Bool) {
        let names = Self.keys(of: column)
        return Value.canonicalPlace(of: .string(name), count: listCount(key, names)) { listValue(key, names, $0) }
    }

    /// The value of a key; nil when the key is not there.
    package func mapValue(_ key: ObjectKey, _ column: Int, _ name: String) -> Value? {
        let place = mapPlace(key, column, name)
        return place.isThere ? listValue(key, column, place.index) : nil
    }

    /// The keys of a map, ascending.
    package func mapKeys(_ key: ObjectKey, _ column: Int) -> [String] {
        listValues(key, Self.keys(of: column)).compactMap { if case .string(let name) = $0 { name } else { nil } }
    }

    package func mapPut(_ key: ObjectKey, _ column: Int, _ name: String, _ value: Value) {
        let place = mapPlace(key, column, name)
        if place.isThere {
            listSet(key, column, place.index, value)
        } else {
            listInsert(key, column, place.index, value)
            listInsert(key, Self.keys(of: column), place.index, .string(name))
        }
    }

    /// Takes a key out of a map; false when it was not there.
    @discardableResult
    package func mapRemove(_ key: ObjectKey, _ column: Int, _ name: String) -> Bool {
        let place = mapPlace(key, column, name)
        guard place.isThere else { return false }
        mapRemove(key, column, at: place.index)
        return true
    }

    package func mapRemove(_ key: ObjectKey, _ column: Int, at index: Int) {
        listRemove(key, Self.keys(of: column), index)
        listRemove(key, column, index)
    }

    package func mapClear(_ key: ObjectKey, _ column: Int) {
        listClear(key, Self.keys(of: column))
        listClear(key, column)
    }

    /// Replaces the entries of a map; they may come in any order. Only differences are written.
    package func mapReplace(_ key: ObjectKey, _ column: Int, _ entries: [(key: String, value: Value)]) {
        let wanted = entries.canonical { .string($0.key) }
        let names = Self.keys(of: column)
        let values = listValues(key, column)
        differences(from: listValues(key, names), to: wanted.map { .string($0.key) }) { step in
            // As in `setReplace`.
            guard exists(key) else { return }
            switch step {
            case .same(let index, let old, let entry):
                let value = atRest(wanted[entry].value, column)
                if old >= values.count || values[old] != value { listSet(key, column, index, value) }
            case .extra(let index, _): mapRemove(key, column, at: index)
            case .missing(let index, let entry):
                listInsert(key, column, index, wanted[entry].value)
                listInsert(key, names, index, .string(wanted[entry].key))
            }
        }
    }

    /// Empties a list, a set or a map.
    package func clearCollection(_ key: ObjectKey, _ column: Int) {
        if columns[column].keysTree != 0 { mapClear(key, column) } else { listClear(key, column) }
    }

    // MARK: - Pieces

    /// An element as it is stored: a link as the row it means, which may be a ghost made for it.
    private func atRest(_ value: Value, _ column: Int) -> Value {
        guard case .link = value, let row = resolve(value, column) else { return transaction.resting(value) }
        return .object(row)
    }

    private enum Step {
        /// A key that both have: its place now, its place before, and its place among the wanted ones.
        case same(Int, Int, Int)
        case extra(Int, Value)
        case missing(Int, Int)
    }

    /// Visits the steps from one ascending sequence to another. Each place counts the steps before it.
    private func differences(from present: [Value], to wanted: [Value], _ body: (Step) -> Void) {
        var (old, new, place) = (0, 0, 0)
        while old < present.count || new < wanted.count {
            if old < present.count, new == wanted.count || Value.canonicallyPrecedes(present[old], wanted[new]) {
                body(.extra(place, present[old]))
                old += 1
            } else if old == present.count || Value.canonicallyPrecedes(wanted[new], present[old]) {
                body(.missing(place, new))
                new += 1
                place += 1
            } else {
                body(.same(place, old, new))
                old += 1
                new += 1
                place += 1
            }
        }
    }
}

extension Array {
    /// In canonical order of their keys, each key once. Of equal keys the last one stays.
    fileprivate func canonical(_ key: (Element) -> Value) -> [Element] {
        let isCanonical = zip(self, dropFirst()).allSatisfy { Value.canonicallyPrecedes(key($0), key($1)) }
        if isCanonical { return self }
        let sorted = enumerated().sorted { left, right in
            let (first, second) = (key(left.element), key(right.element))
            if Value.canonicallyPrecedes(first, second) { return true }
            return !Value.canonicallyPrecedes(second, first) && left.offset < right.offset
        }
        var result: [Element] = []
        result.reserveCapacity(count)
        for (_, element) in sorted {
            if let last = result.last, !Value.canonicallyPrecedes(key(last), key(element)) { result.removeLast() }
            result.append(element)
        }
        return result
    }
}
