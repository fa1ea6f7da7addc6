import CausewayModel
import CausewayObjectStore

/// Reads what a write has done, just before it commits: from its recorded edits, and from the state before it.
struct UndoRecorder {
    private let log: UndoLog
    private let transaction: Transaction
    /// The commit on which the write is based.
    private let base: Transaction
    private var write = UndoableWrite()
    private var budget = UndoBudget(UndoHistory.bytesMax)

    init(_ log: UndoLog, _ transaction: Transaction) throws(StoreError) {
        self.log = log
        self.transaction = transaction
        base = try transaction.frozenCopy()
    }

    mutating func recorded() throws(StoreError) -> UndoableWrite {
        defer { base.end() }
        let record = transaction.changes
        let rows = record.classes.values.reduce(0) { $0 + $1.inserted.count + $1.deleted.count + $1.modified.count }
        if rows > UndoHistory.rowsMax {
            write.problem = Self.problem(rows: rows)
            loseParts(record)
            noteUnrecorded(record)
            return write
        }
        // Deleted rows end before others are found under their keys.
        for (name, changes) in record.classes.sorted(by: { $0.key < $1.key }) {
            guard let old = base.table(name), old.schema.kind != .asymmetric else { continue }
            for deletion in changes.deleted where old.exists(deletion.key) { addDeleted(deletion, old) }
        }
        for (name, rows) in log.replacing where !log.isMadeNow(rows.replaced) {
            guard let old = base.table(name.className), old.exists(name.key) else { continue }
            addReplaced(rows, name, old)
        }
        for (name, changes) in record.classes.sorted(by: { $0.key < $1.key }) {
            guard let table = transaction.table(name), table.schema.kind != .asymmetric else { continue }
            for key in changes.inserted { addCreated(key, table) }
            guard let old = base.table(name) else { continue }
            for (key, columns) in changes.modified.sorted(by: { $0.key < $1.key }) where old.exists(key) {
                if log.replacing[UndoRowName(className: name, key: key)] != nil { continue }
                for column in columns.columns where column < min(old.columnCount, table.columnCount) {
                    add(key, column, table, old, changes)
                }
            }
        }
        write.rows = rows
        write.bytes = UndoHistory.bytesMax - budget.left
        if budget.isOverdrawn, write.problem == nil { write.problem = Self.problem(bytesMax: UndoHistory.bytesMax) }
        if let problem = write.problem {
            write = UndoableWrite(problem: problem)
            noteUnrecorded(record)
        }
        return write
    }

    static func problem(rows: Int) -> String {
        "It changed \(rows) objects, and a step can have \(UndoHistory.rowsMax)."
    }

    static func problem(bytesMax: Int) -> String { "It replaced or deleted more than \(bytesMax >> 20) MB." }

    /// What cannot be taken back counts as done by others.
    private func noteUnrecorded(_ record: ChangeRecord) {
        let version = transaction.version + 1
        for (name, changes) in record.classes {
            for (key, columns) in changes.modified {
                guard let row = log.known(name, key), row.key == key, row.isHere else { continue }
                row.noteChange(by: version, of: columns.columns)
                for column in row.keyed.keys where columns.contains(column) { row.keyed[column]?.lose(at: version) }
            }
        }
    }

    /// A write that is too large to be recorded: nothing is known of the parts that it changed.
    private func loseParts(_ record: ChangeRecord) {
        for (name, changes) in record.classes {
            for deletion in changes.deleted {
                if let row = log.known(name, deletion.key), row.key == deletion.key, row.isHere { log.ended(row) }
            }
            for (key, columns) in changes.modified {
                guard let row = log.known(name, key), row.key == key, row.isHere else { continue }
                for part in row.parts.values where columns.contains(part.column) {
                    log.open(part)
                    part.now.lose()
                }
            }
        }
    }

    private mutating func addDeleted(_ deletion: ClassChanges.Deletion, _ old: Table) {
        let row = log.deleted(old.name, deletion.key)
        row.primaryKey = deletion.primaryKey
        keepContent(of: row, UndoRowName(className: old.name, key: deletion.key), old)
        log.ended(row)
    }

    private mutating func addReplaced(
        _ rows: (replaced: UndoRow, by: UndoRow), _ name: UndoRowName, _ old: Table
    ) {
        keepContent(of: rows.replaced, name, old)
        write.created.append(rows.by)
    }

    private mutating func keepContent(of row: UndoRow, _ name: UndoRowName, _ old: Table) {
        if budget.isOverdrawn { return }
        if let content = UndoRowContent(row, key: name.key, of: old, &budget) { write.deleted[name] = content }
    }

    private mutating func addCreated(_ key: ObjectKey, _ table: Table) {
        let row = log.created(table.name, key)
        if table.schema.kind == .object { row.primaryKey = table.primaryKey(of: key) }
        write.created.append(row)
        budget.take(64)
    }

