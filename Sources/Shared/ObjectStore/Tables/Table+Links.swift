package import CausewayModel
import CausewayStorage

// The tree of backlinks belongs to the target's class: (target, column of the origin, origin) → how many links.

extension Table {
    // MARK: - Reading

    /// The objects that link to an object through one property, one entry a link: an object whose list holds the
    /// target twice comes twice.
    package func backlinks(to key: ObjectKey, from origin: Table, _ column: Int) -> [ObjectKey] {
        var result: [ObjectKey] = []
        let from = Self.backlinkKey(key, origin.columns[column].id)
        transaction.reader.scan(
            tree: record.backlinks, from: from, upTo: Self.successor(from), reversed: false
        ) { bytes, count in
            let origin = ObjectKey(Int64(bitPattern: bytes.readUInt64(at: 12)))
            for _ in 0..<count.readUInt32() { result.append(origin) }
            return true
        }
        return result
    }

    package func backlinkCount(to key: ObjectKey) -> Int {
        var result = 0
        let from = ObjectStore.changesKey(UInt64(bitPattern: key.rawValue))
        transaction.reader.scan(
            tree: record.backlinks, from: from, upTo: Self.successor(from), reversed: false
        ) { _, count in
            result += Int(count.readUInt32())
            return true
        }
        return result
    }

    struct IncomingLink {
        let table: Table
        let column: Int
        let origin: ObjectKey
    }

    /// Every object and property that links to an object.
    func incomingLinks(to key: ObjectKey) -> [IncomingLink] {
        var result: [IncomingLink] = []
        let from = ObjectStore.changesKey(UInt64(bitPattern: key.rawValue))
        transaction.reader.scan(
            tree: record.backlinks, from: from, upTo: Self.successor(from), reversed: false
        ) { bytes, _ in
            guard bytes.count == 20,
                let owner = transaction.catalog.columnOwners[UInt32(truncatingIfNeeded: bytes.readUInt64(at: 8) >> 32)],
                let table = transaction.table(owner.className)
            else { return true }
            let origin = ObjectKey(Int64(bitPattern: bytes.readUInt64(at: 12)))
            result.append(IncomingLink(table: table, column: owner.column, origin: origin))
            return true
        }
        return result
    }

    private static func backlinkKey(_ target: ObjectKey, _ column: UInt32) -> [UInt8] {
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

    // MARK: - Writing

    /// The table a link property points to.
    func target(of property: Property) -> Table {
        guard let name = property.target, let table = transaction.table(name) else {
            preconditionFailure("the schema has a link to a class that it does not have")
        }
        return table
    }

    /// The row a link value means.
    func resolve(_ value: Value, _ property: Property) -> ObjectKey? {
        switch value {
        case .null: return nil
        case .object(let key): return key
        case .link(let primaryKey): return target(of: property).ghost(primaryKey)
        default: preconditionFailure("a value that is no link was set in a link")
        }
    }

    func setNewLink(_ value: Value, _ key: ObjectKey, _ column: Column, _ property: Property) {
        let leaf = column.write(key.leafNumber, of: self)
        guard let linked = resolve(value, property) else {
            leaf.setNull(key.slot)
            return
        }
        leaf.setInteger(key.slot, linked.rawValue)
        target(of: property).addBacklink(to: linked, from: key, column)
    }

    func setLink(_ key: ObjectKey, _ index: Int, _ value: Value) {
        let property = schema.properties[index]
        let column = columns[index]
        let linked = resolve(value, property)
        let before: ObjectKey? = if case .object(let key) = self.value(key, index) { key } else { nil }
        guard linked != before else { return }
        let target = target(of: property)
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

    /// Adds one link to a target of this table.
    func addBacklink(to target: ObjectKey, from origin: ObjectKey, _ column: Column) {
        // Only a list can hold a target twice; other links need no look at what is there.
        let count = column.kind == nil ? backlinkCount(target, origin, column) : 0
        putBacklink(target, origin, column, count + 1)
    }

    func removeBacklink(to target: ObjectKey, from origin: ObjectKey, _ column: Column) {
        let count = column.kind == nil ? backlinkCount(target, origin, column) : 1
        putBacklink(target, origin, column, count == 0 ? 0 : count - 1)
    }

    /// Removes all links of one property of one origin to a target.
    func removeBacklinks(to target: ObjectKey, from origin: ObjectKey, _ column: Column) {
        putBacklink(target, origin, column, 0)
    }

    private func backlinkCount(_ target: ObjectKey, _ origin: ObjectKey, _ column: Column) -> UInt32 {
        transaction.reader.get(tree: record.backlinks, key: backlinkKey(target, origin, column).bytes)?.readUInt32()
            ?? 0
    }

    private func putBacklink(_ target: ObjectKey, _ origin: ObjectKey, _ column: Column, _ count: UInt32) {
        let key = backlinkKey(target, origin, column).bytes
        if count == 0 {
            transaction.writer.remove(tree: record.backlinks, key: key)
        } else {
            withUnsafeBytes(of: count.littleEndian) {
                transaction.writer.put(tree: record.backlinks, key: key, value: $0)
            }
        }
    }

    private func backlinkKey(_ target: ObjectKey, _ origin: ObjectKey, _ column: Column) -> KeyBuffer {
        let buffer = transaction.keyBuffer
        buffer.clear()
        buffer.append(target)
        buffer.append(column.id)
        buffer.append(origin)
        return buffer
    }
}

extension UnsafeRawBufferPointer {
    /// Big-endian, as in keys; zero where the bytes do not reach.
    func readUInt64(at offset: Int) -> UInt64 {
        offset + 8 <= count ? UInt64(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self)) : 0
    }

    /// Little-endian, as in values.
    func readUInt32() -> UInt32 {
        count >= 4 ? UInt32(littleEndian: loadUnaligned(as: UInt32.self)) : 0
    }
}
