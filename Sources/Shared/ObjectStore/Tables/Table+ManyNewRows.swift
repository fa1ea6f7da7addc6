package import CausewayModel
import CausewayStorage

/// The primary keys of many new objects, in their order.
package enum NewKeys {
    /// The number of objects of a class without a primary key.
    case none(Int)
    case integers([Int64])
    case others([PrimaryKey])

    package var count: Int {
        switch self {
        case .none(let count): count
        case .integers(let keys): keys.count
        case .others(let keys): keys.count
        }
    }
}

/// Why objects were not made. Nothing was changed.
package struct NewKeysRefusal: Error {
    package var error: StoreError
    /// The key that exists already, comes twice or is too long.
    package var primaryKey: PrimaryKey
}

extension Table {
    /// Makes objects. The caller sets their properties next, their primary keys too.
    ///
    /// Ghosts of the primary keys come to life under their object keys. All other objects get consecutive keys. Throws
    /// when a primary key exists already, comes twice or is too long.
    ///
    /// - Complexity: O(n) for ascending keys above all others, else O(n log n).
    package func beginRows(_ keys: NewKeys) throws(NewKeysRefusal) -> NewRows {
        // A deleted object may still have one of the keys. What else waits would count as a change when it is read.
        transaction.settle()
        let ghosts: [Int: ObjectKey] =
            switch keys {
            case .none: [:]
            case .integers(let keys): try ghostsAmong(keys)
            case .others(let keys): try ghostsAmong(keys)
            }
        let firstKey = takeKeys(keys.count - ghosts.count)
        if nextKey > firstKey { changes.insert(firstKey..<nextKey) }
        for ghost in ghosts.values { bringToLife(ghost) }
        count += keys.count
        let runs = Self.runs(keys.count, firstKey, ghosts)
        switch keys {
        case .none: break
        case .integers(let keys): enter(keys, runs, isPlain: ghosts.isEmpty)
        case .others(let keys): enter(keys, runs, ghosts)
        }
        return NewRows(self, runs)
    }

    private func bringToLife(_ ghost: ObjectKey) {
        ghosts.write(ghost.leafNumber, of: self).setBit(ghost.slot, false)
        absent.write(ghost.leafNumber, of: self).setBit(ghost.slot, false)
        changes.insert(ghost)
    }

    private static func runs(_ count: Int, _ firstKey: Int64, _ ghosts: [Int: ObjectKey]) -> [NewRows.Run] {
        var runs: [NewRows.Run] = []
        var (start, nextKey) = (0, firstKey)
        for element in ghosts.keys.sorted() {
            if start < element { runs.append(NewRows.Run(elements: start..<element, firstKey: nextKey)) }
            nextKey += Int64(element - start)
            if let ghost = ghosts[element] {
                runs.append(NewRows.Run(elements: element..<element + 1, firstKey: ghost.rawValue))
            }
            start = element + 1
        }
        if start < count { runs.append(NewRows.Run(elements: start..<count, firstKey: nextKey)) }
        return runs
    }

    // MARK: - Integers

    /// The ghosts that have some of the keys, by the keys' positions. Throws for keys that objects have.
    private func ghostsAmong(_ keys: [Int64]) throws(NewKeysRefusal) -> [Int: ObjectKey] {
        guard let first = keys.first else { return [:] }
        if Self.isAscending(keys), integerKeys.isAboveLargest(first, transaction) { return [:] }
        var result: [Int: ObjectKey] = [:]
        var last: Int64?
        for position in Self.order(keys) {
            let key = keys[position]
            if key == last { throw refusal(.int(key)) }
            last = key
            guard !integerKeys.isAboveLargest(key, transaction), let known = find(key) else { continue }
            guard !exists(known) else { throw refusal(.int(key)) }
            result[position] = known
        }
        return result
    }

    private static func isAscending(_ keys: [Int64]) -> Bool {
        keys.withUnsafeBufferPointer { keys in
            var isAscending = true
            for index in keys.indices.dropFirst() { isAscending = isAscending && keys[index &- 1] < keys[index] }
            return isAscending
        }
    }

    /// Positions of keys, by ascending key.
    private static func order(_ keys: [Int64]) -> [Int] {
        guard let least = keys.min(), let greatest = keys.max() else { return [] }
        let codes = SortCodes(
            keys.map { UInt64(bitPattern: $0 &- least) }, greatest: max(1, UInt64(bitPattern: greatest &- least)))
        return RadixSort.entries([codes]).map { RadixSort.position($0) }
    }

    private func enter(_ keys: [Int64], _ runs: [NewRows.Run], isPlain: Bool) {
        if isPlain, let run = runs.first, Self.isAscending(keys) {
            integerKeys.insert(keys, firstRow: run.firstKey, transaction)
            return
        }
        var rows = [Int64](repeating: 0, count: keys.count)
        for run in runs {
            for element in run.elements { rows[element] = run.firstKey + Int64(element - run.elements.lowerBound) }
        }
        for position in Self.order(keys) { integerKeys.insert(keys[position], row: rows[position], transaction) }
    }

    // MARK: - Other primary keys

    private func ghostsAmong(_ keys: [PrimaryKey]) throws(NewKeysRefusal) -> [Int: ObjectKey] {
        do {
            return try knownGhosts(keys)
        } catch {
            // The largest known key may be one that was not entered after all.
            isLargestKnown = false
            throw error
        }
    }

    private func knownGhosts(_ keys: [PrimaryKey]) throws(NewKeysRefusal) -> [Int: ObjectKey] {
        var result: [Int: ObjectKey] = [:]
        var seen: Set<PrimaryKey> = []
        let previous = KeyBuffer()
        let buffer = transaction.keyBuffer
        // As long as each is above the one before, none of them can be among those before.
        var isAscending = true
        for (position, key) in keys.enumerated() {
            guard buffer.set(primaryKey: key) else {
                throw NewKeysRefusal(error: keyTooLong(), primaryKey: key)
            }
            if isAscending, position > 0, bytesOrder(previous.bytes, buffer.bytes) >= 0 {
                isAscending = false
                seen = Set(keys[..<position])
            }
            if isAscending {
                previous.set(buffer.bytes)
            } else if !seen.insert(key).inserted {
                throw refusal(key)
            }
            // A key that is given twice was refused above, so only those that are there already matter.
            guard !isAboveLargest(buffer), let known = keyOrGhost(for: key) else { continue }
            guard !exists(known) else { throw refusal(key) }
            result[position] = known
        }
        return result
    }

    private func enter(_ keys: [PrimaryKey], _ runs: [NewRows.Run], _ ghosts: [Int: ObjectKey]) {
        for run in runs {
            for element in run.elements where ghosts[element] == nil {
                enterKnownNew(keys[element], ObjectKey(run.firstKey + Int64(element - run.elements.lowerBound)))
            }
        }
    }

    private func refusal(_ primaryKey: PrimaryKey) -> NewKeysRefusal {
        NewKeysRefusal(error: duplicate(primaryKey), primaryKey: primaryKey)
    }
}
