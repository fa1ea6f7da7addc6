/// How a write changed a list or a text: the stretch that differs, and what stood around it.
///
/// Undoing it finds the stretch again in a sequence that others have changed since, by its elements and their
/// neighbours, and changes only what is still as the write left it.
struct SequenceChange<Element: Hashable> {
    /// Where the stretch begins.
    private(set) var offset: Int
    private(set) var leading: [Element]
    private(set) var before: [Element]
    private(set) var after: [Element]
    private(set) var trailing: [Element]
    /// The elements of `after` that stood nowhere else: those are the same ones wherever they are.
    private(set) var unique: Set<Element>

    /// Nil where both are the same.
    ///
    /// - Parameters:
    ///   - neighbours: how many elements are kept on either side.
    ///   - areMovable: whether an element is found again at any place, if no other is equal to it.
    init?(from old: [Element], to new: [Element], neighbours: Int, areMovable: Bool) {
        let shorter = min(old.count, new.count)
        var start = 0
        while start < shorter, old[start] == new[start] { start += 1 }
        if start == old.count, start == new.count { return nil }
        var end = 0
        while end < shorter - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
        offset = start
        leading = Array(new[max(0, start - neighbours)..<start])
        before = Array(old[start..<(old.count - end)])
        after = Array(new[start..<(new.count - end)])
        trailing = Array(new[(new.count - end)..<min(new.count, new.count - end + neighbours)])
        unique = []
        if areMovable {
            var counts = Dictionary(after.map { ($0, 0) }) { first, _ in first }
            for element in new { counts[element]? += 1 }
            unique = Set(counts.lazy.filter { $0.value == 1 }.map(\.key))
        }
    }

    /// The same with other names for the elements.
    func mapped(_ transform: (Element) -> Element) -> Self {
        var result = self
        result.leading = leading.map(transform)
        result.before = before.map(transform)
        result.after = after.map(transform)
        result.trailing = trailing.map(transform)
        result.unique = Set(unique.map(transform))
        return result
    }

    // MARK: - Undoing

    /// What undoing does to the present elements, from the last place to the first, so that places stay right.
    func undoing(in present: [Element]) -> [SequenceEdit<Element>] {
        let known = leading + after + trailing
        let places = SequenceAlignment(of: known, in: present, near: offset - leading.count).places
        var edits: [SequenceEdit<Element>] = []
        let found = found(places, in: present)
        let hunks = self.hunks
        // An element that moved comes back to its old place only if it is still at the new one.
        var moved: [Element: Bool] = [:]
        for hunk in hunks where hunk.inserted.isEmpty {
            for index in hunk.removed { moved[after[index]] = found[index] != nil }
        }
        for hunk in hunks {
            let present = hunk.removed.compactMap { found[$0] }
            if !hunk.removed.isEmpty {
                guard let first = present.first else { continue }
                if hunk.removed.count == hunk.inserted.count {
                    for (old, index) in zip(hunk.inserted, hunk.removed) {
                        guard let place = found[index] else { continue }
                        edits.append(.set(place, before[old]))
                    }
                    continue
                }
                edits += present.map { .remove($0) }
                if !hunk.inserted.isEmpty { edits.append(.insert(Array(before[hunk.inserted]), first)) }
            } else {
                let elements = before[hunk.inserted].filter { moved[$0] != false }
                if !elements.isEmpty { edits.append(.insert(elements, place(beside: hunk, places))) }
            }
        }
        // At one place, what is there is removed before others are inserted, and of these the last ones first.
        return edits.reversed().sorted { ($0.place, $0.isInsertion ? 0 : 1) > ($1.place, $1.isInsertion ? 0 : 1) }
    }

    /// Where each element of `after` is now, also those that others have moved past their neighbours.
    private func found(_ places: [Int?], in present: [Element]) -> [Int?] {
        var found = Array(places[leading.count..<(leading.count + after.count)])
        let lost = Set(after.indices.lazy.filter { found[$0] == nil }.map { after[$0] }).intersection(unique)
        if lost.isEmpty { return found }
        var seen: [Element: [Int]] = [:]
        for (place, element) in present.enumerated() where lost.contains(element) {
            seen[element, default: []].append(place)
        }
        for index in after.indices where found[index] == nil {
            if let places = seen[after[index]], places.count == 1 { found[index] = places[0] }
        }
        return found
    }

    /// Where removed elements belong now: behind the nearest neighbour before them that is still there, or before the
    /// nearest one behind them.
    private func place(beside hunk: Hunk, _ places: [Int?]) -> Int {
        let index = leading.count + hunk.removed.lowerBound
        if let before = places[..<index].last(where: { $0 != nil }) ?? nil { return before + 1 }
        return (places[index...].first { $0 != nil } ?? nil) ?? 0
    }

    private struct Hunk {
        /// Positions in `after` of what the write put there.
        var removed: Range<Int>
        /// Positions in `before` of what it took away.
        var inserted: Range<Int>
    }

    /// The stretches that differ between what the write left and what it found, in order.
    private var hunks: [Hunk] {
        let whole = [Hunk(removed: after.indices, inserted: before.indices)]
        guard !before.isEmpty, !after.isEmpty, before.count * after.count <= SequenceAlignment<Element>.cellsMax else {
            return whole
        }
        var (taken, put) = (Set<Int>(), Set<Int>())
        for change in before.difference(from: after) {
            switch change {
            case .remove(let offset, _, _): taken.insert(offset)
            case .insert(let offset, _, _): put.insert(offset)
            }
        }
        var (result, left, right) = ([Hunk](), 0, 0)
        while left < after.count || right < before.count {
            let (first, start) = (left, right)
            while left < after.count, taken.contains(left) { left += 1 }
            while right < before.count, put.contains(right) { right += 1 }
            if left > first || right > start { result.append(Hunk(removed: first..<left, inserted: start..<right)) }
            if left < after.count { (left, right) = (left + 1, right + 1) }
        }
        return result
    }
}

/// One step of undoing a change of a sequence.
enum SequenceEdit<Element> {
    case insert([Element], Int)
    case remove(Int)
    case set(Int, Element)

    var place: Int {
        switch self {
        case .insert(_, let place), .remove(let place), .set(let place, _): place
        }
    }

    var isInsertion: Bool { if case .insert = self { true } else { false } }
}
