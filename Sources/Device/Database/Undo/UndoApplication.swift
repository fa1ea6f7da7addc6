import CausewayMerge
import CausewayModel
import CausewayObjectStore

/// Takes a step back inside a write transaction, as far as others have not changed the same since.
struct UndoApplication {
    let instance: RealmInstance
    /// Where rows that were deleted and made again are now.
    private(set) var moved: [UndoTarget: ObjectKey]
    private let primaryKeys: [UndoTarget: PrimaryKey]
    private let rows: [UndoTarget: UndoRow]
    private var transaction: Transaction { instance.transaction }

    init(_ instance: RealmInstance, step: UndoStep, moved: [UndoTarget: ObjectKey]) {
        self.instance = instance
        self.moved = moved
        primaryKeys = step.primaryKeys
        rows = step.rows
    }

    /// Undoes the changes of one write.
    mutating func undo(_ changes: [UndoableChange]) throws(StoreError) {
        var (made, gone): ([UndoTarget], [UndoTarget]) = ([], [])
        for change in changes {
            switch change {
            case .created(let target): made.append(target)
            case .deleted(let target): gone.append(target)
            default: break
            }
        }
        // An object that was deleted and made again under its key ends before the earlier one comes back.
        let names = Set(gone.map { UndoName(of: $0, primaryKeys[$0]) })
        let replaced = Set(made.filter { names.contains(UndoName(of: $0, primaryKeys[$0])) })
        delete(made.filter { replaced.contains($0) })
        // All rows before their values, which may be links to each other.
        var back: [(target: UndoTarget, key: ObjectKey)] = []
        for target in gone { if let key = try remade(target) { back.append((target, key)) } }
        for (target, key) in back { try fill(target, key) }
        for change in changes { try undo(change) }
        delete(made.filter { !replaced.contains($0) })
        instance.rowsDeleted()
    }

    // MARK: - Finding

    /// The row that a target names now; nil if it is not here.
    private func key(of target: UndoTarget, _ table: Table) -> ObjectKey? {
        var key = target.key
        while !table.exists(key), let next = moved[UndoTarget(className: target.className, key: key)] { key = next }
        if table.exists(key) { return key }
        return primaryKeys[target].flatMap { table.key(for: $0) }
    }

    private func place(_ target: UndoTarget, _ name: String) -> (table: Table, key: ObjectKey, column: Int)? {
        guard let table = transaction.table(target.className), let column = table.schema.index(of: name),
            let key = key(of: target, table)
        else { return nil }
        return (table, key, column)
    }

    /// A value with its link to where the linked row is now.
    private func current(_ value: Value, _ table: Table, _ column: Int) -> Value {
        switch value {
        case .object(let key):
            guard let name = table.schema.properties[column].target, let linked = transaction.table(name) else {
                return value
            }
            return self.key(of: UndoTarget(className: name, key: key), linked).map { .object($0) } ?? value
        case .anyObject(let link):
            guard let linked = transaction.table(number: link.classNumber) else { return value }
            return key(of: UndoTarget(className: linked.name, key: link.key), linked)
                .map { .anyObject(ClassedKey(link.classNumber, $0)) } ?? value
        default: return value
        }
    }

    /// A value that can be stored again: parts that ended with it are made again. Nil for a link that leads nowhere.
    private mutating func restored(_ value: Value, _ table: Table, _ column: Int) throws(StoreError) -> Value? {
        let value = current(value, table, column)
        let (linked, key): (Table?, ObjectKey)
        switch value {
        case .object(let link):
            (linked, key) = (table.schema.properties[column].target.flatMap { transaction.table($0) }, link)
        case .anyObject(let link): (linked, key) = (transaction.table(number: link.classNumber), link.key)
        default: return table.accepts(value, column: column) ? value : nil
        }
        guard let linked else { return nil }
        if linked.exists(key) || linked.isGhost(key) { return value }
        let target = UndoTarget(className: linked.name, key: key)
        guard linked.schema.kind == .embedded, let made = try remade(target) else { return nil }
        try fill(target, made)
        return current(value, table, column)
    }

    // MARK: - Rows

    /// Makes a deleted row again, without its values. Nil if it is there, because somebody else has made it.
    private mutating func remade(_ target: UndoTarget) throws(StoreError) -> ObjectKey? {
        guard rows[target] != nil, let table = transaction.table(target.className), key(of: target, table) == nil else {
            return nil
        }
        let isPart = table.schema.kind == .embedded
        let primaryKey = isPart ? instance.coordinator.participant?.container(in: transaction) : primaryKeys[target]
        if !isPart, primaryKey == nil, table.schema.primaryKeyIndex != nil { return nil }
        let key = try table.create(primaryKey)
        if key != target.key { moved[target] = key }
        return key
    }

