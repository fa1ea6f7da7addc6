import CausewayModel
import CausewayObjectStore

/// Reads what a write has done, just before it commits: from its recorded edits, and from the state before it.
struct UndoRecorder {
    private let log: UndoLog
    private let transaction: Transaction
    /// The commit on which the write is based.
    private let base: Transaction
    private var write = UndoableWrite()

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
            write.problem = "It changed \(rows) objects, and a step can have \(UndoHistory.rowsMax)."
            loseParts(record)
            noteUnrecorded(record)
            return write
        }
        // Deleted rows end before others are found under their keys.
        for (name, changes) in record.classes.sorted(by: { $0.key < $1.key }) {
            guard let old = base.table(name), old.schema.kind != .asymmetric else { continue }
            for deletion in changes.deleted where old.exists(deletion.key) { addDeleted(deletion, old) }
        }
        for (name, changes) in record.classes.sorted(by: { $0.key < $1.key }) {
            guard let table = transaction.table(name), table.schema.kind != .asymmetric else { continue }
            for key in changes.inserted { addCreated(key, table) }
            guard let old = base.table(name) else { continue }
            for (key, columns) in changes.modified.sorted(by: { $0.key < $1.key }) where old.exists(key) {
                for column in columns.columns where column < min(old.columnCount, table.columnCount) {
                    add(key, column, table, old, changes)
                }
            }
        }
        if write.bytes > UndoHistory.bytesMax, write.problem == nil {
            write.problem = "It replaced or deleted more than \(UndoHistory.bytesMax >> 20) MB."
        }
        if let problem = write.problem {
            write = UndoableWrite(problem: problem)
            noteUnrecorded(record)
        }
        return write
    }

    /// What cannot be taken back counts as done by others.
    private func noteUnrecorded(_ record: ChangeRecord) {
        for (name, changes) in record.classes {
            for key in changes.modified.keys { log.known(name, key)?.changedByOthers = transaction.version + 1 }
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
        let content = UndoRowContent(row, of: old)
        write.bytes += content.bytes
        write.deleted[UndoRowName(className: old.name, key: deletion.key)] = content
        log.ended(row)
    }

    private mutating func addCreated(_ key: ObjectKey, _ table: Table) {
        let row = log.created(table.name, key)
        if table.schema.kind == .object { row.primaryKey = table.primaryKey(of: key) }
        write.created.append(row)
        write.bytes += 64
    }

    private mutating func add(_ key: ObjectKey, _ column: Int, _ table: Table, _ old: Table, _ changes: ClassChanges) {
        let property = table.schema.properties[column]
        let place = ChangedList(key: key, column: column)
        if property.collection == .none, !property.isText {
            addValue(key, column, table, old, changes.additions[place])
            return
        }
        let row = log.row(table.name, key)
        let isText = property.collection == .none
        let part = log.openPart(
            row, column, count: isText ? old.textCount(key, column) : old.listCount(key, column))
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
        let change = Self.change(part, before, key, column, old, table)
        if change.isEmpty { return }
        write.bytes += change.bytes
        write.changes.append(.part(row, part, change))
    }

    private mutating func addValue(
        _ key: ObjectKey, _ column: Int, _ table: Table, _ old: Table, _ addition: CounterAddition?
    ) {
        let (was, now) = (old.value(key, column), table.value(key, column))
        if was == now { return }
        let row = log.row(table.name, key)
        write.bytes += was.undoBytes + now.undoBytes
        if let addition, case .int(let value) = was, .int(value &+ addition.amount) == now {
            write.changes.append(.addition(row, column: column, addition.amount))
        } else {
            write.changes.append(.value(row, column: column, before: was, after: now))
        }
    }

    // MARK: - Parts

    private static func change(
        _ part: UndoPart, _ before: TrackedSequence, _ key: ObjectKey, _ column: Int, _ old: Table, _ table: Table
    ) -> UndoPartChange {
        let (were, are) = (before.namesHere, part.now.namesHere)
        var change = UndoPartChange(inserted: are.subtracting(were))
        let property = old.schema.properties[column]
        before.visit(were.subtracting(are)) { names, place, _ in
            let places = place..<place + names.count
            let content: UndoPartChange.Removal.Content
            switch property.collection {
            case .none: content = .text(old.text(key, column, in: places))
            case .list, .set: content = .values(places.map { old.listValue(key, column, $0) })
            case .map:
                content = .entries(
                    places.map { place -> (key: String, value: Value) in
                        let name = old.listValue(key, Table.keys(of: column), place)
                        let value = old.listValue(key, column, place)
                        return if case .string(let name) = name { (name, value) } else { ("", value) }
                    })
            }
            change.removed.append(UndoPartChange.Removal(names: names, content: content))
        }
        change.removed.sort { $0.names.lowerBound < $1.names.lowerBound }
        change.exchanges = part.exchanges.values
            .filter { change.inserted.hasName($0.after) && change.removal(of: $0.before) != nil }
            .sorted { $0.after < $1.after }
        addKept(&change, part, key, column, table)
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

extension UndoPartChange {
    /// Roughly what it takes in memory.
    var bytes: Int {
        removed.reduce(64 + inserted.count * 16 + exchanges.count * 32) { sum, removal in
            switch removal.content {
            case .values(let values): values.reduce(sum) { $0 + $1.undoBytes }
            case .entries(let entries): entries.reduce(sum) { $0 + $1.key.utf8.count + $1.value.undoBytes }
            case .text(let text): sum + 48 + text.utf8.count
            }
        }
    }
}
