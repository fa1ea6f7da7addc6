import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations

// Many objects that come into view at once and are all new: they go into their leaves column by column.

extension RowWriter {
    /// Makes the rows of a run. False, with nothing done, when one of its objects is here already, or when the class has
    /// properties that need every object looked at.
    func insert(_ run: ObjectRun) throws(StoreError) -> Bool {
        // A class that the device's schema does not know is left alone.
        guard let table = transaction.table(run.className) else { return true }
        guard run.life == 1, table.schema.kind == .object, !needsSingleObjects(run, table.schema),
            let keys = NewKeys(run.keys, table.schema), let rows = try? table.beginRows(keys)
        else { return false }
        insert(run, keys, rows, table)
        // Of earlier objects of these names.
        let rememberedLists = trees.hasLists(of: table.schema)
        if rememberedLists || remembersObjects {
            for key in run.keys.keys {
                let object = ObjectReference(run.className, key)
                if rememberedLists { trees.removeLists(object, table.schema) }
                if remembersObjects { trees.save(life: run.life, object) }
            }
        }
        return true
    }

    /// Mixed values may lead anywhere, and embedded objects come to rows that others hold.
    private func needsSingleObjects(_ run: ObjectRun, _ schema: ClassSchema) -> Bool {
        schema.properties.contains { property in
            guard property.collection == .none else { return false }
            if property.type == .mixed { return true }
            guard let target = property.target, isEmbedded(target) else { return false }
            return run.fields.contains { $0.property == property.name && $0.values.present != .nulls }
        }
    }

    private func insert(_ run: ObjectRun, _ keys: NewKeys, _ rows: NewRows, _ table: Table) {
        var columns = columns(of: run, table)
        while let elements = rows.next() {
            let first = rows.open()
            enter(keys, elements, rows, first, table)
            for index in columns.indices { columns[index].write(elements, rows, first) }
            rows.close()
        }
    }

    private func enter(_ keys: NewKeys, _ elements: Range<Int>, _ rows: NewRows, _ first: NewRow, _ table: Table) {
        guard let column = table.schema.primaryKeyIndex else { return }
        switch keys {
        case .none: break
        case .integers(let keys):
            for (position, element) in elements.enumerated() { first.advanced(by: position).set(column, keys[element]) }
        case .others(let keys):
            for (position, element) in elements.enumerated() {
                rows.set(position, column, keys[element].value ?? .null)
            }
        }
    }

    /// Of every property that has a column but the primary key: what the run says of it, where it fits.
    private func columns(of run: ObjectRun, _ table: Table) -> [NewColumn] {
        let said = Dictionary(run.fields.map { ($0.property, $0.values) }, uniquingKeysWith: { first, _ in first })
        return table.schema.properties.enumerated().compactMap { index, property in
            guard property.collection == .none, !property.isPrimaryKey else { return nil }
            let column = NewColumn(index, isNullable: property.zero.isNull)
            guard property.isField, let values = said[property.name] else { return column }
            return column.holding(values, of: property, table, target: property.target.flatMap(transaction.table))
        }
    }
}

extension NewKeys {
    /// Nil where the keys are not of the primary key's type.
    fileprivate init?(_ keys: KeyColumn, _ schema: ClassSchema) {
        guard let primaryKey = schema.primaryKeyIndex else { return nil }
        switch (keys, schema.properties[primaryKey].type) {
        case (.ints(let keys), .int): self = .integers(keys)
        case (.strings, .string), (.dictionary, .string), (.objectIds, .objectId), (.uuids, .uuid):
            self = .others(keys.keys)
        default: return nil
        }
    }
}

/// One column of new rows, written piece by piece.
private struct NewColumn {
    private let column: Int
    private let isNullable: Bool
    private var arePresent: [Bool]?
    private var source = Source.nothing
    /// Of the values that are there, the one to be written next.
    private var next = 0

    private enum Source {
        /// Null or zero in every row.
        case nothing
        case same(Value)
        case bools([Bool])
        case ints([Int64])
        case floats([Float])
        case doubles([Double])
        case wholeDoubles([Int64])
        case strings([String])
        /// Each once, and which of them stands where.
        case texts([[UInt8]], [UInt16])
        case timestamps([Timestamp])
        case objectIds([ObjectIdentifier12])
        case uuids([UUID16])
        /// Rows of the target; nil where its primary key can be none.
        case links([ObjectKey?])
        case others([Value])
    }

    init(_ column: Int, isNullable: Bool) {
        self.column = column
        self.isNullable = isNullable
    }

