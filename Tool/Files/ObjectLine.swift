import CausewayJSON
package import CausewayModel
package import CausewayObjectStore

/// An object as one line of JSON, in the forms of the data API.
///
/// An object of a class without a primary key begins with `$row`, its row in the file, and links to it name that row. In an
/// export links name its number instead.
package struct ObjectLine {
    /// How deep embedded objects, and collections in mixed values, are written and read inside each other. Apps decide how deep
    /// they nest them.
    static let depthMax = 100

    private let transaction: Transaction
    /// The numbers of an export; nil to name rows.
    private let numbers: RowNumbers?

    package init(_ transaction: Transaction) {
        self.init(transaction, numbers: nil)
    }

    init(_ transaction: Transaction, numbers: RowNumbers?) {
        self.transaction = transaction
        self.numbers = numbers
    }

    package func text(_ key: ObjectKey, _ className: String) throws -> String {
        var writer = JSONWriter()
        try write(key, try transaction.namedTable(className), to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Writes an object.
    ///
    /// - Parameter columns: the properties to write besides the primary key; nil for all.
    func write(_ key: ObjectKey, _ table: Table, columns: Set<Int>? = nil, to writer: inout JSONWriter) throws {
        writer.open(UInt8(ascii: "{"))
        if table.schema.primaryKeyIndex == nil { writer.field("$row", key.rawValue) }
        for (column, property) in table.schema.properties.enumerated()
        where columns.map({ $0.contains(column) || property.isPrimaryKey }) ?? true {
            writer.name(property.name)
            try writeProperty(key, table, column, to: &writer)
        }
        writer.close(UInt8(ascii: "}"))
    }

    /// Writes the members of an object. The caller opens and closes it.
    func writeProperties(_ key: ObjectKey, _ table: Table, depth: Int = 0, to writer: inout JSONWriter) throws {
        guard depth <= Self.depthMax else {
            throw FileFailure("An object nests more than \(Self.depthMax) levels deep, and no more are written.")
        }
        for (column, property) in table.schema.properties.enumerated() {
            writer.name(property.name)
            try writeProperty(key, table, column, depth: depth, to: &writer)
        }
    }

    func writeProperty(
        _ key: ObjectKey, _ table: Table, _ column: Int, depth: Int = 0, to writer: inout JSONWriter
    ) throws {
        let property = table.schema.properties[column]
        switch property.collection {
        case .none: try write(table.value(key, column), of: property, depth, to: &writer)
        case .list: try writeList(table.listValues(key, column), of: property, depth, to: &writer)
        case .set:
            let elements = lastingOrder(table.listValues(key, column), of: property)
            try writeList(elements, of: property, depth, to: &writer)
        case .map:
            try writeMap(
                table.mapKeys(key, column), table.listValues(key, column), of: property, depth, to: &writer)
        }
    }

    private func writeList(_ values: [Value], of property: Property, _ depth: Int, to writer: inout JSONWriter) throws {
        writer.open(UInt8(ascii: "["))
        for value in values { try write(value, of: property, depth, to: &writer) }
        writer.close(UInt8(ascii: "]"))
    }

    /// The elements of a set in an order that is the same in every file. The file's own order of mixed links follows the numbers
    /// that it has given to the classes.
    private func lastingOrder(_ elements: [Value], of property: Property) -> [Value] {
        guard property.type == .mixed else { return elements }
        let places = elements.indices.filter { if case .anyObject = elements[$0] { true } else { false } }
        guard places.count > 1 else { return elements }
        let links = places.compactMap { place -> (name: String, value: Value)? in
            guard case .anyObject(let link) = elements[place] else { return nil }
            return (transaction.className(number: link.classNumber) ?? "", elements[place])
        }
        let sorted = links.sorted { left, right in
            left.name.isSame(as: right.name)
                ? Value.canonicallyPrecedes(left.value, right.value) : left.name.precedes(right.name)
        }
        var result = elements
        for (place, link) in zip(places, sorted) { result[place] = link.value }
        return result
    }

    private func writeMap(
        _ names: [String], _ values: [Value], of property: Property, _ depth: Int, to writer: inout JSONWriter
    ) throws {
        let hasTags = names.contains { $0.isTag }
        writer.openMap(hasTags: hasTags)
        for (name, value) in zip(names, values) {
            writer.name(name)
            try write(value, of: property, depth, to: &writer)
        }
        writer.closeMap(hasTags: hasTags)
    }

    private func write(_ value: Value, of property: Property, _ depth: Int, to writer: inout JSONWriter) throws {
        switch value {
        case .object(let key):
            guard let target = property.target.flatMap({ transaction.table($0) }) else { return writer.null() }
            guard target.schema.kind == .embedded else { return write(linkTo: key, target, to: &writer) }
            let hasTags = target.schema.properties.first?.name.isTag ?? false
            writer.openMap(hasTags: hasTags)
            try writeProperties(key, target, depth: depth + 1, to: &writer)
            writer.closeMap(hasTags: hasTags)
        case .anyObject(let object):
            if let nested = transaction.nested(value) {
                return try write(nested, depth + 1, to: &writer)
            }
            guard let target = transaction.table(number: object.classNumber) else { return writer.null() }
            write(linkTo: object.key, target, to: &writer)
        default: writer.write(value, of: property)
        }
    }

    /// A collection inside of a mixed value.
    private func write(
        _ nested: (table: Table, key: ObjectKey, kind: NestedCollection), _ depth: Int, to writer: inout JSONWriter
    ) throws {
        guard depth <= Self.depthMax else {
            throw FileFailure("A value nests more than \(Self.depthMax) levels deep, and no more are written.")
        }
        let property = nested.kind.schema.properties[NestedCollection.column]
        let values = transaction.elements(of: nested.table, nested.key)
        guard nested.kind == .map else { return try writeList(values, of: property, depth, to: &writer) }
        let names = nested.table.mapKeys(nested.key, NestedCollection.column)
        try writeMap(names, values, of: property, depth, to: &writer)
    }

    private func write(linkTo key: ObjectKey, _ target: Table, to writer: inout JSONWriter) {
        if target.schema.primaryKeyIndex != nil {
            guard let primaryKey = target.primaryKey(of: key) else { return writer.null() }
            return writer.write(link: ClassedLink(target.schema.name, primaryKey))
        }
        writer.object { json in
            json.field("$ref", target.schema.name)
            if let numbers {
                json.field("$number", numbers.number(of: key, in: target))
            } else {
                json.field("$row", key.rawValue)
            }
        }
    }
}
