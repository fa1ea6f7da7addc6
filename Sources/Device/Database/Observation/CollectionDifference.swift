import CausewayModel

/// The changes of a collection by position. All three lists ascend.
package struct IndexChanges: Equatable, Sendable {
    /// Positions in the old collection.
    package var deletions: [Int] = []
    /// Positions in the new collection.
    package var insertions: [Int] = []
    /// Positions in the new collection of elements that were modified and neither inserted nor moved.
    package var modifications: [Int] = []

    package init() {}

    package var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
}

/// The deletions and insertions that turn one sequence of keys into another, deletions first.
///
/// An element that moved is deleted and inserted. If no key repeats, the number of moves is minimal: the elements that
/// stay are a longest run in unchanged order. Repeated keys, which lists of values may have, are matched first to first
/// and second to second. The elements that stay are then still in order, but a longer run may exist.
///
/// - Complexity: O(n) when at most one stretch changed, or when elements were inserted and deleted but not moved.
///   O(n log n) when elements moved.
package func indexChanges<Key: Hashable>(from old: [Key], to new: [Key]) -> IndexChanges {
    // Nearly every commit touches one stretch of a collection. The equal parts at both ends need no table.
    let prefix = commonPrefixCount(old, new)
    let suffix = commonSuffixCount(old, new, after: prefix)
    let oldMiddle = prefix..<(old.count - suffix)
    let newMiddle = prefix..<(new.count - suffix)

    var changes = IndexChanges()
    if oldMiddle.isEmpty || newMiddle.isEmpty {
        changes.deletions.append(contentsOf: oldMiddle)
        changes.insertions.append(contentsOf: newMiddle)
        return changes
    }
    let origins = matchedOrigins(of: new, newMiddle, in: old, oldMiddle)
    let stays = longestAscendingRun(origins)
    var kept = oldMiddle.lowerBound
    for (offset, index) in newMiddle.enumerated() {
        guard stays[offset], let origin = origins[offset] else {
            changes.insertions.append(index)
            continue
        }
        changes.deletions.append(contentsOf: kept..<origin)
        kept = origin + 1
    }
    changes.deletions.append(contentsOf: kept..<oldMiddle.upperBound)
    return changes
}

/// The same for two ascending arrays without repeated keys.
///
/// - Complexity: O(n), without a table.
package func ascendingIndexChanges<Key: Comparable>(from old: [Key], to new: [Key]) -> IndexChanges {
    var changes = IndexChanges()
    var (oldIndex, newIndex) = (0, 0)
    while oldIndex < old.count, newIndex < new.count {
        if old[oldIndex] == new[newIndex] {
            oldIndex += 1
            newIndex += 1
        } else if old[oldIndex] < new[newIndex] {
            changes.deletions.append(oldIndex)
            oldIndex += 1
        } else {
            changes.insertions.append(newIndex)
            newIndex += 1
        }
    }
    changes.deletions.append(contentsOf: oldIndex..<old.count)
    changes.insertions.append(contentsOf: newIndex..<new.count)
    return changes
}

private func commonPrefixCount<Key: Equatable>(_ old: [Key], _ new: [Key]) -> Int {
    let limit = min(old.count, new.count)
    var count = 0
    while count < limit, old[count] == new[count] { count += 1 }
    return count
}

private func commonSuffixCount<Key: Equatable>(_ old: [Key], _ new: [Key], after prefix: Int) -> Int {
    let limit = min(old.count, new.count) - prefix
    var count = 0
    while count < limit, old[old.count - 1 - count] == new[new.count - 1 - count] { count += 1 }
    return count
}

/// For each position of the new middle, the old position of the same element, or nil for a new element.
private func matchedOrigins<Key: Hashable>(
    of new: [Key], _ newMiddle: Range<Int>, in old: [Key], _ oldMiddle: Range<Int>
) -> [Int?] {
    // The first old position of each key, and for each position the next one with the same key.
    var first: [Key: Int] = Dictionary(minimumCapacity: oldMiddle.count)
    var following = [Int?](repeating: nil, count: oldMiddle.count)
    for index in oldMiddle.reversed() {
        following[index - oldMiddle.lowerBound] = first.updateValue(index, forKey: old[index])
    }
    return newMiddle.map { index in
        guard let origin = first[new[index]] else { return nil }
        first[new[index]] = following[origin - oldMiddle.lowerBound]
        return origin
    }
}

/// Marks the positions of a longest strictly ascending subsequence. Nil origins do not belong to it.
func longestAscendingRun(_ origins: [Int?]) -> [Bool] {
    var stays = origins.map { $0 != nil }
    var highest = -1
    let isAscending = origins.allSatisfy { origin in
        guard let origin else { return true }
        defer { highest = origin }
        return origin > highest
    }
    if isAscending { return stays }

    // Patience sorting: of all runs of length k + 1, `ends[k]` is the last position of the one with the lowest end.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: origins.count)
    var values: [Int] = []
    for (position, origin) in origins.enumerated() {
        guard let origin else { continue }
        let place = values.partitioningIndex { $0 >= origin }
        previous[position] = place > 0 ? ends[place - 1] : -1
        if place == ends.count {
            ends.append(position)
            values.append(origin)
        } else {
            ends[place] = position
            values[place] = origin
        }
    }
    stays = [Bool](repeating: false, count: origins.count)
    var position = ends.last ?? -1
    while position >= 0 {
        stays[position] = true
        position = previous[position]
    }
    return stays
}