    /// Values of another type than the property's are left out.
    func holding(_ values: SparseColumn, of property: Property, _ table: Table, target: Table?) -> NewColumn {
        let source: Source
        switch (values.present, property.type) {
        case (.nulls, _): return self
        case (.bools(let values), .bool): source = .bools(values)
        case (.ints(let values), .int): source = .ints(values)
        case (.floats(let values), .float): source = .floats(values)
        case (.doubles(let values), .double): source = .doubles(values)
        case (.wholeDoubles(let values), .double): source = .wholeDoubles(values)
        case (.strings(let values), .string): source = .strings(values)
        case (.dictionary(let values), .string):
            source = .texts(values.distinct.map { Array($0.utf8) }, values.indexes)
        case (.timestamps(let values), .date): source = .timestamps(values)
        case (.objectIds(let values), .objectId): source = .objectIds(values)
        case (.uuids(let values), .uuid): source = .uuids(values)
        case (_, .object):
            guard let target else { return self }
            source = .links(rows(of: values, table, target))
        case (.same(let value), _):
            guard table.accepts(value, column: column) else { return self }
            source = .same(value)
        default:
            let present = values.present.values(count: values.arePresent?.count { $0 } ?? values.count)
            source = .others(present.map { table.accepts($0, column: column) ? $0 : property.zero })
        }
        var result = self
        result.source = source
        result.arePresent = values.arePresent
        return result
    }

    /// The targets of links: a primary key that is not here becomes a ghost.
    private func rows(of values: SparseColumn, _ table: Table, _ target: Table) -> [ObjectKey?] {
        func row(_ value: Value) -> ObjectKey? {
            guard case .link(let key) = value, table.accepts(value, column: column) else { return nil }
            return target.ghost(key)
        }
        if case .links(.dictionary(let keys)) = values.present {
            let rows = keys.distinct.map { row(.link(.string($0))) }
            return keys.indexes.map { rows[Int($0)] }
        }
        if case .same(let value) = values.present { return Array(repeating: row(value), count: values.count) }
        var known: [Value: ObjectKey?] = [:]
        return values.present.values(count: values.arePresent?.count { $0 } ?? values.count).map { value in
            if let row = known[value] { return row }
            let row = row(value)
            known[value] = row
            return row
        }
    }

    /// Writes the values of some elements into the rows from the first on.
    mutating func write(_ elements: Range<Int>, _ rows: NewRows, _ first: NewRow) {
        let column = column
        switch source {
        case .nothing: for position in 0..<elements.count { setNull(position, rows, first) }
        case .same(let value): each(elements, rows, first) { position, _, _ in rows.set(position, column, value) }
        case .bools(let values): each(elements, rows, first) { $1.set(column, values[$2]) }
        case .ints(let values): each(elements, rows, first) { $1.set(column, values[$2]) }
        case .floats(let values): each(elements, rows, first) { $1.set(column, values[$2]) }
        case .doubles(let values): each(elements, rows, first) { $1.set(column, values[$2]) }
        case .wholeDoubles(let values): each(elements, rows, first) { $1.set(column, Double(values[$2])) }
        case .strings(let values):
            each(elements, rows, first) { _, row, index in
                var text = values[index]
                text.withUTF8 { row.set(column, UnsafeRawBufferPointer($0)) }
            }
        case .texts(let texts, let indexes):
            each(elements, rows, first) { _, row, index in
                texts[Int(indexes[index])].withUnsafeBytes { row.set(column, $0) }
            }
        case .timestamps(let values): each(elements, rows, first) { $1.set(column, values[$2]) }
        case .objectIds(let values): each(elements, rows, first) { $1.set(column, values[$2]) }
        case .uuids(let values): each(elements, rows, first) { $1.set(column, values[$2]) }
        case .links(let targets):
            each(elements, rows, first) { _, row, index in
                if let target = targets[index] { row.set(column, target.rawValue) } else { row.setNull(column) }
            }
        case .others(let values): each(elements, rows, first) { rows.set($0, column, values[$2]) }
        }
    }

    /// Calls for each row that has a value: with its position, the row, and the value's place among those that are there.
    @inline(__always)
    private mutating func each(
        _ elements: Range<Int>, _ rows: NewRows, _ first: NewRow, _ write: (Int, NewRow, Int) -> Void
    ) {
        guard let arePresent else {
            for position in 0..<elements.count {
                write(position, first.advanced(by: position), elements.lowerBound + position)
            }
            return
        }
        for position in 0..<elements.count {
            guard arePresent[elements.lowerBound + position] else {
                setNull(position, rows, first)
                continue
            }
            write(position, first.advanced(by: position), next)
            next += 1
        }
    }

    private func setNull(_ position: Int, _ rows: NewRows, _ first: NewRow) {
        if isNullable { first.advanced(by: position).setNull(column) } else { rows.set(position, column, .null) }
    }
}
