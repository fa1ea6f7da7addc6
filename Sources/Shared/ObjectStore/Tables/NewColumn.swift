package import CausewayModel
package import CausewayOperations

// Many new objects whose values come as columns.

extension Table {
    /// Fills new rows.
    ///
    /// - Parameter columns: for each property its values, in the order of the keys. A missing value, or one of another
    ///   type than the property's, is null or zero. Not for embedded objects and mixed values, nor for the primary key.
    /// - Returns: where the objects lie, in their order.
    @discardableResult
    package func fill(_ rows: NewRows, _ keys: NewKeys, with columns: [SparseColumn?]) -> [ClosedRange<ObjectKey>] {
        var columns = schema.properties.enumerated().compactMap { index, property -> NewColumn? in
            guard property.collection == .none, !property.isPrimaryKey else { return nil }
            let column = NewColumn(index, isNullable: property.zero.isNull)
            return columns[index].map { column.holding($0, of: property, self) } ?? column
        }
        var places: [ClosedRange<ObjectKey>] = []
        while let elements = rows.next() {
            let first = rows.open()
            enter(keys, elements, rows, first)
            for index in columns.indices { columns[index].write(elements, rows, first) }
            rows.close()
            let place = rows.key(of: elements.lowerBound)...rows.key(of: elements.upperBound - 1)
            if let last = places.last, last.upperBound.rawValue + 1 == place.lowerBound.rawValue {
                places[places.count - 1] = last.lowerBound...place.upperBound
            } else {
                places.append(place)
            }
        }
        return places
    }

    private func enter(_ keys: NewKeys, _ elements: Range<Int>, _ rows: NewRows, _ first: NewRow) {
        guard let column = schema.primaryKeyIndex else { return }
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
}

extension NewKeys {
    /// Nil when the class has no primary key, or the keys are of another type.
    package init?(_ keys: KeyColumn, _ schema: ClassSchema) {
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
struct NewColumn {
    private let column: Int
    private let isNullable: Bool
    private var arePresent: [Bool]?
    private var source = Source.nothing
    /// The index of the next value to write, among those that are present.
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
        /// The distinct texts, and for each value which of them it is.
        case texts([[UInt8]], [UInt16])
        case timestamps([Timestamp])
        case objectIds([ObjectIdentifier12])
        case uuids([UUID16])
        /// Rows of the target; nil for what cannot be its primary key.
        case links([ObjectKey?])
        case others([Value])
    }

    init(_ column: Int, isNullable: Bool) {
        self.column = column
        self.isNullable = isNullable
    }

    /// Values of another type than the property's are left out.
    func holding(_ values: SparseColumn, of property: Property, _ table: Table) -> NewColumn {
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
            source = .links(rows(of: values, table, table.target(column)))
        case (.same(let value), _):
            guard table.accepts(value, column: column) else { return self }
            source = .same(value)
        default:
            source = .others(values.presentValues.map { table.accepts($0, column: column) ? $0 : property.zero })
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
        return values.presentValues.map { value in
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

    /// Calls for each row that has a value, with its position, the row, and the value's index among those present.
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
