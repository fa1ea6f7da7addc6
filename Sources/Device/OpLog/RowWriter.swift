import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations

/// Writes states of objects into their rows, and remembers what rows do not hold: list states and past lives.
///
/// What the device's schema does not know is left alone: a newer app wrote it, and this one must not erase it.
final class RowWriter {
    let transaction: Transaction
    let trees: Trees
    /// Whether any lives are remembered, so that a first download need not look for one per object.
    private(set) var remembersObjects: Bool
    private var shape: Shape?

    init(_ transaction: Transaction, _ knownRuns: KnownRuns? = nil) {
        self.transaction = transaction
        trees = Trees(transaction, nil, knownRuns)
        remembersObjects = trees.remembersObjects
    }

    /// Makes the row match a state: alive with exactly these values, or gone.
    ///
    /// - Parameter leavingTexts: whether the state says nothing of texts.
    func replace(
        _ object: ObjectReference, by state: ObjectState, leavingTexts: Bool = false
    ) throws(StoreError) {
        guard let table = transaction.table(object.className) else { return }
        guard state.isAlive else {
            evict(object)
            // Zero, too: a create that was refused has begun no life.
            if remembersObjects || state.life > 0, !isEmbedded(object.className) { save(life: state.life, object) }
            return
        }
        let shape = shape(of: table, fields: state.fields)
        if let key = table.key(for: object.key) {
            setFields(of: key, state.fields, shape, resettingOthers: true)
        } else {
            let row = try row(object, state.fields, shape)
            _ = try table.create(object.key, row: row)
        }
        if remembersObjects || state.life != 1 { save(life: state.life, object) }
        guard shape.hasCollections else { return }
        for (column, property) in table.schema.properties.enumerated() {
            guard let kind = property.part, !(leavingTexts && kind == .text) else { continue }
            try show(state[property.name, kind] ?? ObjectState.Content(kind), of: object, table, column)
        }
    }

    /// Writes the properties that the change names.
    func update(_ object: ObjectReference, _ change: ObjectState) throws(StoreError) {
        guard let table = transaction.table(object.className) else { return }
        guard let key = table.key(for: object.key) else {
            // The server believes that the object is here. Whatever made it wrong, what it says now is kept. But an
            // embedded object that is not here was replaced by this device, and the state of its holder decides.
            if !isEmbedded(object.className) { try replace(object, by: change) }
            return
        }
        setFields(of: key, change.fields, shape(of: table, fields: change.fields), resettingOthers: false)
        if remembersObjects || change.life > 1 { save(life: change.life, object) }
        for part in change.parts {
            // In another schema, a property of this name may be something else.
            guard let column = table.schema.index(of: part.property),
                table.schema.properties[column].part == part.content.kind
            else { continue }
            try show(part.content, of: object, table, column)
        }
    }

    func show(
        _ content: ObjectState.Content, of object: ObjectReference, _ table: Table, _ column: Int
    ) throws(StoreError) {
        switch content {
        case .list(let list): show(list, of: object, table, column)
        case .keyed(let entries): show(entries, of: object, table, column)
        case .text(let text): try show(text, of: object, table, column)
        }
    }

    /// Deletes the row. Links that point to it stay, unresolved.
    func evict(_ object: ObjectReference) {
        guard let table = transaction.table(object.className) else { return }
        trees.removeLists(object, table.schema)
        guard let key = table.key(for: object.key) else { return }
        forgetEmbedded(in: key, table)
        table.delete(key, leavingGhost: true)
    }

    /// Removes what is kept beside the rows of embedded objects. The rows themselves go with their holder.
    private func forgetEmbedded(in key: ObjectKey, _ table: Table) {
        // No recursion: other devices decide how deep they nest.
        var waiting = [(table: table, key: key)]
        while let (table, key) = waiting.popLast() {
            for (target, child) in parts(of: key, table) {
                guard let primaryKey = target.primaryKey(of: child) else { continue }
                trees.removeLists(ObjectReference(target.name, primaryKey), target.schema)
                waiting.append((target, child))
            }
        }
    }

    /// The embedded objects that an object holds, and the collections in its mixed values.
    private func parts(of key: ObjectKey, _ table: Table) -> [(table: Table, key: ObjectKey)] {
        var parts: [(table: Table, key: ObjectKey)] = []
        for (column, property) in table.schema.properties.enumerated() {
            let target = property.target.flatMap { transaction.table($0) }
            guard target?.schema.kind == .embedded || property.type == .mixed && transaction.hasNestedCollections
            else { continue }
            let values = property.collection == .none ? [table.value(key, column)] : table.listValues(key, column)
            for value in values {
                if let target, case .object(let child) = value {
                    parts.append((target, child))
                } else if let (nested, child, _) = transaction.nested(value) {
                    parts.append((nested, child))
                }
            }
        }
        return parts
    }

    /// Those parts of an object that are not here.
    func missingParts(of object: ObjectReference) -> [ObjectReference] {
        guard let table = transaction.table(object.className), let key = table.key(for: object.key) else { return [] }
        return parts(of: key, table).compactMap { part in
            if part.table.exists(part.key) { return nil }
            return part.table.primaryKey(of: part.key).map { ObjectReference(part.table.name, $0) }
        }
    }

    func isEmbedded(_ className: String) -> Bool {
        transaction.table(className)?.schema.kind == .embedded
    }

