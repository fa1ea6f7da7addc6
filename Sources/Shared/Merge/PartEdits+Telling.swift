import CausewayModel
package import CausewayOperations

// What a device that was at one version is told of the versions since: RULES.md, section 8.

extension PartEdits {
    /// The edits of one version.
    package struct Version: Sendable {
        package var edits: PartEdits
        /// Whether the device itself made them: then it has joined them already.
        package var isOwn: Bool

        package init(_ edits: PartEdits, isOwn: Bool) {
            self.edits = edits
            self.isOwn = isOwn
        }
    }

    /// What leads from the state before some versions, with the device's own operations among them joined, to the state
    /// after them. Values and texts that are not there any more are not told: the state would not tell them either.
    ///
    /// - Parameter versions: in their order; every one had its effect in this order, and all are of one kind.
    /// - Returns: nil if they are not of one kind, and where the device's operations name what others inserted in these
    ///   versions. It has not seen that yet, so it has joined them without it: writes that it submits again after the
    ///   server was restored do so.
    package static func told(_ versions: [Version]) -> PartEdits? {
        guard let first = versions.first else { return nil }
        switch first.edits {
        case .list:
            var all: [Told<ListOperation>] = []
            for version in versions {
                guard case .list(let edits) = version.edits else { return nil }
                all += edits.map { Told($0, isOwn: version.isOwn) }
            }
            return namesUnseen(all) ? nil : .list(told(all))
        case .keyed:
            var all: [Told<KeyedOperation>] = []
            for version in versions {
                guard case .keyed(let edits) = version.edits else { return nil }
                all += edits.map { Told($0, isOwn: version.isOwn) }
            }
            return .keyed(told(all))
        case .text:
            var all: [Told<TextOperation>] = []
            for version in versions {
                guard case .text(let edits) = version.edits else { return nil }
                all += edits.map { Told($0, isOwn: version.isOwn) }
            }
            return namesUnseen(all) ? nil : .text(told(all))
        }
    }

    private struct Told<Edit: Hashable & Sendable> {
        var stamped: StampedEdit<Edit>
        var isOwn: Bool

        init(_ stamped: StampedEdit<Edit>, isOwn: Bool) {
            self.stamped = stamped
            self.isOwn = isOwn
        }
    }
}

// MARK: - Lists

extension PartEdits {
    /// Every position is told, because others may name it. Of the values of an element only the last one is. The
    /// device's own moves are told where they come after somebody else's of the same element.
    private static func told(_ all: [Told<ListOperation>]) -> [StampedEdit<ListOperation>] {
        let removed = all.map(\.stamped).removed
        var lastSets: [ElementID: Int] = [:]
        var lastMoves: [ElementID: Int] = [:]
        var movedByOthers: Set<ElementID> = []
        for (index, edit) in all.enumerated() {
            switch edit.stamped.edit {
            case .set(let id, _): lastSets[id] = index
            case .move(let id, _, _, _):
                lastMoves[id] = index
                if !edit.isOwn { movedByOthers.insert(id) }
            case .insert, .delete, .clear: break
            }
        }
        func lastValue(of id: ElementID) -> Value? {
            guard let index = lastSets[id], case .set(_, let value) = all[index].stamped.edit else { return nil }
            return value
        }
        var told: [StampedEdit<ListOperation>] = []
        for (index, edit) in all.enumerated() {
            switch edit.stamped.edit {
            case .insert(let id, let left, let right, let value):
                if edit.isOwn { continue }
                let shown = removed.contains(id) ? .null : lastValue(of: id) ?? value
                told.append(StampedEdit(.insert(id, left: left, right: right, value: shown), edit.stamped.stamp))
            case .set(let id, _):
                if edit.isOwn || removed.contains(id) || lastSets[id] != index { continue }
                told.append(edit.stamped)
            case .move(let id, _, _, _):
                if edit.isOwn, !movedByOthers.contains(id) || lastMoves[id] != index { continue }
                told.append(edit.stamped)
            case .delete, .clear:
                if !edit.isOwn { told.append(edit.stamped) }
            }
        }
        return told
    }
}

extension PartEdits {
    private static func namesUnseen(_ all: [Told<ListOperation>]) -> Bool {
        var inserted: Set<ElementID> = []
        for edit in all where !edit.isOwn {
            switch edit.stamped.edit {
            case .insert(let id, _, _, _), .move(_, let id, _, _): inserted.insert(id)
            case .set, .delete, .clear: break
            }
        }
        return !inserted.isEmpty
            && all.contains { $0.isOwn && $0.stamped.edit.names.contains(where: inserted.contains) }
    }

