import CausewayModel

/// The difference between two arrays of keys: removed and inserted keys. All other keys kept their order.
///
/// A key that was removed and inserted again is in both lists, perhaps with the same place.
struct KeyUpdate {
    struct Place {
        var position: Int
        var key: ObjectKey
    }

    /// By position in the array before, ascending.
    var removed: [Place] = []
    /// By position in the array after, ascending.
    var inserted: [Place] = []

    var isEmpty: Bool { removed.isEmpty && inserted.isEmpty }

    /// The update as a change of positions, without modifications.
    ///
    /// A key that was put back between the same neighbours does not count as changed. Of several between the same two,
    /// the most that kept their order do not count.
    ///
    /// - Complexity: O(k log k) for k removed and inserted keys.
    var indexChanges: IndexChanges {
        var places: [ObjectKey: Int] = [:]
        for (index, place) in removed.enumerated() { places[place.key] = index }
        let origins = inserted.enumerated().map { index, place -> Int? in
            guard let origin = places[place.key], removed[origin].position - origin == place.position - index else {
                return nil
            }
            return origin
        }
        let stays = longestAscendingRun(origins)
        let kept = Set(zip(origins, stays).compactMap { origin, stays in stays ? origin : nil })
        var changes = IndexChanges()
        changes.deletions = removed.indices.filter { !kept.contains($0) }.map { removed[$0].position }
        changes.insertions = inserted.indices.filter { !stays[$0] }.map { inserted[$0].position }
        return changes
    }
}

extension [ObjectKey] {
    /// More changes than this are made in one pass over the array; fewer by shifting the keys behind each change.
    private static var shiftsMax: Int { 4 }

    /// - Complexity: O(n), a copy of memory.
    mutating func remove(at places: [KeyUpdate.Place]) {
        if places.count <= Self.shiftsMax {
            for place in places.reversed() { remove(at: place.position) }
            return
        }
        var result: [ObjectKey] = []
        result.reserveCapacity(count)
        var next = 0
        for place in places {
            result += self[next..<place.position]
            next = place.position + 1
        }
        result += self[next...]
        self = result
    }

    /// - Complexity: O(n), a copy of memory.
    mutating func insert(_ places: [KeyUpdate.Place]) {
        if places.count <= Self.shiftsMax {
            for place in places { insert(place.key, at: place.position) }
            return
        }
        var result: [ObjectKey] = []
        result.reserveCapacity(count + places.count)
        var next = 0
        for place in places {
            let end = next + place.position - result.count
            result += self[next..<end]
            result.append(place.key)
            next = end
        }
        result += self[next...]
        self = result
    }

    /// The places of the given keys in an array of any order, by ascending position.
    ///
    /// - Complexity: O(n), with a few instructions for an element.
    func places(of keys: [ObjectKey]) -> [KeyUpdate.Place] {
        guard let filter = KeyFilter(keys) else { return [] }
        var result: [KeyUpdate.Place] = []
        withUnsafeBufferPointer { buffer in
            for position in buffer.indices where filter.contains(buffer[position]) {
                result.append(KeyUpdate.Place(position: position, key: buffer[position]))
            }
        }
        return result
    }

    /// The first position in an ascending array whose key is not below the given one.
    func lowerBound(_ key: ObjectKey, from start: Int = 0) -> Int {
        self[start...].partitioningIndex { $0 >= key }
    }

    /// The position of a key in an ascending array, or nil.
    func ascendingPosition(of key: ObjectKey) -> Int? {
        let position = lowerBound(key)
        return position < count && self[position] == key ? position : nil
    }
}

/// A set of keys, made for many membership tests.
private struct KeyFilter {
    /// The set is a bitmap if it needs at most this many bits for each key, or fewer than `bitsAlways` bits.
    private static let bitsPerKeyMax: UInt64 = 1024
    private static let bitsAlways: UInt64 = 1 << 16

    private let lowest: UInt64
    private let span: UInt64
    private var bits: [UInt64] = []
    private var keys: Set<ObjectKey> = []

    /// Nil when there are no keys.
    init?(_ keys: [ObjectKey]) {
        guard let lowest = keys.min(), let highest = keys.max() else { return nil }
        self.lowest = UInt64(bitPattern: lowest.rawValue)
        span = UInt64(bitPattern: highest.rawValue) &- self.lowest
        if span < max(Self.bitsAlways, UInt64(keys.count) * Self.bitsPerKeyMax) {
            bits = [UInt64](repeating: 0, count: Int(span / 64) + 1)
            for key in keys {
                let offset = UInt64(bitPattern: key.rawValue) &- self.lowest
                bits[Int(offset / 64)] |= 1 << (offset % 64)
            }
        } else {
            self.keys = Set(keys)
        }
    }

    @inline(__always)
    func contains(_ key: ObjectKey) -> Bool {
        let offset = UInt64(bitPattern: key.rawValue) &- lowest
        guard offset <= span else { return false }
        if bits.isEmpty { return keys.contains(key) }
        return bits[Int(offset / 64)] >> (offset % 64) & 1 != 0
    }
}
