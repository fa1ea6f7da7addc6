package import CausewayModel
import CausewayStorage

// The tree of backlinks belongs to the target's class: (target, column of the origin) → origins with their numbers of
// links.

extension Table {
    // MARK: - Reading

    /// The objects that link to an object through one property, one entry a link: an object whose list holds the
    /// target twice comes twice.
    package func backlinks(to key: ObjectKey, from origin: Table, _ column: Int) -> [ObjectKey] {
        transaction.settle()
        var result: [ObjectKey] = []
        backlinks.scan(Self.backlinkKey(key, origin.columns[column].id), in: transaction) { chunk in
            Self.append(chunk, of: origin, column, to: &result)
            return true
        }
        return result
    }

    private static func append(_ chunk: PackedChunk, of origin: Table, _ column: Int, to result: inout [ObjectKey]) {
        guard !chunk.isSet else {
            result.reserveCapacity(result.count + chunk.count)
            chunk.forEachKey { number in
                if let key = origin.row(number) { result.append(key) }
            }
            return
        }
        for index in 0..<chunk.count {
            guard let key = origin.row(chunk.key(index)) else { continue }
            // A damaged count may be anything; the list bounds it.
            let times = chunk.value(index) <= 1 ? 1 : min(Int(chunk.value(index)), origin.listCount(key, column))
            for _ in 0..<times { result.append(key) }
        }
    }

    /// Visits the objects that link to an object through one property, ascending and each once.
    func forEachOrigin(of key: ObjectKey, in origin: Table, _ column: Int, _ body: (ObjectKey) -> Void) {
        backlinks.scan(Self.backlinkKey(key, origin.columns[column].id), in: transaction) { chunk in
            chunk.forEachKey { number in
                if let key = origin.row(number) { body(key) }
            }
            return true
        }
    }

    /// The objects that link to an object through any property of any class, one entry a link. Does not tell their
    /// classes.
    func allBacklinks(to key: ObjectKey) -> [ObjectKey] {
        originColumns.flatMap { backlinks(to: key, from: $0.table, $0.column).filter($0.table.exists) }
    }

    package func backlinkCount(to key: ObjectKey) -> Int {
        transaction.settle()
        var result = 0
        forEachLinkingColumn(key) { _, _, chunk in
            result &+= chunk.isSet ? chunk.count : (0..<chunk.count).reduce(0) { $0 &+ Int(chunk.value($1)) }
        }
        return result
    }

    /// Visits the chunks of all links to an object.
    private func forEachLinkingColumn(_ key: ObjectKey, _ body: (Table, Int, PackedChunk) -> Void) {
        for link in originColumns {
            backlinks.scan(Self.backlinkKey(key, link.id), in: transaction) { chunk in
                body(link.table, link.column, chunk)
                return true
            }
        }
    }

    static func backlinkKey(_ target: ObjectKey, _ column: UInt32) -> [UInt8] {
        ObjectStore.changesKey(UInt64(bitPattern: target.rawValue))
            + withUnsafeBytes(of: column.bigEndian) { Array($0) }
    }

    /// The first key behind all that begin with these bytes; nil when there is none.
    static func successor(_ prefix: [UInt8]) -> [UInt8]? {
        var result = prefix
        while let last = result.popLast() {
            if last < 0xFF { return result + [last + 1] }
        }
        return nil
    }

    /// Visits every object that links to this one, once for each of its properties that do.
    ///
    /// - Complexity: O(origins + properties that link here)
    package func forEachOrigin(of key: ObjectKey, _ body: (Table, ObjectKey) -> Void) {
        for origin in originColumns {
            for holder in backlinks(to: key, from: origin.table, origin.column) where origin.table.exists(holder) {
                body(origin.table, holder)
            }
        }
    }

    // MARK: - Writing

    /// The row a link value means.
    func resolve(_ value: Value, _ index: Int) -> ObjectKey? {
        switch value {
        case .null: return nil
        case .object(let key): return key
        case .link(let primaryKey): return target(index).ghost(primaryKey)
        default: preconditionFailure("a value that is no link was set in a link")
        }
    }

    func setNewLink(_ value: Value, _ key: ObjectKey, _ index: Int) {
        let column = columns[index]
        let leaf = column.write(key.leafNumber, of: self)
        guard let linked = resolve(value, index) else {
            leaf.setNull(key.slot)
            return
        }
        leaf.setInteger(key.slot, linked.rawValue)
        target(index).addBacklink(to: linked, from: key, column)
    }

    func setLink(_ key: ObjectKey, _ index: Int, _ value: Value) {
        let column = columns[index]
        let linked = resolve(value, index)
        let before: ObjectKey? = if case .object(let key) = self.value(key, index) { key } else { nil }
        guard linked != before else { return }
        let target = target(index)
        let leaf = column.write(key.leafNumber, of: self)
        if let before { target.removeBacklink(to: before, from: key, column) }
        if let linked {
            leaf.setInteger(key.slot, linked.rawValue)
            target.addBacklink(to: linked, from: key, column)
        } else {
            leaf.setNull(key.slot)
        }
        if let before, target.schema.kind == .embedded { target.delete(before) }
    }

    /// Adds one link to a target of this table. Only a list can hold a target twice.
    func addBacklink(to target: ObjectKey, from origin: ObjectKey, _ column: Column) {
        note(target, origin, column, column.kind == nil ? .oneMore : .present)
    }

    func removeBacklink(to target: ObjectKey, from origin: ObjectKey, _ column: Column) {
        note(target, origin, column, column.kind == nil ? .oneLess : .absent)
    }

    /// Removes all links of one property of one origin to a target.
    func removeBacklinks(to target: ObjectKey, from origin: ObjectKey, _ column: Column) {
        note(target, origin, column, .absent)
    }

    private func note(_ target: ObjectKey, _ origin: ObjectKey, _ column: Column, _ kind: PendingChanges.Kind) {
        backlinks.append(linkTo: target, column.id, from: origin, kind, in: self)
    }
}

extension UnsafeRawBufferPointer {
    /// Big-endian, as in keys; zero where the bytes do not reach.
    func readUInt64(at offset: Int) -> UInt64 {
        offset + 8 <= count ? UInt64(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self)) : 0
    }

    /// Big-endian, as in keys; zero where the bytes do not reach.
    func readBigEndian32(at offset: Int) -> UInt32 {
        offset + 4 <= count ? UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self)) : 0
    }

    /// Little-endian, as in values.
    func readUInt32() -> UInt32 {
        count >= 4 ? UInt32(littleEndian: loadUnaligned(as: UInt32.self)) : 0
    }
}
