package import CausewayModel
import CausewayStorage

extension Table {
    // MARK: - Making objects

    /// Makes an object whose properties are zero, or null where that is allowed.
    ///
    /// A ghost of the primary key comes to life under its object key. Throws `duplicatePrimaryKey` when the object
    /// exists, and `keyTooLong`.
    package func create(_ primaryKey: PrimaryKey?) throws(StoreError) -> ObjectKey {
        try create(primaryKey, row: [])
    }

    /// Makes an object from its values in column order, those of lists ignored; links may be `.object` or `.link`.
    /// An empty row means zeros. The primary key's own place in the row is ignored too.
    package func create(_ primaryKey: PrimaryKey?, row: [Value]) throws(StoreError) -> ObjectKey {
        precondition(row.isEmpty || row.count == columns.count, "a row has a value for each column")
        let new = try beginRow(primaryKey)
        for index in columns.indices {
            if index == primaryKeyColumn {
                set(new, index, primaryKey?.value ?? .null)
            } else {
                set(new, index, row.isEmpty ? .null : row[index])
            }
        }
        return new.key
    }

    private func write(_ value: Value, to column: Column, _ number: Int, _ slot: Int) {
        column.write(number, of: self).set(slot, value)
    }

    /// The key for a new object: a ghost's, or the next one, entered in the tree of primary keys.
    func allocate(_ primaryKey: PrimaryKey?) throws(StoreError) -> ObjectKey {
        guard let primaryKey else { return takeKey() }
        if case .int(let value) = primaryKey {
            guard !integerKeys.isAboveLargest(value, transaction), let known = find(value) else {
                return enter(value)
            }
            return try revive(known, primaryKey)
        }
        // A deleted object may still have the key.
        transaction.settleDeleted()
        let buffer = transaction.keyBuffer
        guard buffer.set(primaryKey: primaryKey) else { throw keyTooLong() }
        guard !isAboveLargest(buffer), let known = find(buffer.bytes) else { return enter(primaryKey, buffer) }
        return try revive(known, primaryKey)
    }

    /// Makes an object of a ghost. Throws `duplicatePrimaryKey` when it is an object already.
    private func revive(_ ghost: ObjectKey, _ primaryKey: PrimaryKey) throws(StoreError) -> ObjectKey {
        guard !exists(ghost) else { throw duplicate(primaryKey) }
        ghosts.write(ghost.leafNumber, of: self).setBit(ghost.slot, false)
        absent.write(ghost.leafNumber, of: self).setBit(ghost.slot, false)
        return ghost
    }

    /// Enters a primary key that is not in the tree, for a row whose key was given out.
    func enterKnownNew(_ primaryKey: PrimaryKey, _ key: ObjectKey) {
        if case .int(let value) = primaryKey {
            integerKeys.insert(value, row: key.rawValue, transaction)
            return
        }
        let buffer = transaction.keyBuffer
        guard buffer.set(primaryKey: primaryKey) else { preconditionFailure("a key that is too long was let in") }
        if isLargestKnown { _ = isAboveLargest(buffer) }
        put(buffer, key)
    }

    private func put(_ buffer: KeyBuffer, _ key: ObjectKey) {
        var raw = key.rawValue
        withUnsafeBytes(of: &raw) { value in
            transaction.writer.put(tree: record.primaryKeys, key: buffer.bytes, value: value)
        }
    }

    /// Gives a new row to a primary key that no row has.
    private func enter(_ primaryKey: Int64) -> ObjectKey {
        let key = takeKey()
        integerKeys.insert(primaryKey, row: key.rawValue, transaction)
        return key
    }

    /// Gives a new row to a primary key that is not in the tree.
    private func enter(_ primaryKey: PrimaryKey, _ buffer: KeyBuffer) -> ObjectKey {
        let key = takeKey()
        put(buffer, key)
        if case .container(let id) = primaryKey {
            containers.write(key.leafNumber, of: self).setFixed16(key.slot, id.client.rawValue, id.counter)
        }
        return key
    }

    /// Enters the primary key of an object that is here and in no tree yet.
    func enter(_ primaryKey: PrimaryKey, for key: ObjectKey) throws(StoreError) {
        guard self.key(for: primaryKey) == nil else { throw duplicate(primaryKey) }
        guard transaction.keyBuffer.set(primaryKey: primaryKey) else { throw keyTooLong() }
        enterKnownNew(primaryKey, key)
    }

