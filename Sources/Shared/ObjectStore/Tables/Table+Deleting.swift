package import CausewayModel
import CausewayStorage

extension Table {
    /// Deletes an object and the embedded objects it owns.
    ///
    /// Links to it become nil and list entries are removed. With `leavingGhost` an object that others link to stays
    /// behind as a ghost instead, and the links stay.
    package func delete(_ key: ObjectKey, leavingGhost: Bool = false) {
        guard exists(key) else { return }
        // Embedded objects own others: a work list instead of recursion, so that depth costs no stack.
        var doomed: [(table: Table, key: ObjectKey)] = []
        delete(key, leavingGhost: leavingGhost, &doomed)
        while let next = doomed.popLast() { next.table.delete(next.key, leavingGhost: false, &doomed) }
    }

    private func delete(_ key: ObjectKey, leavingGhost: Bool, _ doomed: inout [(table: Table, key: ObjectKey)]) {
        guard exists(key) else { return }
        let primaryKey = primaryKey(of: key)
        let incoming = incomingLinks(to: key)
        let leavesGhost =
            leavingGhost && primaryKey != nil && incoming.contains { $0.table !== self || $0.origin != key }
        if !leavesGhost {
            for link in incoming { link.table.unlink(link.origin, link.column, key) }
        }
        clearProperties(key, keepingPrimaryKey: leavesGhost, &doomed)
        absent.write(key.leafNumber, of: self).setBit(key.slot, true)
        if leavesGhost {
            ghosts.write(key.leafNumber, of: self).setBit(key.slot, true)
        } else if let primaryKey {
            forget(primaryKey, key)
        }
        count -= 1
        changes.delete(key, primaryKey)
    }

    private func forget(_ primaryKey: PrimaryKey, _ key: ObjectKey) {
        if case .int(let value) = primaryKey {
            integerKeys.remove(value)
            return
        }
        let buffer = transaction.keyBuffer
        if buffer.set(primaryKey: primaryKey) {
            transaction.writer.remove(tree: record.primaryKeys, key: buffer.bytes)
        }
        if case .container = primaryKey { containers.write(key.leafNumber, of: self).setNull(key.slot) }
    }

    /// Takes every link of one property away from a target that is being deleted.
    private func unlink(_ origin: ObjectKey, _ index: Int, _ target: ObjectKey) {
        let column = columns[index]
        if column.kind == nil {
            listTargetEnded(target, origin, index)
        } else {
            column.write(origin.leafNumber, of: self).setNull(origin.slot)
        }
        self.target(index).removeBacklinks(to: target, from: origin, column)
        changes.modify(origin, index)
    }

    private func clearProperties(
        _ key: ObjectKey, keepingPrimaryKey: Bool, _ doomed: inout [(table: Table, key: ObjectKey)]
    ) {
        let number = key.leafNumber
        let slot = key.slot
        for index in columns.indices {
            let column = columns[index]
            if column.holdsLinks { release(key, index, &doomed) }
            if column.kind == nil {
                listOwnerEnded(key, index)
                continue
            }
            if keepingPrimaryKey, index == primaryKeyColumn { continue }
            if column.indexTree != 0 { removeIndex(column, value(key, index), key) }
            column.write(number, of: self).setNull(slot)
        }
    }

    /// Takes this object's links back from their targets, and dooms the embedded ones.
    private func release(_ key: ObjectKey, _ index: Int, _ doomed: inout [(table: Table, key: ObjectKey)]) {
        let target = target(index)
        let isOwner = target.schema.kind == .embedded
        if columns[index].kind != nil {
            guard case .object(let other) = value(key, index) else { return }
            target.removeBacklink(to: other, from: key, columns[index])
            if isOwner { doomed.append((target, other)) }
            return
        }
        var seen: Set<ObjectKey> = []
        for case .object(let other) in listValues(key, index) where seen.insert(other).inserted {
            target.removeBacklinks(to: other, from: key, columns[index])
            if isOwner { doomed.append((target, other)) }
        }
    }
}
