package import CausewayModel
import CausewayStorage

// Deleting marks an object as gone, and puts off the rest: links to it, its own links, its entries in indexes and among
// primary keys stay where they are until somebody could see them, or the write commits. Then all objects deleted so far
// leave together, in the order of their keys, column by column. So a loop that deletes one object at a time costs the
// same as deleting a result, and neither jumps between the columns of a million rows.

extension Table {
    /// Deletes an object and the embedded objects it owns.
    ///
    /// Links to it become nil and list entries are removed. With `leavingGhost` an object that others link to stays
    /// behind as a ghost instead, and the links stay.
    package func delete(_ key: ObjectKey, leavingGhost: Bool = false) {
        if leavingGhost { transaction.settle() }
        guard exists(key) else { return }
        end(key)
        settleOwned(leavingGhosts: leavingGhost)
    }

    /// Deletes objects and the embedded objects they own. Keys of objects that are not here are ignored.
    ///
    /// With `leavingGhosts`, those that are linked to by objects outside of these stay behind as ghosts.
    ///
    /// - Complexity: O(k log k + d) for k objects with d links, lists and indexed values, when the deletion is settled.
    package func delete(_ keys: [ObjectKey], leavingGhosts: Bool = false) {
        if leavingGhosts { transaction.settle() }
        for key in keys where exists(key) { end(key) }
        settleOwned(leavingGhosts: leavingGhosts)
    }

    /// Settles at once if the objects owned others, which must not be found any more, or leave ghosts, which must be
    /// found.
    private func settleOwned(leavingGhosts: Bool) {
        if leavingGhosts || ownsOthers || mayHoldNested { transaction.settleEnded(leavingGhosts: leavingGhosts) }
    }

    /// Marks every object as gone.
    func endAll() {
        for key in allKeys { end(key) }
    }

    func end(_ key: ObjectKey) {
        transaction.settleAppends()
        absent.write(key.leafNumber, of: self).setBit(key.slot, true)
        count -= 1
        if ended.isEmpty {
            // Lists that may hold it must be read again.
            for origin in originColumns where origin.table.columns[origin.column].kind == nil {
                origin.table.listVersion.pointee &+= 1
            }
        }
        ended.append(key)
        transaction.noteEnd()
    }

    /// Takes the objects that were deleted since the last call, ascending.
    func takeEnded() -> (table: Table, keys: [ObjectKey])? {
        guard !ended.isEmpty else { return nil }
        var keys = ended
        ended = []
        if !zip(keys, keys.dropFirst()).allSatisfy({ $0 < $1 }) { keys.sort() }
        return (self, keys)
    }
}

// MARK: - Links to objects that end

extension Table {
    private struct FoundChunk {
        let target: ObjectKey
        let origin: OriginColumn
        let first: Int64
        /// Valid until the write is over: the memory of a write does not move.
        let bytes: UnsafeRawBufferPointer
    }

    /// Removes the links to deleted objects, and returns those of them that stay as ghosts.
    func unlink(_ keys: [ObjectKey], leavingGhosts: Bool) -> [ObjectKey] {
        guard !originColumns.isEmpty else { return [] }
        var ghosts: [ObjectKey] = []
        let found = chunksOfLinks(to: keys)
        var start = 0
        while start < found.count {
            let target = found[start].target
            var end = start
            while end < found.count, found[end].target == target { end += 1 }
            if leavingGhosts, storedPrimaryKey(of: target) != nil, found[start..<end].contains(where: hasOrigin) {
                ghosts.append(target)
            } else {
                for chunk in found[start..<end] { unlink(chunk) }
            }
            start = end
        }
        return ghosts
    }

    /// Whether any of the objects that link to a target is still alive.
    private func hasOrigin(_ found: FoundChunk) -> Bool {
        var result = false
        PackedChunk(first: found.first, found.bytes)?.forEachKey { number in
            if let key = found.origin.table.row(number), found.origin.table.exists(key) { result = true }
        }
        return result
    }

    private func unlink(_ found: FoundChunk) {
        let origins = found.origin.table
        if let chunk = PackedChunk(first: found.first, found.bytes) {
            chunk.forEachKey { number in
                // An origin that was deleted, too, is skipped.
                guard let origin = origins.row(number), origins.exists(origin) else { return }
                origins.dropLink(of: origin, found.origin.column, to: found.target, of: self)
            }
        } else {
            transaction.noteDamage(transaction.store.damaged())
        }
        let prefix = Self.backlinkKey(found.target, found.origin.id)
        transaction.writer.remove(backlinks.chunks.tree, ChunkTree.key(prefix, found.first))
    }