    private func save(life: UInt32, _ object: ObjectReference) {
        trees.save(life: life, object)
        if life > 1 { remembersObjects = true }
    }

    // MARK: - Fields

    /// The column of each field, for a run of objects with the same fields.
    private final class Shape {
        let table: Table
        let names: [String]
        let columns: [Int?]
        /// What a new row holds before its fields: null or zero.
        let blank: [Value]
        let hasCollections: Bool

        init(_ table: Table, _ names: [String]) {
            self.table = table
            self.names = names
            let schema = table.schema
            columns = names.map { name in
                schema.index(of: name).flatMap { column in
                    let property = schema.properties[column]
                    return property.isField && !property.isPrimaryKey ? column : nil
                }
            }
            blank = schema.properties.map(\.zero)
            hasCollections = schema.properties.contains { !$0.isField }
        }

        func fits(_ table: Table, _ fields: [ObjectState.Field]) -> Bool {
            guard self.table === table, names.count == fields.count else { return false }
            for (name, field) in zip(names, fields) where name != field.property { return false }
            return true
        }
    }

    private func shape(of table: Table, fields: [ObjectState.Field]) -> Shape {
        if let shape, shape.fits(table, fields) { return shape }
        let shape = Shape(table, fields.map(\.property))
        self.shape = shape
        return shape
    }

    private func row(
        _ object: ObjectReference, _ fields: [ObjectState.Field], _ shape: Shape
    ) throws(StoreError) -> [Value] {
        var row = shape.blank
        if let column = shape.table.schema.primaryKeyIndex, let value = object.key.value { row[column] = value }
        for (column, field) in zip(shape.columns, fields) {
            if let column, shape.table.accepts(field.value, column: column) { row[column] = field.value }
        }
        return row
    }

    private func setFields(
        of key: ObjectKey, _ fields: [ObjectState.Field], _ shape: Shape, resettingOthers: Bool
    ) {
        let table = shape.table
        var named = Set<Int>()
        for (column, field) in zip(shape.columns, fields) {
            guard let column, table.accepts(field.value, column: column) else { continue }
            named.insert(column)
            write(field.value, key, column, table)
        }
        guard resettingOthers else { return }
        for (column, property) in table.schema.properties.enumerated()
        where property.isField && !property.isPrimaryKey && !named.contains(column) {
            write(property.zero, key, column, table)
        }
    }

    /// Writes a value if it differs, so that observers hear of real changes only.
    private func write(_ value: Value, _ key: ObjectKey, _ column: Int, _ table: Table) {
        let target = table.schema.properties[column].target
        guard Links(transaction).travelling(table.value(key, column), target: target) != value else { return }
        table.set(key, column, value)
    }

    // MARK: - Lists

    private func show(_ list: ListState, of object: ObjectReference, _ table: Table, _ column: Int) {
        guard let key = table.key(for: object.key) else { return }
        let property = table.schema.properties[column]
        let values = list.visible.map(\.value).filter { table.accepts($0, column: column) }
        let links = Links(transaction)
        let shown = table.listValues(key, column).map { links.travelling($0, target: property.target) }
        if shown != values { replace(shown, by: values, key, table, column) }
        if list == ListState() {
            trees.removeLists(object, ClassSchema(name: table.name, properties: [property]))
        } else {
            trees.save(list, object, property.name)
        }
    }

    /// Keeps what is equal at both ends of a list, so that whoever follows places in it can go on.
    private func replace(_ shown: [Value], by values: [Value], _ key: ObjectKey, _ table: Table, _ column: Int) {
        var start = 0
        while start < min(shown.count, values.count), shown[start] == values[start] { start += 1 }
        var end = 0
        while end < min(shown.count, values.count) - start,
            shown[shown.count - 1 - end] == values[values.count - 1 - end]
        {
            end += 1
        }
        table.listReplace(key, column, start..<shown.count - end, by: Array(values[start..<values.count - end]))
    }

    // MARK: - Texts

    private func show(
        _ text: TextState, of object: ObjectReference, _ table: Table, _ column: Int
    ) throws(StoreError) {
        guard let key = table.key(for: object.key), table.schema.properties[column].isText,
            case .string(let shown) = table.value(key, column)
        else { return }
        for edit in TextDifference.edits(from: shown, to: text.string) { table.edit(key, text: column, edit) }
        let property = table.schema.properties[column].name
        let known = try trees.texts.open(object, property)
        if known.runs == text.runs {
            trees.texts.close(known)
        } else {
            trees.texts.replace(text.runs, object, property)
        }
    }

    // MARK: - Sets and maps

    /// Nothing is remembered beside the columns: they show what the server said last.
    private func show(_ entries: KeyedState, of object: ObjectReference, _ table: Table, _ column: Int) {
        guard let key = table.key(for: object.key) else { return }
        if table.schema.properties[column].collection == .set {
            table.setReplace(
                key, column,
                entries.visible.map(\.key).filter { table.accepts($0, column: column) })
        } else if table.schema.properties[column].collection == .map {
            var accepted: [(key: String, value: Value)] = []
            for case (.string(let name), let value) in entries.visible where table.accepts(value, column: column) {
                accepted.append((name, value))
            }
            table.mapReplace(key, column, accepted)
        }
    }
}