    private static func namesUnseen(_ all: [Told<TextOperation>]) -> Bool {
        var inserted = ScalarRanges()
        for edit in all where !edit.isOwn {
            if case .insert(let id, _, _, let text) = edit.stamped.edit {
                inserted.insert(id, text.unicodeScalars.count)
            }
        }
        inserted.settle()
        return all.contains { edit in
            guard edit.isOwn else { return false }
            return switch edit.stamped.edit {
            case .insert(_, let left, let right, _):
                [left, right].contains { $0.map { inserted.overlap($0, 1) } ?? false }
            case .delete(let first, let count): inserted.overlap(first, count)
            }
        }
    }
}

extension ListOperation {
    /// The elements and positions that have to be there for it.
    fileprivate var names: [ElementID] {
        switch self {
        case .insert(_, let left, let right, _): [left, right].compactMap { $0 }
        case .move(let id, _, let left, let right): [id] + [left, right].compactMap { $0 }
        case .delete(let id), .set(let id, _): [id]
        case .clear(let ids): ids
        }
    }
}

// MARK: - Sets and maps

extension PartEdits {
    /// Of each key the last operation, unless it is the device's own.
    private static func told(_ all: [Told<KeyedOperation>]) -> [StampedEdit<KeyedOperation>] {
        func precedes(_ left: Int, _ right: Int) -> Bool {
            Value.canonicallyPrecedes(all[left].stamped.edit.key, all[right].stamped.edit.key)
        }
        let byKey = all.indices.sorted { precedes($0, $1) || !precedes($1, $0) && $0 < $1 }
        var told: [StampedEdit<KeyedOperation>] = []
        for (place, index) in byKey.enumerated() {
            let isLast = place + 1 == byKey.count || precedes(index, byKey[place + 1])
            if isLast, !all[index].isOwn { told.append(all[index].stamped) }
        }
        return told
    }
}

// MARK: - Texts

extension PartEdits {
    /// Removed scalars are told as spaces: only their places count. All operations get the latest stamp, because those
    /// of texts mean nothing, and what was typed on becomes one run.
    private static func told(_ all: [Told<TextOperation>]) -> [StampedEdit<TextOperation>] {
        var removed = ScalarRanges()
        for edit in all {
            if case .delete(let first, let count) = edit.stamped.edit { removed.insert(first, count) }
        }
        removed.settle()
        var told: [TextOperation] = []
        var latest = Stamp.zero
        for edit in all where !edit.isOwn {
            latest = max(latest, edit.stamped.stamp)
            switch edit.stamped.edit {
            case .delete: told.appendRun(edit.stamped.edit)
            case .insert(let id, let left, let right, let text):
                let shown = removed.blanked(text, from: id)
                let insert = TextOperation.insert(id, left: left, right: right, text: shown)
                // Only with the same right origin is the next scalar certainly the right child of the one before.
                if case .insert(_, _, right, _)? = told.last { told.appendRun(insert) } else { told.append(insert) }
            }
        }
        return told.map { StampedEdit($0, latest) }
    }
}

/// The scalars that some operations insert or remove.
private struct ScalarRanges {
    private var ranges: [ClientID: [Range<UInt64>]] = [:]

    mutating func insert(_ first: ElementID, _ count: Int) {
        let (end, overflow) = first.counter.addingReportingOverflow(UInt64(max(count, 0)))
        if !overflow { ranges[first.client, default: []].append(first.counter..<end) }
    }

    /// Makes the ranges ascend without overlap.
    mutating func settle() {
        for (client, unsorted) in ranges {
            var merged: [Range<UInt64>] = []
            for range in unsorted.sorted(by: { $0.lowerBound < $1.lowerBound }) {
                if let last = merged.last, last.upperBound >= range.lowerBound {
                    merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
                } else {
                    merged.append(range)
                }
            }
            ranges[client] = merged
        }
    }

    func overlap(_ first: ElementID, _ count: Int) -> Bool {
        guard let ranges = ranges[first.client] else { return false }
        let next = ranges.partitioningIndex { $0.upperBound > first.counter }
        return next < ranges.count && ranges[next].lowerBound < first.counter &+ UInt64(max(count, 0))
    }

    /// A text whose removed scalars are spaces.
    func blanked(_ text: String, from first: ElementID) -> String {
        guard let ranges = ranges[first.client] else { return text }
        let end = first.counter &+ UInt64(text.unicodeScalars.count)
        var next = ranges.partitioningIndex { $0.upperBound > first.counter }
        guard next < ranges.count, ranges[next].lowerBound < end else { return text }
        var scalars = String.UnicodeScalarView()
        for (offset, scalar) in text.unicodeScalars.enumerated() {
            let counter = first.counter &+ UInt64(offset)
            while next < ranges.count, ranges[next].upperBound <= counter { next += 1 }
            let isRemoved = next < ranges.count && ranges[next].contains(counter)
            scalars.append(isRemoved ? " " : scalar)
        }
        return String(scalars)
    }
}
