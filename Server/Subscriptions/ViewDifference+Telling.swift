import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayQuery
import CausewayStore

// Putting single objects into a part.

extension ViewDifference {
    /// Tells the first of these objects, or all of them if they can be told as columns. Returns how many.
    func enterSome(
        _ classNumber: Int, _ keys: ArraySlice<ObjectKey>, bytesMax: Int, in part: inout Part
    ) throws(StoreFailure) -> Int {
        guard keys.count >= ObjectRun.leastCount, rules?.readable(snapshot.className(classNumber)) == nil,
            let told = try snapshot.runs(classNumber, keys, bytesMax: bytesMax, singlesMax: Self.rowsAtOnce)
        else {
            let few = keys.prefix(Self.rowsAtOnce)
            try enter(classNumber, few, in: &part)
            return few.count
        }
        try enter(classNumber, told.singles[...], in: &part)
        for run in told.runs { part.sizeBytes += run.estimatedBytes }
        part.enteredRuns += told.runs
        return keys.count
    }

    func enter(_ classNumber: Int, _ keys: ArraySlice<ObjectKey>, in part: inout Part) throws(StoreFailure) {
        let first = part.entered.count
        if let readable = rules?.readable(snapshot.className(classNumber)) {
            for key in keys { try enter(Row(classNumber, key), readable, in: &part) }
        } else {
            try snapshot.appendWhole(classNumber, keys, to: &part.entered)
        }
        for content in part.entered[first...] { part.sizeBytes += content.estimatedBytes }
    }

    /// Tells some properties of an object that the device certainly holds as it was at `start`.
    func update(
        _ row: Row, _ touched: TouchedRow, _ columns: PropertyNumbers, in part: inout Part
    ) throws(StoreFailure) {
        let (changes, whole) = try changes(of: row, touched, columns, in: &part)
        guard !whole.isEmpty || !changes.isEmpty else { return }
        let first = part.updated.count
        try snapshot.appendPart(row, whole, to: &part.updated)
        for index in part.updated.indices[first...] {
            part.updated[index].changes = changes
            part.sizeBytes += part.updated[index].estimatedBytes
        }
    }

    func leave(_ row: Row, _ reason: Part.Reason, in part: inout Part) {
        guard let name = snapshot.name(of: row) else { return }
        leave(name, reason, in: &part)
    }

    func leave(_ name: ObjectName, _ reason: Part.Reason, in part: inout Part) {
        part.append(Part.Leave(object: reference(name), reason: reason))
    }

    func end(_ name: ObjectName, in part: inout Part) throws(StoreFailure) {
        part.append(Part.End(object: reference(name), life: try snapshot.endedLife(name) ?? 2))
    }

    /// Tells of an object that does not exist: that it was deleted, or else that it leaves.
    ///
    /// Nothing says who might have read an object that does not exist. So a caller who may not read every object of the
    /// class is told one thing of all that they may not read: hidden objects, deleted ones and those that never existed
    /// leave for lack of permission.
    func tellAbsent(_ name: ObjectName, in part: inout Part) throws(StoreFailure) {
        if mayHide(name.classNumber) {
            leave(name, .permission, in: &part)
        } else if try snapshot.endedLife(name) != nil {
            try end(name, in: &part)
        } else {
            leave(name, .query, in: &part)
        }
    }

    /// Whether there may be objects of the class that the caller may not read.
    func mayHide(_ classNumber: Int) -> Bool { rules.mayHide(snapshot.className(classNumber)) }

    /// Whether the caller may know that one of some embedded objects is in an object: they must be able to read both.
    func mayKnow(ofAny parts: Set<ObjectReference>, in root: Row) throws(StoreFailure) -> Bool {
        let name = snapshot.className(root.classNumber)
        guard let own = rules?[name] else { return true }
        guard try snapshot.matches(root, own.read) else { return false }
        guard let readable = rules?.readable(name) else { return true }
        var whole = Part()
        try enter(root, readable, in: &whole)
        return whole.entered.contains { parts.contains($0.object) }
    }

