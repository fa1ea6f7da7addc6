package import CausewayModel
import CausewayStorage

extension Table {
    // MARK: - Objects

    /// The key that the next object gets: all keys are below it.
    package var keysEnd: ObjectKey { ObjectKey(nextKey) }

    /// Whether the key names an object that is here: not deleted, not a ghost.
    package func exists(_ key: ObjectKey) -> Bool {
        key.rawValue >= 0 && key.rawValue < nextKey && !isAbsent(key)
    }

    /// The slot must exist.
    private func isAbsent(_ key: ObjectKey) -> Bool {
        let number = key.leafNumber
        let known = absent.leaves.pointee
        guard let leaf = (number < known.count ? known.leaves[number] : nil) ?? absent.load(number, from: transaction)
        else { return false }
        return BoolLeaf(leaf).value(key.slot)
    }

    /// Whether the key names an object that others point to and that is not here.
    package func isGhost(_ key: ObjectKey) -> Bool {
        bit(key, ghosts)
    }

    private func bit(_ key: ObjectKey, _ column: Column) -> Bool {
        guard key.rawValue >= 0, let leaf = column.load(key.leafNumber, from: transaction) else { return false }
        return BoolLeaf(leaf).value(key.slot)
    }

    /// The object of a primary key, if it is here.
    package func key(for primaryKey: PrimaryKey) -> ObjectKey? {
        keyOrGhost(for: primaryKey).flatMap { exists($0) ? $0 : nil }
    }

    package func keyOrGhost(for primaryKey: PrimaryKey) -> ObjectKey? {
        if case .int(let value) = primaryKey { return find(value) }
        let buffer = transaction.keyBuffer
        guard buffer.set(primaryKey: primaryKey) else { return nil }
        return find(buffer.bytes)
    }

    func find(_ primaryKey: Int64) -> ObjectKey? {
        integerKeys.row(of: primaryKey, transaction).flatMap(objectOrGhost)
    }

    func find(_ primaryKeyBytes: UnsafeRawBufferPointer) -> ObjectKey? {
        guard let bytes = transaction.reader.get(tree: record.primaryKeys, key: primaryKeyBytes), bytes.count == 8
        else { return nil }
        return objectOrGhost(bytes.loadUnaligned(as: Int64.self))
    }

    /// A row found by its primary key; nil when its object was deleted and the key is not removed yet.
    private func objectOrGhost(_ number: Int64) -> ObjectKey? {
        guard let key = row(number), exists(key) || isGhost(key) else { return nil }
        return key
    }

    /// A number from the file as a row's key; nil, and noted as damage, when there cannot be such a row.
    func row(_ number: Int64) -> ObjectKey? {
        if number >= 0, number < nextKey { return ObjectKey(number) }
        transaction.noteDamage(transaction.store.damaged())
        return nil
    }

    /// The primary key of an object or a ghost. For an embedded object it is the id it was given, if any.
    package func primaryKey(of key: ObjectKey) -> PrimaryKey? {
        exists(key) || isGhost(key) ? storedPrimaryKey(of: key) : nil
    }

    /// The primary key of a row that has one, also when its object was just deleted.
    func storedPrimaryKey(of key: ObjectKey) -> PrimaryKey? {
        if let column = primaryKeyColumn { return PrimaryKey(value(key, column)) }
        guard let leaf = containers.load(key.leafNumber, from: transaction), !UUIDLeaf(leaf).isNull(key.slot) else {
            return nil
        }
        let client = ClientID(UUIDLeaf(leaf).high(key.slot))
        return .container(ElementID(client: client, counter: UUIDLeaf(leaf).low(key.slot)))
    }

    /// The keys of all objects, ascending.
    package var allKeys: [ObjectKey] {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(count)
        forEachKey { key in
            keys.append(key)
            return true
        }
        return keys
    }

    /// Visits the objects in ascending order of their keys until the body answers false.
    package func forEachKey(_ body: (ObjectKey) -> Bool) {
        for number in leafNumbers {
            let words = aliveWords(number)
            for index in 0..<wordsPerLeaf {
                var word = words[index]
                while word != 0 {
                    let slot = index * 64 + word.trailingZeroBitCount
                    if !body(ObjectKey(Int64(number * slotsPerLeaf + slot))) { return }
                    word &= word - 1
                }
            }
        }
    }