    /// Removes every link of one property to a deleted target.
    private func dropLink(of origin: ObjectKey, _ index: Int, to target: ObjectKey, of table: Table) {
        let column = columns[index]
        if column.kind == nil {
            let isMixed = schema.properties[index].type == .mixed
            listTargetEnded(isMixed ? ClassedKey(table.number, target) : ClassedKey(in: target), origin, index)
        } else {
            if column.isIndexed { changeIndex(column, from: value(origin, index), to: .null, origin) }
            column.write(origin.leafNumber, of: self).setNull(origin.slot)
        }
        changes.modify(origin, index)
    }

    /// The chunks of the backlinks of ascending targets, in order. One pass over the tree while that is cheaper than a
    /// search for each.
    private func chunksOfLinks(to keys: [ObjectKey]) -> [FoundChunk] {
        settleBacklinks(of: keys)
        let tree = backlinks.chunks.tree
        let writer = transaction.writer
        var found: [FoundChunk] = []
        var next = 0
        var visitsLeft = 64 + 4 * keys.count
        func visit(_ key: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer, _ target: ObjectKey) {
            guard key.count == 12 + ChunkTree.keyByteCount, let first = ChunkTree.first(key, prefixCount: 12),
                let origin = originColumns.first(where: { $0.id == key.readBigEndian32(at: 8) })
            else { return }
            found.append(FoundChunk(target: target, origin: origin, first: first, bytes: bytes))
        }
        func firstKey(_ target: Int64) -> [UInt8] { ObjectStore.changesKey(UInt64(bitPattern: target)) }
        if let first = keys.first, let last = keys.last {
            var isCut = false
            writer.scan(
                tree: tree, from: firstKey(first.rawValue), upTo: firstKey(last.rawValue + 1), reversed: false
            ) { key, bytes in
                let target = Int64(bitPattern: key.readUInt64(at: 0))
                while next < keys.count, keys[next].rawValue < target { next += 1 }
                visitsLeft -= 1
                guard visitsLeft >= 0, next < keys.count else {
                    isCut = next < keys.count
                    return false
                }
                if keys[next].rawValue == target { visit(key, bytes, keys[next]) }
                return true
            }
            guard isCut else { return found }
        }
        // If the pass ended in the middle of a target's chunks, that target is searched again.
        if next < keys.count { while found.last?.target == keys[next] { found.removeLast() } }
        for target in keys[next...] {
            let (from, upTo) = (firstKey(target.rawValue), firstKey(target.rawValue + 1))
            writer.scan(tree: tree, from: from, upTo: upTo, reversed: false) { key, bytes in
                visit(key, bytes, target)
                return true
            }
        }
        return found
    }

    private func settleBacklinks(of keys: [ObjectKey]) {
        // A few deletions in a long write must not write all pending changes to the tree each time.
        guard keys.count <= 8 else { return backlinks.settle(in: transaction) }
        for key in keys {
            for origin in originColumns { backlinks.settle(Self.backlinkKey(key, origin.id), in: transaction) }
        }
    }
}

// MARK: - What objects that end held

extension Table {
    /// Removes deleted objects from the backlinks of their targets, from indexes and from primary keys.
    func release(_ keys: [ObjectKey], ghosts: [ObjectKey]) {
        for index in columns.indices {
            let column = columns[index]
            if column.kind == nil {
                releaseLists(keys, index)
            } else if schema.properties[index].type == .mixed {
                for key in keys { mixedOriginEnded(key, column, [value(key, index)]) }
            } else if column.holdsLinks {
                releaseLinks(keys, index)
            }
            if column.isIndexed { leaveIndexes(keys, index) }
        }
        leavePrimaryKeys(keys, ghosts)
        for ghost in ghosts { clearGhost(ghost) }
        dropTexts(keys)
    }

    private func releaseLinks(_ keys: [ObjectKey], _ index: Int) {
        let column = columns[index]
        let target = target(index)
        let isOwner = target.schema.kind == .embedded
        for key in keys {
            guard let leaf = leaf(index, key.leafNumber) else { continue }
            let links = IntegerLeaf(leaf)
            if links.isNull(key.slot) { continue }
            guard let other = target.row(links.value(key.slot)) else { continue }
            target.originEnded(key, column, linkingTo: other, isOwner: isOwner)
        }
    }

    /// An object that links to one of this table was deleted. If both were, all links to the other one are gone
    /// already.
    private func originEnded(_ origin: ObjectKey, _ column: Column, linkingTo key: ObjectKey, isOwner: Bool) {
        if exists(key) {
            if isOwner { end(key) } else { removeBacklinks(to: key, from: origin, column) }
        } else if isGhost(key) {
            removeBacklinks(to: key, from: origin, column)
        }
    }

