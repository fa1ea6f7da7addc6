package import CausewayModel
package import CausewayOperations
import CausewayStorage

/// Some objects of a table, whose properties are read column by column: many at once, and straight from their leaves.
/// In a write transaction they show its changes so far.
package struct TableRows {
    private let table: Table
    private let count: Int
    private let pieces: [Piece]

    /// Rows of one leaf.
    private struct Piece {
        var leaf: Int
        var slots: [Int]
    }

    init(_ table: Table, _ keys: ArraySlice<ObjectKey>) {
        self.table = table
        count = keys.count
        var pieces: [Piece] = []
        for key in keys {
            let leaf = key.leafNumber
            if pieces.last?.leaf != leaf { pieces.append(Piece(leaf: leaf, slots: [])) }
            pieces[pieces.count - 1].slots.append(key.slot)
        }
        self.pieces = pieces
    }

    /// The bytes of the leaves that hold these rows, with everything else in them.
    package var leafBytes: Int {
        var sum = 0
        for column in table.schema.properties.indices where table.schema.properties[column].collection == .none {
            for piece in pieces {
                guard let leaf = table.leaf(column, piece.leaf) else { continue }
                sum += Int(leaf.leafField(LeafLayout.byteCount, UInt32.self))
            }
        }
        return sum
    }

    /// The primary keys; nil when one cannot be read.
    package func primaryKeys(_ column: Int) -> KeyColumn? {
        guard let values = self.column(column), values.arePresent == nil else { return nil }
        switch values.present {
        case .ints(let values): return .ints(values)
        case .strings(let values): return .strings(values)
        case .dictionary(let values): return .dictionary(values)
        case .objectIds(let values): return .objectIds(values)
        case .uuids(let values): return .uuids(values)
        default:
            let keys = values.values.compactMap { PrimaryKey($0) }
            return keys.count == count ? KeyColumn(keys) : nil
        }
    }

    /// The values of a property that is no collection, links by primary key. Nil when one of them cannot be read so.
    package func column(_ column: Int) -> SparseColumn? {
        switch table.schema.properties[column].type {
        case .bool: values(column) { BoolLeaf($0).value($1) }?.column { .bools($0) }
        case .int: values(column) { IntegerLeaf($0).value($1) }?.column { .ints($0) }
        case .float: values(column) { FloatLeaf($0).value($1) }?.column { .floats($0) }
        case .double: values(column) { DoubleLeaf($0).value($1) }?.column { ValueColumn(doubles: $0) }
        case .date:
            values(column) { leaf, slot in
                let leaf = TimestampLeaf(leaf)
                return Timestamp(seconds: leaf.seconds(slot), nanoseconds: leaf.nanoseconds(slot))
            }?.column { .timestamps($0) }
        case .objectId:
            values(column) { leaf, slot in
                let leaf = ObjectIdLeaf(leaf)
                return ObjectIdentifier12(high: leaf.high(slot), low: leaf.low(slot))
            }?.column { .objectIds($0) }
        case .uuid:
            values(column) { leaf, slot in
                let leaf = UUIDLeaf(leaf)
                return UUID16(high: leaf.high(slot), low: leaf.low(slot))
            }?.column { .uuids($0) }
        case .string: strings(column)
        case .object: links(column)
        case .data, .decimal128, .mixed:
            values(column) { LeafValue.read($0, $1, table.schema.properties[column].type) }?.column { ValueColumn($0) }
        }
    }

    /// The present values, and their positions.
    private struct Values<Element> {
        var present: [Element] = []
        var arePresent: [Bool]?

        func column(_ form: ([Element]) -> ValueColumn) -> SparseColumn {
            guard let arePresent else { return SparseColumn(form(present), count: present.count) }
            if present.isEmpty { return SparseColumn(.nulls, count: arePresent.count) }
            return SparseColumn(form(present), arePresent: arePresent)
        }
    }

    @inline(__always)
    private func values<Element>(
        _ column: Int, _ value: (UnsafeRawPointer, Int) -> Element
    ) -> Values<Element>? {
        var result = Values<Element>()
        result.present.reserveCapacity(count)
        var start = 0
        for piece in pieces {
            guard let leaf = table.leaf(column, piece.leaf) else { return nil }
            let header = LeafHeader(leaf)
            if !header.hasNulls, let last = piece.slots.last, last < header.count {
                for slot in piece.slots { result.present.append(value(leaf, slot)) }
            } else {
                var arePresent = result.arePresent ?? Array(repeating: true, count: count)
                result.arePresent = nil
                for (offset, slot) in piece.slots.enumerated() {
                    if header.isNull(slot) {
                        arePresent[start + offset] = false
                    } else {
                        result.present.append(value(leaf, slot))
                    }
                }
                result.arePresent = arePresent
            }
            start += piece.slots.count
        }
        if result.present.count == count { result.arePresent = nil }
        return result
    }

    // MARK: - Strings

    /// Reads leaves with a dictionary by their codes. If any leaf has none, every string is made.
    private func strings(_ column: Int) -> SparseColumn? {
        if pieces.contains(where: { table.columns[column].writableLeaf(at: $0.leaf) != nil }) {
            return stringsBeingWritten(column)
        }
        var dictionary = DistinctStrings(distinct: [], indexes: [])
        var known: [[UInt8]: UInt16] = [:]
        /// From a leaf's codes to the dictionary's.
        var indexes: [UInt16?] = []
        var current: UnsafeRawPointer?
        var isCoded = true
        let codes = values(column) { leaf, slot -> UInt16 in
            let strings = StringLeaf(leaf)
            if leaf != current {
                current = leaf
                let entries = Int(leaf.leafField(LeafLayout.dictionaryCount, UInt16.self))
                isCoded = isCoded && entries > 0
                indexes = Array(repeating: nil, count: entries)
            }
            guard isCoded else { return 0 }
            let width = leaf.leafField(LeafLayout.width, UInt8.self)
            let code = Int(IntegerLeaf.relative(LeafHeader(leaf).payload, width, slot))
            guard indexes.indices.contains(code) else {
                isCoded = false
                return 0
            }
            if let index = indexes[code] { return index }
            let bytes = Array(strings.entry(code))
            if known[bytes] == nil {
                guard dictionary.distinct.count < DistinctStrings.distinctMax else {
                    isCoded = false
                    return 0
                }
                known[bytes] = UInt16(dictionary.distinct.count)
                dictionary.distinct.append(String(decoding: bytes, as: UTF8.self))
            }
            indexes[code] = known[bytes]
            return known[bytes] ?? 0
        }
        guard isCoded else {
            return values(column) { .string(String(decoding: StringLeaf($0).bytes($1), as: UTF8.self)) }?
                .column { ValueColumn($0) }
        }
        return codes?.column { codes in
            if dictionary.distinct.count == 1 { return .same(.string(dictionary.distinct[0])) }
            dictionary.indexes = codes
            return .dictionary(dictionary)
        }
    }

    /// Reads strings of leaves that the transaction is still writing, which have no layout.
    private func stringsBeingWritten(_ column: Int) -> SparseColumn? {
        var strings = Values<Value>()
        strings.present.reserveCapacity(count)
        var arePresent = Array(repeating: true, count: count)
        var position = 0
        for piece in pieces {
            let written = table.columns[column].writableLeaf(at: piece.leaf)?.strings
            let leaf = written == nil ? table.leaf(column, piece.leaf) : nil
            guard written != nil || leaf != nil else { return nil }
            for slot in piece.slots {
                if let written, !written.isNull(slot) {
                    strings.present.append(written.withBytes(slot) { .string(String(decoding: $0, as: UTF8.self)) })
                } else if let leaf, !LeafHeader(leaf).isNull(slot) {
                    strings.present.append(.string(String(decoding: StringLeaf(leaf).bytes(slot), as: UTF8.self)))
                } else {
                    arePresent[position] = false
                }
                position += 1
            }
        }
        if strings.present.count < count { strings.arePresent = arePresent }
        return strings.column { ValueColumn($0) }
    }

    // MARK: - Links

    /// Many objects link to few: each target's primary key is looked up once.
    private func links(_ column: Int) -> SparseColumn? {
        // Links to deleted objects become null first.
        table.transaction.settleDeleted()
        guard let rows = values(column, { IntegerLeaf($0).value($1) }) else { return nil }
        let target = table.target(column)
        var places = TargetPlaces(rows.present)
        var keys: [PrimaryKey] = []
        var indexes: [Int] = []
        indexes.reserveCapacity(rows.present.count)
        for row in rows.present {
            let place = places.place(of: row, next: keys.count)
            if place == keys.count {
                guard let key = target.primaryKey(of: ObjectKey(row)) else { return nil }
                keys.append(key)
            }
            indexes.append(place)
        }
        return rows.column { _ in
            if keys.count == 1 { return .same(.link(keys[0])) }
            if keys.count <= min(indexes.count / 2, DistinctStrings.distinctMax) {
                let texts = keys.compactMap { if case .string(let text) = $0 { text } else { nil } }
                if texts.count == keys.count {
                    return .links(.dictionary(DistinctStrings(distinct: texts, indexes: indexes.map { UInt16($0) })))
                }
            }
            return .links(KeyColumn(indexes.map { keys[$0] }))
        }
    }

    /// Numbers rows in the order in which they are met.
    private struct TargetPlaces {
        private let least: Int64
        /// By the distance of a row from the least; empty when rows lie too far apart.
        private var near: [Int32] = []
        private var far: [Int64: Int] = [:]

        init(_ rows: [Int64]) {
            least = rows.min() ?? 0
            let (span, isLarge) = (rows.max() ?? 0).subtractingReportingOverflow(least)
            if !isLarge, span < 1 << 16 { near = Array(repeating: -1, count: Int(span) + 1) }
        }

        mutating func place(of row: Int64, next: Int) -> Int {
            if near.isEmpty {
                if let known = far[row] { return known }
                far[row] = next
                return next
            }
            let index = Int(row - least)
            if near[index] >= 0 { return Int(near[index]) }
            near[index] = Int32(next)
            return next
        }
    }
}

extension Table {
    /// Objects that are here, in the order of their keys.
    package func rows(_ keys: ArraySlice<ObjectKey>) -> TableRows { TableRows(self, keys) }
}