    /// Which slots of a leaf hold an object.
    func aliveWords(_ number: Int) -> SlotBitmap {
        let all = SlotBitmap(first: max(0, slotCount(number)))
        guard let leaf = absent.load(number, from: transaction) else { return all }
        return all.subtracting(SlotBitmap(bits: leaf))
    }

    // MARK: - Values

    /// The leaf of a column, while it has a layout; see the leaf readers. Valid until the transaction moves to another
    /// version or anything is written.
    @inlinable
    package func leaf(_ column: Int, _ number: Int) -> UnsafeRawPointer? {
        let array = leafDirectory[column]
        if number < array.count, number >= 0, let leaf = array.leaves[number] { return leaf }
        return loadLeaf(column, number)
    }

    /// Whether a value was read before in this version: its leaf, or the value itself where it is too long for its
    /// leaf.
    package func hasAskedFor(_ column: Int, of key: ObjectKey) -> Bool {
        let array = leafDirectory[column]
        let number = key.leafNumber
        guard number >= 0, number < array.count, let leaf = array.leaves[number] else { return false }
        return leaf.leafField(LeafLayout.kind, UInt8.self) != LeafKind.bytes.rawValue
            || !LongLeaf.isOutstanding(leaf, key.slot)
    }

    @usableFromInline
    package func loadLeaf(_ column: Int, _ number: Int) -> UnsafeRawPointer? {
        columns[column].load(number, from: transaction)
    }

    /// A property's value; null for objects that are not here. Links come as `.object`, also when the target is a
    /// ghost. The property must not be a list.
    package func value(_ key: ObjectKey, _ column: Int) -> Value {
        guard key.rawValue >= 0 else { return .null }
        // Links to deleted objects become null first.
        if columns[column].holdsLinks { transaction.settleDeleted() }
        let number = key.leafNumber
        let slot = key.slot
        if let leaf = leaf(column, number) { return LeafValue.read(leaf, slot, schema.properties[column].type) }
        guard let strings = columns[column].writableLeaf(at: number)?.strings, !strings.isNull(slot) else {
            return .null
        }
        return strings.withBytes(slot) { LeafValue.bytes($0, schema.properties[column].type) }
    }

    /// The bytes of a string or data property, without a copy where that is possible. Nil for null.
    func withBytes<Result>(
        _ key: ObjectKey, _ column: Int, _ body: (UnsafeRawBufferPointer?) -> Result
    ) -> Result {
        let slot = key.slot
        if let leaf = leaf(column, key.leafNumber) {
            let strings = StringLeaf(leaf)
            return body(strings.isNull(slot) ? nil : strings.bytes(slot))
        }
        guard let strings = columns[column].writableLeaf(at: key.leafNumber)?.strings, !strings.isNull(slot) else {
            return body(nil)
        }
        return strings.withBytes(slot) { body($0) }
    }
}

/// Turns a slot of a leaf into a value.
enum LeafValue {
    static func read(_ leaf: UnsafeRawPointer, _ slot: Int, _ type: PropertyType) -> Value {
        if LeafHeader(leaf).isNull(slot) { return .null }
        switch type {
        case .bool: return .bool(BoolLeaf(leaf).value(slot))
        case .int: return .int(IntegerLeaf(leaf).value(slot))
        case .float: return .float(FloatLeaf(leaf).value(slot))
        case .double: return .double(DoubleLeaf(leaf).value(slot))
        case .string, .data, .mixed: return bytes(StringLeaf(leaf).bytes(slot), type)
        case .date:
            let leaf = TimestampLeaf(leaf)
            return .timestamp(Timestamp(seconds: leaf.seconds(slot), nanoseconds: leaf.nanoseconds(slot)))
        case .objectId:
            let leaf = ObjectIdLeaf(leaf)
            return .objectId(ObjectIdentifier12(high: leaf.high(slot), low: leaf.low(slot)))
        case .uuid:
            let leaf = UUIDLeaf(leaf)
            return .uuid(UUID16(high: leaf.high(slot), low: leaf.low(slot)))
        case .object: return .object(ObjectKey(IntegerLeaf(leaf).value(slot)))
        case .decimal128: return .decimal(DecimalTest.number(leaf, slot))
        }
    }

    static func bytes(_ bytes: UnsafeRawBufferPointer, _ type: PropertyType) -> Value {
        switch type {
        case .string: .string(String(decoding: bytes, as: UTF8.self))
        case .mixed: MixedBytes.decode(bytes)
        default: .bytes(Array(bytes))
        }
    }
}