    private func mixedOriginEnded(_ origin: ObjectKey, _ column: Column, _ values: Set<Value>) {
        for case .anyObject(let object) in values {
            guard let target = transaction.knownTable(number: object.classNumber) else { continue }
            target.originEnded(origin, column, linkingTo: object.key, isOwner: target.nestedKind != nil)
        }
    }

    private func releaseLists(_ keys: [ObjectKey], _ index: Int) {
        let column = columns[index]
        guard hasLists(column) else { return }
        for key in keys {
            if schema.properties[index].type == .mixed {
                mixedOriginEnded(key, column, Set(listValues(key, index)))
            } else if column.holdsLinks {
                let target = target(index)
                let isOwner = target.schema.kind == .embedded
                var seen: Set<ObjectKey> = []
                for case .object(let other) in listValues(key, index) where seen.insert(other).inserted {
                    target.originEnded(key, column, linkingTo: other, isOwner: isOwner)
                }
            }
            listOwnerEnded(key, index)
            if column.keysTree != 0 { listOwnerEnded(key, Self.keys(of: index)) }
        }
    }

    /// Whether any object has something in its list.
    private func hasLists(_ column: Column) -> Bool {
        if !writtenLists.isEmpty { return true }
        var isEmpty = true
        transaction.reader.scan(tree: column.listTree, from: [], upTo: nil, reversed: false) { _, _ in
            isEmpty = false
            return false
        }
        return !isEmpty
    }

    private func leavePrimaryKeys(_ keys: [ObjectKey], _ ghosts: [ObjectKey]) {
        let kept = Set(ghosts)
        for key in keys {
            let primaryKey = storedPrimaryKey(of: key)
            changes.delete(key, primaryKey)
            if let primaryKey, kept.isEmpty || !kept.contains(key) { forget(primaryKey, key) }
        }
    }

    private func forget(_ primaryKey: PrimaryKey, _ key: ObjectKey) {
        if case .int(let value) = primaryKey {
            integerKeys.remove(value, row: key.rawValue)
            return
        }
        let buffer = transaction.keyBuffer
        if buffer.set(primaryKey: primaryKey) {
            transaction.writer.remove(tree: record.primaryKeys, key: buffer.bytes)
        }
    }

    func markGhosts(_ keys: [ObjectKey]) {
        for key in keys { ghosts.write(key.leafNumber, of: self).setBit(key.slot, true) }
    }

    /// A ghost has its primary key and nothing else.
    private func clearGhost(_ key: ObjectKey) {
        for index in columns.indices where columns[index].kind != nil && index != primaryKeyColumn {
            columns[index].write(key.leafNumber, of: self).setNull(key.slot)
        }
    }

    /// Drops the texts of deleted objects, which take the most room. This happens when half of a leaf is dead and once
    /// more at three quarters, so that a leaf is not written again for every few deletions.
    private func dropTexts(_ keys: [ObjectKey]) {
        let texts = columns.filter { $0.kind == .bytes }
        guard !texts.isEmpty else { return }
        for column in texts { dropLong(keys, column) }
        var start = 0
        while start < keys.count {
            let number = keys[start].leafNumber
            var end = start
            while end < keys.count, keys[end].leafNumber == number { end += 1 }
            let newlyDead = end - start
            start = end
            guard let dead = deadSlots(number) else { continue }
            let count = dead.count
            let quarter = slotsPerLeaf / 4
            // A leaf without objects is removed as a whole.
            guard count >= 2 * quarter, count < slotsPerLeaf, count / quarter > (count - newlyDead) / quarter else {
                continue
            }
            for column in texts {
                let leaf = column.write(number, of: self)
                dead.forEach { leaf.setNull($0) }
            }
        }
    }

    /// Drops the long values of deleted objects at once.
    private func dropLong(_ keys: [ObjectKey], _ column: Column) {
        for key in keys {
            let written = column.writableLeaf(at: key.leafNumber)?.strings?.isLong(key.slot)
            guard
                written ?? column.load(key.leafNumber, from: transaction).map({ LongLeaf.isLong($0, key.slot) })
                    ?? false
            else { continue }
            column.write(key.leafNumber, of: self).setNull(key.slot)
        }
    }

    /// The slots that hold nothing, not even a ghost.
    private func deadSlots(_ number: Int) -> SlotBitmap? {
        guard let absent = absent.load(number, from: transaction) else { return nil }
        let dead = SlotBitmap(bits: absent)
        return ghosts.load(number, from: transaction).map { dead.subtracting(SlotBitmap(bits: $0)) } ?? dead
    }
}
