public import CausewayModel

/// An object being made, whose properties are written into their leaves one by one, without a `Value` for each.
///
/// Each column but those of lists must be set once: a column left out holds what its slot held. Valid until the next
/// call to the table that is not about this row.
@usableFromInline
package struct NewRow {
    @usableFromInline package let key: ObjectKey
    @usableFromInline let slot: Int
    @usableFromInline let targets: UnsafeMutablePointer<RowTarget>

    init(_ key: ObjectKey, _ targets: UnsafeMutablePointer<RowTarget>) {
        self.key = key
        slot = key.slot
        self.targets = targets
    }

    @inlinable @inline(__always)
    init(_ key: ObjectKey, slot: Int, _ targets: UnsafeMutablePointer<RowTarget>) {
        self.key = key
        self.slot = slot
        self.targets = targets
    }

    /// The row some slots further, in the same leaf.
    @inlinable @inline(__always)
    package func advanced(by distance: Int) -> NewRow {
        NewRow(ObjectKey(key.rawValue &+ Int64(distance)), slot: slot &+ distance, targets)
    }

    /// Whether the column must be set from its value, through `Table.set`, because it is indexed.
    @inlinable @inline(__always)
    package func isIndexed(_ column: Int) -> Bool { targets[column].isIndexed }

    @inlinable @inline(__always)
    package func set(_ column: Int, _ value: Int64) {
        targets[column].present(slot, .integer).storeBytes(of: value, toByteOffset: slot &* 8, as: Int64.self)
    }

    @inlinable @inline(__always)
    package func set(_ column: Int, _ value: Double) {
        targets[column].present(slot, .double).storeBytes(
            of: value.storedBits, toByteOffset: slot &* 8, as: UInt64.self)
    }

    @inlinable @inline(__always)
    package func set(_ column: Int, _ value: Float) {
        targets[column].present(slot, .float).storeBytes(of: value.storedBits, toByteOffset: slot &* 4, as: UInt32.self)
    }

    @inlinable @inline(__always)
    package func set(_ column: Int, _ value: Bool) {
        let target = targets[column]
        target.setBit(target.present(slot, .bits), slot, value)
    }

    @inlinable @inline(__always)
    package func set(_ column: Int, _ value: Timestamp) {
        let payload = targets[column].present(slot, .timestamp)
        payload.storeBytes(of: value.seconds, toByteOffset: slot &* 8, as: Int64.self)
        payload.storeBytes(of: value.nanoseconds, toByteOffset: 8000 &+ slot &* 4, as: Int32.self)
    }

    @inlinable @inline(__always)
    package func set(_ column: Int, _ value: ObjectIdentifier12) {
        let payload = targets[column].present(slot, .fixed12)
        payload.storeBytes(of: value.high.bigEndian, toByteOffset: slot &* 12, as: UInt64.self)
        payload.storeBytes(of: value.low.bigEndian, toByteOffset: slot &* 12 &+ 8, as: UInt32.self)
    }

    @inlinable @inline(__always)
    package func set(_ column: Int, _ value: UUID16) {
        let payload = targets[column].present(slot, .fixed16)
        payload.storeBytes(of: value.high.bigEndian, toByteOffset: slot &* 16, as: UInt64.self)
        payload.storeBytes(of: value.low.bigEndian, toByteOffset: slot &* 16 &+ 8, as: UInt64.self)
    }

    /// Strings, as UTF-8, and data.
    package func set(_ column: Int, _ bytes: UnsafeRawBufferPointer) {
        guard let strings = targets[column].strings else {
            preconditionFailure("a value of another type than the property's was set in a new row")
        }
        strings._withUnsafeGuaranteedRef { $0.add(slot, bytes) }
    }

    package func setNull(_ column: Int) {
        let target = targets[column]
        if let strings = target.strings {
            strings._withUnsafeGuaranteedRef { $0.addNull(slot) }
        } else if let kind = target.kind {
            _ = target.present(slot, kind)
            target.memory.map { target.setBit($0 + LeafLayout.headerBytes, slot, true) }
        }
    }
}

extension Table {
    /// Makes an object. The caller sets its properties next, its primary key too.
    ///
    /// A ghost of the primary key comes to life under its object key. Throws `duplicatePrimaryKey` when the object
    /// exists, and `keyTooLong`.
    package func beginRow(_ primaryKey: PrimaryKey?) throws(StoreError) -> NewRow {
        let key = try allocate(primaryKey)
        let number = key.leafNumber
        if number != rowTargets.leaf {
            // Not for a ghost that comes to life: others may in the leaves before its own.
            if key.rawValue == nextKey - 1 { packFilled(below: number - Self.leavesKept) }
            rowTargets.aim(at: number, columns, of: self)
        }
        changes.insert(key)
        count += 1
        return NewRow(key, rowTargets.targets)
    }

    /// Rows of the leaf before may still be set, for example once the objects exist that they link to.
    private static let leavesKept = 1

    /// Packs the leaves of new rows that later rows have left behind, each of them once. So a write of many objects does not keep
    /// all of them at full width. Whoever changes one of their rows after all finds its leaf in the storage.
    private func packFilled(below end: Int) {
        guard end > packedEnd else { return }
        for number in packedEnd..<end {
            for column in columns { column.flush(number, to: transaction.writer, transaction.packer) }
        }
        packedEnd = end
    }

    package var columnCount: Int { columns.count }

    /// Sets any column of a new row from its value, and updates its index, or the backlinks of its target. Null means
    /// zero where null is not allowed.
    package func set(_ row: NewRow, _ index: Int, _ value: Value) {
        let column = columns[index]
        switch column.role {
        case .hidden, .list: break
        case .primaryKey: column.write(row.key.leafNumber, of: self).set(row.slot, value)
        case .link: setNewLink(value, row.key, index)
        case .mixed: setNewMixed(value, row.key, index)
        case .required(let type) where value.isNull: setFollowed(row, column, type.zero)
        case .required, .optional: setFollowed(row, column, value)
        }
    }

    /// Sets an indexed string of a new row, as UTF-8.
    package func set(_ row: NewRow, _ index: Int, indexed text: UnsafeRawBufferPointer) {
        row.set(index, text)
        putIndex(columns[index], text: text, row.key)
    }

    /// Sets a link of a new row.
    package func link(_ row: NewRow, _ index: Int, to linked: ObjectKey) {
        row.set(index, linked.rawValue)
        target(index).addBacklink(to: linked, from: row.key, columns[index])
    }

    private func setFollowed(_ row: NewRow, _ column: Column, _ value: Value) {
        column.write(row.key.leafNumber, of: self).set(row.slot, value)
        if column.isIndexed { putIndex(column, value, row.key) }
    }
}