    /// Tells an object whole, with its embedded objects, if it is in view. This brings back what the device may have
    /// deleted or replaced there.
    func restore(_ name: ObjectName, in part: inout Part) throws(StoreFailure) {
        guard let row = snapshot.row(name) else {
            return try tellAbsent(name, in: &part)
        }
        if let query = wanted[name.classNumber], try snapshot.matches(row, query) {
            try enter(name.classNumber, [row.key], in: &part)
        } else {
            leave(row, try reasonToLeave(row), in: &part)
        }
    }

    func reference(_ name: ObjectName) -> ObjectReference {
        ObjectReference(snapshot.className(name.classNumber), name.key)
    }
}

extension BoundRules? {
    func mayHide(_ className: String) -> Bool {
        guard let rules = self?[className] else { return false }
        return rules.read != .constant(true)
    }
}

extension ViewDifference.Part {
    mutating func append(_ leave: Leave) {
        left.append(leave)
        sizeBytes += 24
    }

    mutating func append(_ refusal: Refusal) {
        refused.append(refusal)
        sizeBytes += 24 + refusal.failure.message.utf8.count
    }

    mutating func append(_ end: End) {
        deleted.append(end)
        sizeBytes += 24
    }
}

extension ObjectContent {
    /// Near enough to bound what is in memory and on its way; the wire compresses it further.
    var estimatedBytes: Int {
        var bytes = 24
        for field in state.fields { bytes += field.value.estimatedBytes }
        for part in state.parts {
            switch part.content {
            case .list(let list):
                bytes += 8 * list.positionCount
                for element in list.visible { bytes += 16 + element.value.estimatedBytes }
            case .keyed(let entries):
                for entry in entries.entries {
                    bytes += 16 + entry.key.estimatedBytes + (entry.value?.estimatedBytes ?? 0)
                }
            case .text(let text): bytes += text.count + 8 * text.pieceCount
            }
        }
        for change in changes { bytes += change.edits.estimatedBytes }
        return bytes
    }
}

extension PartEdits {
    fileprivate var estimatedBytes: Int {
        switch self {
        case .list(let edits):
            edits.reduce(0) { bytes, edit in
                switch edit.edit {
                case .insert(_, _, _, let value), .set(_, let value): bytes + 8 + value.estimatedBytes
                case .clear(let ids): bytes + 8 * ids.count
                case .delete, .move: bytes + 8
                }
            }
        case .keyed(let edits):
            edits.reduce(0) { bytes, edit in
                guard case .put(let key, let value) = edit.edit else { return bytes + 8 + edit.edit.key.estimatedBytes }
                return bytes + 8 + key.estimatedBytes + value.estimatedBytes
            }
        case .text(let edits):
            edits.reduce(0) { bytes, edit in
                if case .insert(_, _, _, let text) = edit.edit { bytes + 8 + text.utf8.count } else { bytes + 8 }
            }
        }
    }
}

extension ObjectRun {
    fileprivate var estimatedBytes: Int {
        fields.reduce(24 * count) { $0 + $1.values.estimatedBytes }
    }
}

extension SparseColumn {
    fileprivate var estimatedBytes: Int {
        switch present {
        case .nulls, .bools: count
        case .same(let value): count * value.estimatedBytes
        case .strings(let texts): texts.reduce(count) { $0 + 2 + $1.utf8.count }
        case .dictionary(let texts), .links(.dictionary(let texts)): count + texts.estimatedBytes
        case .bytes(let values): values.reduce(count) { $0 + 2 + $1.count }
        case .mixed(let values): values.reduce(count) { $0 + $1.estimatedBytes }
        case .ints, .floats, .doubles, .wholeDoubles, .timestamps, .objectIds, .uuids, .links, .decimals: 8 * count
        }
    }
}

extension DistinctStrings {
    fileprivate var estimatedBytes: Int {
        let sizes = distinct.map { 2 + $0.utf8.count }
        return indexes.reduce(0) { $0 + sizes[Int($1)] }
    }
}

extension Value {
    fileprivate var estimatedBytes: Int {
        switch self {
        case .string(let text): 2 + text.utf8.count
        case .bytes(let bytes): 2 + bytes.count
        case .link(.string(let text)): 2 + text.utf8.count
        case .null, .bool: 1
        default: 8
        }
    }
}