    /// Whether a key is larger than all keys in the tree, so that none can equal it. Then keys that come in ascending
    /// order need no search.
    func isAboveLargest(_ buffer: KeyBuffer) -> Bool {
        if !isLargestKnown {
            largestPrimaryKey.clear()
            transaction.reader.scan(tree: record.primaryKeys, from: [], upTo: nil, reversed: true) { key, _ in
                largestPrimaryKey.set(key)
                return false
            }
            isLargestKnown = true
        }
        guard bytesOrder(largestPrimaryKey.bytes, buffer.bytes) < 0 else { return false }
        largestPrimaryKey.set(buffer.bytes)
        return true
    }

    func duplicate(_ primaryKey: PrimaryKey) -> StoreError {
        let shown: String =
            switch primaryKey {
            case .null: "nil"
            case .int(let value): "\(value)"
            case .string(let value): "'\(value)'"
            default: "\(primaryKey)"
            }
        return StoreError(
            .duplicatePrimaryKey,
            "Class '\(name)' has an object with primary key \(shown) already. Update that object, or use another key.",
            path: transaction.store.path)
    }

    func keyTooLong() -> StoreError {
        StoreError(
            .keyTooLong,
            "A primary key of class '\(name)' has more than \(KeyBuffer.longestPrimaryKey) bytes. Use a shorter one.",
            path: transaction.store.path)
    }

    /// The object of a primary key, alive or a ghost; a new ghost when there is none.
    ///
    /// Traps for a string that is too long for a primary key, because `create` refuses such keys.
    package func ghost(_ primaryKey: PrimaryKey) -> ObjectKey {
        if let known = keyOrGhost(for: primaryKey) { return known }
        let key = enterGhost(primaryKey)
        ghosts.write(key.leafNumber, of: self).setBit(key.slot, true)
        absent.write(key.leafNumber, of: self).setBit(key.slot, true)
        if let column = primaryKeyColumn, let value = primaryKey.value {
            write(value, to: columns[column], key.leafNumber, key.slot)
        }
        changes.noteGhost()
        return key
    }

    private func enterGhost(_ primaryKey: PrimaryKey) -> ObjectKey {
        if case .int(let value) = primaryKey { return enter(value) }
        transaction.settleDeleted()
        let buffer = transaction.keyBuffer
        guard buffer.set(primaryKey: primaryKey) else {
            preconditionFailure("a link to a primary key longer than \(KeyBuffer.longestPrimaryKey) bytes was set")
        }
        if isLargestKnown { _ = isAboveLargest(buffer) }
        return enter(primaryKey, buffer)
    }

    // MARK: - Setting properties

    /// Whether a value has the type of a property, of its collection's elements, or of a map's keys. `set`, `create`
    /// and the list calls trap on other values: ask here first about values from outside.
    package func accepts(_ value: Value, column: Int) -> Bool {
        if column < 0 { return if case .string = value { true } else { false } }
        let property = schema.properties[column]
        switch (property.type, value) {
        case (_, .null):
            return property.isNullable
        case (.bool, .bool), (.int, .int), (.float, .float), (.double, .double), (.string, .string), (.data, .bytes),
            (.date, .timestamp), (.objectId, .objectId), (.uuid, .uuid), (.object, .object):
            return true
        case (.object, .link(.string(let key))): return key.utf8.count <= KeyBuffer.longestPrimaryKey
        case (.object, .link): return true
        case (.decimal128, .decimal): return true
        case (.mixed, .object), (.mixed, .link): return false
        case (.mixed, _): return true
        default: return false
        }
    }

    /// Sets a property of an object that is here. A link may be given as `.object` or `.link`; a primary key that is
    /// not here becomes a ghost. A link to another embedded object, or to none, deletes the one before. Primary keys
    /// and lists are not set this way.
    package func set(_ key: ObjectKey, _ column: Int, _ value: Value) {
        precondition(exists(key), "a property of an object that is not here was set")
        let property = schema.properties[column]
        precondition(!property.isPrimaryKey, "a primary key was set after its object was made")
        precondition(property.collection == .none, "a collection was set as one value")
        precondition(accepts(value, column: column), "a value of another type than the property's was set")
        let target = columns[column]
        if property.type == .object {
            setLink(key, column, value)
        } else if property.type == .mixed {
            setMixed(key, column, value)
        } else {
            replace(key, column, by: value)
            if target.isText { changes.setText(key, column) }
        }
        changes.modify(key, column)
    }

    /// Writes a value that is no link, and updates the indexes.
    func replace(_ key: ObjectKey, _ column: Int, by value: Value) {
        let target = columns[column]
        if target.isIndexed { changeIndex(target, from: self.value(key, column), to: value, key) }
        target.write(key.leafNumber, of: self).set(key.slot, value)
    }
}