    private mutating func fill(_ target: UndoTarget, _ key: ObjectKey) throws(StoreError) {
        guard let row = rows[target], let table = transaction.table(target.className) else { return }
        for (column, property) in table.schema.properties.enumerated() where !property.isPrimaryKey {
            switch (row.contents[property.name], property.collection) {
            case (.value(let value), .none):
                if property.isText, case .string(let text) = value {
                    if !text.isEmpty { table.edit(key, text: column, .insert(text, at: 0)) }
                } else if let value = try restored(value, table, column) {
                    if value != table.value(key, column) { table.set(key, column, value) }
                }
            case (.elements(let elements), .list):
                for element in elements {
                    if let element = try restored(element, table, column) { table.listAppend(key, column, element) }
                }
            case (.elements(let elements), .set):
                for element in elements {
                    if let element = try restored(element, table, column) { _ = table.setInsert(key, column, element) }
                }
            case (.entries(let entries), .map):
                for entry in entries {
                    let value = try restored(entry.value, table, column)
                    table.mapPut(key, column, entry.key, value ?? .null)
                }
            default: break
            }
        }
    }

    private func delete(_ targets: [UndoTarget]) {
        for (name, targets) in Dictionary(grouping: targets, by: \.className) {
            guard let table = transaction.table(name) else { continue }
            table.delete(targets.compactMap { key(of: $0, table) }, leavingGhosts: instance.leavesGhosts)
        }
    }

    // MARK: - Values

    private mutating func undo(_ change: UndoableChange) throws(StoreError) {
        switch change {
        case .created, .deleted: break
        case .value(let target, let property, let before, let after):
            guard let (table, key, column) = place(target, property),
                table.schema.properties[column].collection == .none,
                table.value(key, column) == current(after, table, column)
            else { return }
            if let value = try restored(before, table, column) {
                table.set(key, column, value)
            } else if table.accepts(.null, column: column) {
                table.set(key, column, .null)
            }
        case .addition(let target, let property, let amount):
            guard let (table, key, column) = place(target, property), table.schema.properties[column].isCounter else {
                return
            }
            table.add(0 &- amount, to: key, column)
        case .list(let target, let property, let change): try undo(change, target, property)
        case .text(let target, let property, let change):
            guard let (table, key, column) = place(target, property), table.schema.properties[column].isText else {
                return
            }
            for edit in change.undoing(in: table.value(key, column).scalars) {
                for edit in edit.textEdits { table.edit(key, text: column, edit) }
            }
        case .set(let target, let property, let added, let removed):
            guard let (table, key, column) = place(target, property), table.schema.properties[column].collection == .set
            else { return }
            for element in added { _ = table.setRemove(key, column, current(element, table, column)) }
            for element in removed {
                if let element = try restored(element, table, column) { _ = table.setInsert(key, column, element) }
            }
        case .entry(let target, let property, let name, let before, let after):
            guard let (table, key, column) = place(target, property),
                table.schema.properties[column].collection == .map,
                table.mapValue(key, column, name) == after.map({ current($0, table, column) })
            else { return }
            guard let before else {
                _ = table.mapRemove(key, column, name)
                return
            }
            table.mapPut(key, column, name, try restored(before, table, column) ?? .null)
        }
    }

    private mutating func undo(
        _ change: SequenceChange<Value>, _ target: UndoTarget, _ property: String
    ) throws(StoreError) {
        guard let (table, key, column) = place(target, property), table.schema.properties[column].collection == .list
        else { return }
        let change = change.mapped { current($0, table, column) }
        for edit in change.undoing(in: table.listValues(key, column)) {
            switch edit {
            case .remove(let place): table.listRemove(key, column, place)
            case .set(let place, let value):
                if let value = try restored(value, table, column) { table.listSet(key, column, place, value) }
            case .insert(let values, let place):
                for value in values.reversed() {
                    if let value = try restored(value, table, column) { table.listInsert(key, column, place, value) }
                }
            }
        }
    }
}

extension SequenceEdit<Unicode.Scalar> {
    fileprivate var textEdits: [TextEdit] {
        func text(_ scalars: [Unicode.Scalar]) -> String {
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            return String(text)
        }
        return switch self {
        case .insert(let scalars, let place): [.insert(text(scalars), at: place)]
        case .remove(let place): [.remove(place..<place + 1)]
        case .set(let place, let scalar): [.remove(place..<place + 1), .insert(text([scalar]), at: place)]
        }
    }
}

/// What an object is known by: its primary key, or its row where it has none.
private struct UndoName: Hashable {
    let className: String
    let primaryKey: PrimaryKey?
    let key: ObjectKey?

    init(of target: UndoTarget, _ primaryKey: PrimaryKey?) {
        className = target.className
        self.primaryKey = primaryKey
        key = primaryKey == nil ? target.key : nil
    }
}
