import CausewayModel
import CausewayObjectStore

/// Reads what a write has done, just before it commits.
struct UndoCapture {
    let transaction: Transaction
    /// The newest commit, on which the write is based.
    let before: Transaction

    private(set) var changes: [UndoableChange] = []
    private(set) var rows: [UndoTarget: UndoRow] = [:]
    /// The primary keys of everything that the changes name.
    private(set) var primaryKeys: [UndoTarget: PrimaryKey] = [:]

    /// How many elements of a list, and scalars of a text, are kept beside a change.
    private static let neighbours = (list: 8, text: 32)

    init(of transaction: Transaction) throws(StoreError) {
        self.transaction = transaction
        before = try transaction.store.read()
        for (name, classChanges) in transaction.changes.classes.sorted(by: { $0.key < $1.key }) {
            guard let table = transaction.table(name), table.schema.kind != .asymmetric else { continue }
            add(classChanges, table, before.table(name))
        }
        before.end()
    }

    private mutating func add(_ classChanges: ClassChanges, _ table: Table, _ old: Table?) {
        // Objects inside of others come and go with the values that hold them.
        let isPart = table.schema.kind == .embedded
        for key in classChanges.inserted where !isPart {
            changes.append(.created(named(table, key)))
        }
        guard let old else { return }
        for deletion in classChanges.deleted where old.exists(deletion.key) {
            let target = UndoTarget(className: table.name, key: deletion.key)
            primaryKeys[target] = deletion.primaryKey
            rows[target] = UndoRow(deletion.key, of: old)
            if !isPart { changes.append(.deleted(target)) }
        }
        for (key, columns) in classChanges.modified.sorted(by: { $0.key < $1.key }) where old.exists(key) {
            let target = named(table, key)
            for column in columns.columns where column < old.columnCount {
                add(target, column, table, old, classChanges.additions[ChangedList(key: key, column: column)])
            }
        }
    }

    private mutating func named(_ table: Table, _ key: ObjectKey) -> UndoTarget {
        let target = UndoTarget(className: table.name, key: key)
        if table.schema.kind == .object { primaryKeys[target] = table.primaryKey(of: key) }
        return target
    }

    private mutating func add(
        _ target: UndoTarget, _ column: Int, _ table: Table, _ old: Table, _ addition: CounterAddition?
    ) {
        let (key, property) = (target.key, table.schema.properties[column])
        switch property.collection {
        case .none where property.isText:
            let change = SequenceChange(
                from: old.value(key, column).scalars, to: table.value(key, column).scalars,
                neighbours: Self.neighbours.text, areMovable: false)
            if let change { changes.append(.text(target, property: property.name, change)) }
        case .none:
            let (was, now) = (old.value(key, column), table.value(key, column))
            if was == now { return }
            if let addition, case .int(let value) = was, .int(value &+ addition.amount) == now {
                changes.append(.addition(target, property: property.name, addition.amount))
            } else {
                changes.append(.value(target, property: property.name, before: was, after: now))
            }
        case .list:
            let change = SequenceChange(
                from: old.listValues(key, column), to: table.listValues(key, column), neighbours: Self.neighbours.list,
                areMovable: true)
            if let change { changes.append(.list(target, property: property.name, change)) }
        case .set:
            let (was, now) = (old.listValues(key, column), table.listValues(key, column))
            let (known, present) = (Set(was), Set(now))
            let (added, removed) = (now.filter { !known.contains($0) }, was.filter { !present.contains($0) })
            if !added.isEmpty || !removed.isEmpty {
                changes.append(.set(target, property: property.name, added: added, removed: removed))
            }
        case .map:
            let (was, now) = (Self.entries(of: old, key, column), Self.entries(of: table, key, column))
            for name in Set(was.keys).union(now.keys).sorted() where was[name] != now[name] {
                changes.append(
                    .entry(
                        target, property: property.name, key: name.string, before: was[name], after: now[name]))
            }
        }
    }

    /// The entries by the bytes of their keys.
    private static func entries(of table: Table, _ key: ObjectKey, _ column: Int) -> [ExactString: Value] {
        Dictionary(
            zip(table.mapKeys(key, column).map { ExactString($0) }, table.listValues(key, column)),
            uniquingKeysWith: { $1 })
    }
}

extension Value {
    /// The scalars of a text.
    var scalars: [Unicode.Scalar] { if case .string(let text) = self { Array(text.unicodeScalars) } else { [] } }
}
