package import CausewayModel

/// What a write did to one element of a set, or to one key of a map, all its edits together.
package struct KeyedChange: Hashable, Sendable {
    /// The element, or the key as a string.
    package var key: Value
    /// What was there: the element itself, or the value of the key. Nil for nothing.
    package var before: Value?
    package var after: Value?
}

extension Table {
    /// What this write did to a set or a map that was there before. An element that left and came back has not changed.
    ///
    /// - Parameter base: the table as it was when the write began.
    /// - Complexity: O(e log n + e²) for few edits, O(n) for more than `editsSearchedMax` or if everything was removed
    package func keyedChanges(_ key: ObjectKey, _ column: Int, since base: Table) -> [KeyedChange] {
        let edits = listEditsSoFar(key, column)
        let keys = schema.properties[column].collection == .map ? Table.keys(of: column) : column
        guard let places = KeyedPlaces(edits) else { return allKeyedChanges(key, column, keys, base) }
        let names =
            places.before.map { base.listValue(key, keys, $0) } + places.after.map { listValue(key, keys, $0) }
        var known: Set<SetElement> = []
        return names.filter { known.insert(SetElement($0)).inserted }.compactMap { name in
            keyedChange(name, base.entry(key, column, keys, name), entry(key, column, keys, name))
        }
    }

    private func keyedChange(_ name: Value, _ before: Value?, _ after: Value?) -> KeyedChange? {
        before == after ? nil : KeyedChange(key: name, before: before, after: after)
    }

    private func entry(_ key: ObjectKey, _ column: Int, _ keys: Int, _ name: Value) -> Value? {
        let place = Value.canonicalPlace(of: name, count: listCount(key, keys)) { listValue(key, keys, $0) }
        return place.isThere ? listValue(key, column, place.index) : nil
    }

    /// By comparing all that is there with all that was there.
    private func allKeyedChanges(_ key: ObjectKey, _ column: Int, _ keys: Int, _ base: Table) -> [KeyedChange] {
        let (olds, news) = (base.listValues(key, keys), listValues(key, keys))
        let (befores, afters) = (base.listValues(key, column), listValues(key, column))
        guard olds.count == befores.count, news.count == afters.count else { return [] }
        var changes: [KeyedChange] = []
        var (old, new) = (0, 0)
        while old < olds.count || new < news.count {
            if old < olds.count, new == news.count || Value.canonicallyPrecedes(olds[old], news[new]) {
                changes.append(KeyedChange(key: olds[old], before: befores[old], after: nil))
                old += 1
            } else if old == olds.count || Value.canonicallyPrecedes(news[new], olds[old]) {
                changes.append(KeyedChange(key: news[new], before: nil, after: afters[new]))
                new += 1
            } else {
                if let change = keyedChange(news[new], befores[old], afters[new]) { changes.append(change) }
                old += 1
                new += 1
            }
        }
        return changes
    }
}

/// Which places of a set or a map edits have touched.
private struct KeyedPlaces {
    /// More edits are not searched one by one.
    static let editsSearchedMax = 1024

    /// Of what was removed or replaced, before all edits.
    var before: [Int] = []
    /// Of what was inserted or replaced and is still there, after all edits.
    var after: [Int] = []

    /// Nil for too many edits, and where everything was removed at once.
    init?(_ edits: [ListEdit]) {
        if edits.count > Self.editsSearchedMax { return nil }
        for (index, edit) in edits.enumerated() {
            switch edit {
            case .insert(let place, _):
                if let place = Self.final(place, edits[(index + 1)...]) { after.append(place) }
            case .remove(let place):
                if let place = Self.first(place, edits[..<index]) { before.append(place) }
            case .set(let place, _):
                if let place = Self.final(place, edits[(index + 1)...]) { after.append(place) }
            case .move, .clear: return nil
            }
        }
    }

    /// Where what is at a place was before these edits; nil if one of them has put it there.
    private static func first(_ place: Int, _ edits: ArraySlice<ListEdit>) -> Int? {
        var place = place
        for edit in edits.reversed() {
            switch edit {
            case .insert(let other, _):
                if other == place { return nil }
                if other < place { place -= 1 }
            case .remove(let other): if other <= place { place += 1 }
            case .set, .move, .clear: break
            }
        }
        return place
    }

    /// Where what is at a place is after these edits; nil if one of them has removed it.
    private static func final(_ place: Int, _ edits: ArraySlice<ListEdit>) -> Int? {
        var place = place
        for edit in edits {
            switch edit {
            case .insert(let other, _): if other <= place { place += 1 }
            case .remove(let other):
                if other == place { return nil }
                if other < place { place -= 1 }
            case .set, .move, .clear: break
            }
        }
        return place
    }
}

extension SetElement {
    /// The same in all processes. Different elements rarely have the same one.
    package var lastingHash: UInt32 {
        var hash = LastingHash()
        switch value {
        case .null: hash.add(0)
        case .bool(let value): hash.add(value ? 1 : 2)
        case .int(let value): hash.add(UInt64(bitPattern: value))
        case .float(let value): hash.add(UInt64((value + 0.0).storedBits))
        case .double(let value): hash.add((value + 0.0).storedBits)
        case .decimal(let value):
            hash.add(UInt64(truncatingIfNeeded: value.orderedBits >> 64))
            hash.add(UInt64(truncatingIfNeeded: value.orderedBits))
        case .string(let value): hash.add(bytes: value.utf8)
        case .bytes(let value): hash.add(bytes: value)
        case .timestamp(let value):
            hash.add(UInt64(bitPattern: value.seconds))
            hash.add(UInt64(bitPattern: Int64(value.nanoseconds)))
        case .objectId(let value):
            hash.add(value.high)
            hash.add(UInt64(value.low))
        case .uuid(let value):
            hash.add(value.high)
            hash.add(value.low)
        case .object(let key): hash.add(UInt64(bitPattern: key.rawValue))
        case .anyObject(let link):
            hash.add(UInt64(link.classNumber))
            hash.add(UInt64(bitPattern: link.key.rawValue))
        // In motion only; nothing that is stored.
        case .link, .anyLink: break
        }
        return hash.folded
    }
}

/// FNV-1a with 64 bits, folded to 32.
private struct LastingHash {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    var folded: UInt32 { UInt32(truncatingIfNeeded: state ^ state >> 32) }

    mutating func add(bytes: some Sequence<UInt8>) {
        for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    mutating func add(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { add(bytes: $0) }
    }
}