    private mutating func add(_ key: ObjectKey, _ column: Int, _ table: Table, _ old: Table, _ changes: ClassChanges) {
        let property = table.schema.properties[column]
        let place = ChangedList(key: key, column: column)
        switch property.collection {
        case .none where !property.isText:
            return addValue(key, column, table, old, changes.additions[place])
        case .set, .map: return addKeyed(key, column, table, old)
        case .none, .list: break
        }
        let row = log.row(table.name, key)
        let isText = property.collection == .none
        let oldCount = isText ? old.textCount(key, column) : old.listCount(key, column)
        let part = log.openPart(row, column, count: oldCount)
        if part.before?.count != oldCount { part.now.lose() }
        if !isText {
            let edits = changes.listEdits[place] ?? []
            part.follow([PlaceEdit](Array(edits.dropFirst(part.editsFollowed))))
            part.editsFollowed = edits.count
        } else if part.editsFollowed == 0 {
            // Undo follows its own edits of texts as it makes them.
            let edits = changes.textEdits[place].map { [PlaceEdit]($0.edits) }
            part.follow(edits ?? [.replaceAll(count: table.textCount(key, column))])
        }
        let count = isText ? table.textCount(key, column) : table.listCount(key, column)
        if part.now.count != count { part.now.lose() }
        guard !part.now.isLost, let before = part.before, !before.isLost else {
            part.now.lose()
            write.problem =
                "'\(table.name).\(property.name)' was changed in more than \(TrackedSequence.piecesMax) places, or so that "
                + "the places are not known."
            return
        }
        if budget.isOverdrawn { return }
        let change = change(part, before, key, column, old, table)
        if change.isEmpty { return }
        write.changes.append(.part(row, part, change))
    }

    private mutating func addValue(
        _ key: ObjectKey, _ column: Int, _ table: Table, _ old: Table, _ addition: CounterAddition?
    ) {
        let (was, now) = (old.value(key, column), table.value(key, column))
        if was == now { return }
        let row = log.row(table.name, key)
        budget.take(was.undoBytes + now.undoBytes)
        if let addition, case .int(let value) = was, .int(value &+ addition.amount) == now {
            write.changes.append(.addition(row, column: column, addition.amount))
        } else {
            write.changes.append(.value(row, column: column, before: was, after: now))
        }
    }

    private mutating func addKeyed(_ key: ObjectKey, _ column: Int, _ table: Table, _ old: Table) {
        if budget.isOverdrawn { return }
        let changes = table.keyedChanges(key, column, since: old)
        if changes.isEmpty { return }
        let row = log.row(table.name, key)
        if row.keyed[column] == nil { row.keyed[column] = UndoKeys() }
        budget.take(changes.reduce(64) { $0 + $1.undoBytes })
        write.changes.append(.keyed(row, column: column, changes))
    }

    // MARK: - Parts

    private mutating func change(
        _ part: UndoPart, _ before: TrackedSequence, _ key: ObjectKey, _ column: Int, _ old: Table, _ table: Table
    ) -> UndoPartChange {
        let (were, are) = (before.namesHere, part.now.namesHere)
        var change = UndoPartChange(inserted: are.subtracting(were))
        budget.take(64 + change.inserted.count * 16 + part.exchanges.count * 32)
        let property = old.schema.properties[column]
        before.visit(were.subtracting(are)) { names, place, _ in
            let places = place..<place + names.count
            if budget.isOverdrawn { return }
            let content: UndoPartChange.Removal.Content
            if property.isText {
                // A scalar has at least one byte.
                budget.take(places.count)
                if budget.isOverdrawn { return }
                let text = old.text(key, column, in: places)
                budget.take(48 + text.utf8.count - places.count)
                content = .text(text)
            } else {
                content = .values(old.values(key, column, in: places, &budget))
                if budget.isOverdrawn { return }
            }
            change.removed.append(UndoPartChange.Removal(names: names, content: content))
        }
        change.removed.sort { $0.names.lowerBound < $1.names.lowerBound }
        change.exchanges = part.exchanges.values
            .filter { change.inserted.hasName($0.after) && change.removal(of: $0.before) != nil }
            .sorted { $0.after < $1.after }
        Self.addKept(&change, part, key, column, table)
        return change
    }

    /// A list that is replaced as a whole may hold the same embedded objects as before. They have moved.
    private static func addKept(
        _ change: inout UndoPartChange, _ part: UndoPart, _ key: ObjectKey, _ column: Int, _ table: Table
    ) {
        guard table.ownsElements(column), !change.removed.isEmpty, !change.inserted.isEmpty else { return }
        var earlier: [Value: Int] = [:]
        for removal in change.removed {
            guard case .values(let values) = removal.content else { continue }
            for (name, value) in zip(removal.names, values) {
                switch value {
                case .object, .anyObject: earlier[value] = name
                default: break
                }
            }
        }
        let known = Set(change.exchanges.map(\.after))
        var moves: [UndoExchange] = []
        part.now.visit(change.inserted) { names, place, _ in
            for (index, name) in names.enumerated() where !known.contains(name) {
                let value = table.listValue(key, column, place + index)
                if let before = earlier[value], table.isOwned(value) {
                    moves.append(UndoExchange(before: before, after: name, isMove: true, isReplacement: false))
                }
            }
        }
        change.exchanges += moves
    }
}
