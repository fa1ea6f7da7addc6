import CausewayMerge
import CausewayModel
import CausewayObjectStore

/// Takes writes back inside a write transaction, as far as others have not changed the same since.
struct UndoApplication {
    private let instance: RealmInstance
    private let log: UndoLog
    private let transaction: Transaction
    /// The write that is being taken back.
    private var write = UndoableWrite()
    /// Rows that were made again and have no values yet.
    private var empty: [UndoRowContent] = []

    /// Why a step cannot be taken back.
    struct Refusal: Error {
        var message: String
    }

    init(_ instance: RealmInstance, _ log: UndoLog) {
        self.instance = instance
        self.log = log
        transaction = instance.transaction
    }

    /// Follows what observers have written in this transaction already, when they heard of others' commits.
    func followObservers() {
        for (name, changes) in transaction.changes.classes {
            for (key, columns) in changes.modified {
                guard let row = log.known(name, key), row.key == key, row.isHere else { continue }
                for part in row.parts.values where columns.contains(part.column) {
                    guard let table = transaction.table(name), table.schema.properties[part.column].isText
                    else { continue }
                    let edits = changes.textEdits[ChangedList(key: key, column: part.column)]
                    log.open(part)
                    part.follow(
                        edits.map { [PlaceEdit]($0.edits) } ?? [.replaceAll(count: table.textCount(key, part.column))])
                    part.editsFollowed = 1
                }
            }
        }
    }

    mutating func takeBack(_ write: UndoableWrite) throws {
        if let problem = write.problem { throw Refusal(message: problem) }
        self.write = write
        // An object that was deleted and made again under its primary key stays, and becomes the earlier one.
        let created = Dictionary(
            write.created.compactMap { row in UndoPrimaryKey(row).map { ($0, row) } }, uniquingKeysWith: { $1 })
        var replaced: Set<ObjectIdentifier> = []
        let deleted = write.deleted.sorted { ($0.key.className, $0.key.key) < ($1.key.className, $1.key.key) }
        for (_, content) in deleted where isObject(content.row) {
            if let other = UndoPrimaryKey(content.row).flatMap({ created[$0] }) {
                replaced.insert(ObjectIdentifier(other))
                if try makeAgain(content, insteadOf: other) { continue }
            }
            try makeAgain(content)
        }
        try fillAll()
        for change in write.changes {
            try takeBack(change)
            try fillAll()
        }
        delete(write.created.filter { !replaced.contains(ObjectIdentifier($0)) })
    }

    private func isObject(_ row: UndoRow) -> Bool {
        transaction.table(row.className)?.schema.kind == .object
    }

    // MARK: - Values

    /// A value with its link to where the linked row is now.
    private func current(_ value: Value, _ table: Table, _ column: Int) -> Value {
        guard let (linked, key) = table.linked(value, column), let row = log.known(linked.name, key) else {
            return value
        }
        if row.isHere { return Self.link(value, to: row.key) }
        // Another one that steps know may be in its place: they have taken turns under one key.
        guard let primaryKey = row.primaryKey, let key = linked.key(for: primaryKey),
            let other = log.known(linked.name, key), other.isHere, other.key == key
        else { return value }
        return Self.link(value, to: key)
    }

    /// The same link to another row of its class.
    private static func link(_ value: Value, to key: ObjectKey) -> Value {
        if case .anyObject(let link) = value { .anyObject(ClassedKey(link.classNumber, key)) } else { .object(key) }
    }

    /// A value that can be stored again: a part that ended with it is made again. Nil for a link that leads nowhere.
    private mutating func restored(_ value: Value, _ table: Table, _ column: Int) throws -> Value? {
        let now = current(value, table, column)
        guard let (linked, key) = table.linked(now, column) else {
            return table.accepts(now, column: column) ? now : nil
        }
        if linked.exists(key) || linked.isGhost(key) { return now }
        guard linked.schema.kind == .embedded, let (_, earlier) = table.linked(value, column),
            let content = write.deleted[UndoRowName(className: linked.name, key: earlier)],
            try makeAgain(content)
        else { return nil }
        return current(value, table, column)
    }

    /// Whether somebody else has changed an object, or what it holds inside, since the write.
    private func isChangedByOthers(_ table: Table, _ key: ObjectKey) -> Bool {
        var isChanged = false
        table.forEachInside(of: key) { table, key in
            if let row = log.known(table.name, key), row.key == key, row.changedByOthers > write.version {
                isChanged = true
            }
        }
        return isChanged
    }

    private func isChangedInside(_ value: Value, _ table: Table, _ column: Int) -> Bool {
        guard table.ownsElements(column), table.isOwned(value), let (part, key) = table.linked(value, column),
            part.exists(key)
        else { return false }
        return isChangedByOthers(part, key)
    }

    // MARK: - Rows

    /// Makes a deleted row again, without its values. False if it is there, because somebody else has made it.
    @discardableResult
    private mutating func makeAgain(_ content: UndoRowContent) throws -> Bool {
        let row = content.row
        guard let table = transaction.table(row.className), table.columnCount == content.contents.count,
            !(row.isHere && table.exists(row.key))
        else { return false }
        let isPart = table.schema.kind == .embedded
        let primaryKey = isPart ? instance.coordinator.participant?.container(in: transaction) : row.primaryKey
        if !isPart {
            if primaryKey == nil, table.schema.primaryKeyIndex != nil { return false }
            if let primaryKey, table.key(for: primaryKey) != nil { return false }
        }
        log.madeAgain(row, as: try table.create(primaryKey))
        empty.append(content)
        return true
    }

    /// Makes a deleted row again where another one has its primary key. False if that is gone, or others have changed it.
    private mutating func makeAgain(_ content: UndoRowContent, insteadOf other: UndoRow) throws -> Bool {
        guard let table = table(of: other), table.columnCount == content.contents.count, !content.row.isHere,
            !isChangedByOthers(table, other.key)
        else { return false }
        noteEnds(inside: other.key, of: table)
        log.ended(other)
        log.madeAgain(content.row, as: other.key)
        log.replaced(other, by: content.row)
        empty.append(content)
        return true
    }

    /// What a row holds inside of itself is about to end with it, or with what replaces it.
    private func noteEnds(inside key: ObjectKey, of table: Table) {
        table.forEachInside(of: key) { inside, insideKey in
            guard let row = log.known(inside.name, insideKey), row.key == insideKey, row.isHere else { return }
            if inside.name != table.name || insideKey != key { log.willEnd(row) }
        }
    }

    private mutating func fillAll() throws {
        while let content = empty.popLast() { try fill(content) }
    }

    private mutating func fill(_ content: UndoRowContent) throws {
        let row = content.row
        guard let table = transaction.table(row.className) else { return }
        let key = row.key
        for (column, property) in table.schema.properties.enumerated() where !property.isPrimaryKey {
            switch (content.contents[column], property.collection) {
            case (.value(.string(let text)), .none) where property.isText:
                let count = table.textCount(key, column)
                if table.value(key, column) == .string(text) { break }
                if count > 0 { table.edit(key, text: column, .remove(0..<count)) }
                if !text.isEmpty { table.edit(key, text: column, .insert(text, at: 0)) }
            case (.value(let value), .none):
                if let value = try restored(value, table, column) {
                    if value != table.value(key, column) { table.set(key, column, value) }
                } else if table.accepts(.null, column: column), table.value(key, column) != .null {
                    table.set(key, column, .null)
                }
            case (.elements(let elements), .list):
                // Elements whose targets are gone are missing from then on.
                let part = row.parts[column]
                if let part { log.open(part) }
                table.listClear(key, column)
                for element in elements {
                    let place = table.listCount(key, column)
                    if let element = try restored(element, table, column) {
                        table.listAppend(key, column, element)
                    } else {
                        part?.now.remove(1, at: place, remembering: true)
                    }
                }
                part?.editsFollowed = table.listEditsSoFar(key, column).count
            case (.elements(let elements), .set):
                table.listClear(key, column)
                for element in elements {
                    if let element = try restored(element, table, column) { table.setInsert(key, column, element) }
                }
            case (.entries(let entries), .map):
                table.mapClear(key, column)
                for entry in entries {
                    let value = try restored(entry.value, table, column)
                    if value == nil, !table.accepts(.null, column: column) { continue }
                    table.mapPut(key, column, entry.key, value ?? .null)
                }
            default: break
            }
        }
    }

    /// Deletes rows that the write made, except those that others have changed or link to since.
    private func delete(_ rows: [UndoRow]) {
        var candidates: [UndoRowName: UndoRow] = [:]
        for row in rows where row.isHere && isObject(row) {
            guard transaction.table(row.className)?.exists(row.key) == true else { continue }
            candidates[UndoRowName(className: row.className, key: row.key)] = row
        }
        var kept: [UndoRowName] = []
        var targets: [UndoRowName: [UndoRowName]] = [:]
        for (name, row) in candidates {
            guard let table = transaction.table(row.className) else { continue }
            var isKept = isChangedByOthers(table, row.key)
            table.forEachOrigin(of: row.key) { origins, origin in
                let (holders, holder) = origins.outermost(of: origin)
                let holderName = UndoRowName(className: holders.name, key: holder)
                if candidates[holderName] == nil {
                    isKept = true
                } else if holderName != name {
                    targets[holderName, default: []].append(name)
                }
            }
            if isKept { kept.append(name) }
        }
        // What stays keeps what it links to.
        while let name = kept.popLast() {
            if candidates.removeValue(forKey: name) != nil { kept += targets[name] ?? [] }
        }
        for (className, rows) in Dictionary(grouping: candidates.values, by: \.className) {
            guard let table = transaction.table(className) else { continue }
            for row in rows {
                noteEnds(inside: row.key, of: table)
                log.willEnd(row)
                keepOwned(by: row.key, of: table)
            }
            table.delete(rows.map(\.key), leavingGhosts: instance.leavesGhosts)
        }
    }

    /// What a delete rule would delete along is not of this write, or it is deleted by itself.
    private func keepOwned(by key: ObjectKey, of table: Table) {
        for (column, property) in table.schema.properties.enumerated() where property.deletionRule != .none {
            if property.collection != .none {
                table.clearCollection(key, column)
            } else if table.value(key, column) != .null {
                table.set(key, column, .null)
            }
        }
    }

    // MARK: - Changes

    private func table(of row: UndoRow) -> Table? {
        guard row.isHere, let table = transaction.table(row.className), table.exists(row.key) else { return nil }
        return table
    }

    private mutating func takeBack(_ change: UndoableChange) throws {
        switch change {
        case .value(let row, let column, let before, let after):
            guard let table = table(of: row) else { return }
            let now = table.value(row.key, column)
            guard now == current(after, table, column), !row.isChangedByOthers(column, after: write.version),
                !isChangedInside(now, table, column)
            else { return }
            if let value = try restored(before, table, column) {
                table.set(row.key, column, value)
            } else if table.accepts(.null, column: column) {
                table.set(row.key, column, .null)
            }
        case .addition(let row, let column, let amount):
            guard let table = table(of: row), table.schema.properties[column].isCounter else { return }
            table.add(0 &- amount, to: row.key, column)
        case .part(let row, let part, let change):
            guard let table = table(of: row) else { return }
            try takeBack(change, part, row.key, table)
        case .keyed(let row, let column, let changes):
            guard let table = table(of: row), let keys = row.keyed[column] else { return }
            if keys.unknown > write.version {
                throw Refusal(
                    message: "It is not known any more what others have changed in '\(table.name)."
                        + "\(table.schema.properties[column].name)'.")
            }
            for change in changes where !keys.isChanged(hashes(of: change.key, table, column), after: write.version) {
                try takeBack(change, row.key, column, table)
            }
        }
    }

    private mutating func takeBack(_ change: UndoPartChange, _ part: UndoPart, _ key: ObjectKey, _ table: Table) throws
    {
        let (column, property) = (part.column, table.schema.properties[part.column])
        log.open(part)
        if property.collection == .none {
            try check(part, table.textCount(key, column), table)
            takeBackText(change, part, key, table)
            part.editsFollowed = 1
            return
        }
        let edits = table.listEditsSoFar(key, column)
        part.follow([PlaceEdit](Array(edits.dropFirst(part.editsFollowed))))
        try check(part, table.listCount(key, column), table)
        try takeBackExchanges(change, part, key, table)
        try takeBackElements(change, part, key, table)
        part.editsFollowed = table.listEditsSoFar(key, column).count
        try check(part, table.listCount(key, column), table)
    }

    /// Refuses a part of which it is not known where its elements are.
    private func check(_ part: UndoPart, _ count: Int, _ table: Table) throws {
        if !part.now.isLost, part.now.count == count { return }
        throw Refusal(
            message: "It is not known any more where the elements of '\(table.name)."
                + "\(table.schema.properties[part.column].name)' are, which it changed.")
    }

    // MARK: - Parts

    private struct Action {
        var names: Range<Int>
        var place: Int
    }

    /// What the write inserted and is still here.
    private func insertions(_ change: UndoPartChange, _ part: UndoPart) -> [Action] {
        var actions: [Action] = []
        let exchanged = change.exchanges.map { $0.after..<$0.after + 1 }
        let inserted = change.inserted.subtracting(TrackedSequence.joined(exchanged))
        part.now.visit(part.now.followed(inserted)) { names, place, isHere in
            if isHere { actions.append(Action(names: names, place: place)) }
        }
        return actions
    }

    /// What the write removed and is still gone.
    private func removals(_ change: UndoPartChange, _ part: UndoPart) -> [Action] {
        var actions: [Action] = []
        let exchanged = change.exchanges.map { $0.before..<$0.before + 1 }
        let removed = TrackedSequence.joined(change.removed.map(\.names))
            .subtracting(TrackedSequence.joined(exchanged))
        part.now.visit(removed) { names, place, isHere in
            if !isHere { actions.append(Action(names: names, place: place)) }
        }
        return actions
    }

    /// From the end to the beginning, so that no action moves another one's place.
    private func descending(
        _ insertions: [Action], _ removals: [Action]
    ) -> [(action: Action, isInsertion: Bool)] {
        var result: [(action: Action, isInsertion: Bool)] = []
        var (left, right) = (insertions[...], removals[...])
        while !left.isEmpty || !right.isEmpty {
            if let inserted = left.last, inserted.place >= right.last?.place ?? 0 {
                result.append((inserted, true))
                left.removeLast()
            } else if let removed = right.popLast() {
                result.append((removed, false))
            }
        }
        return result
    }

    private func takeBackText(_ change: UndoPartChange, _ part: UndoPart, _ key: ObjectKey, _ table: Table) {
        for (action, isInsertion) in descending(insertions(change, part), removals(change, part)) {
            let names = action.names
            var place = action.place
            if isInsertion {
                table.edit(key, text: part.column, .remove(place..<place + names.count))
                part.now.remove(names.count, at: place, remembering: true)
                continue
            }
            // The names of one piece may belong to several removals.
            var name = names.lowerBound
            while name < names.upperBound, let (removal, index) = change.removal(of: name),
                case .text(let text) = removal.content
            {
                let count = min(removal.names.count - index, names.upperBound - name)
                table.edit(key, text: part.column, .insert(text.scalars(index..<index + count), at: place))
                part.now.bringBack(name, count, at: place)
                (name, place) = (name + count, place + count)
            }
        }
    }

    private mutating func takeBackElements(
        _ change: UndoPartChange, _ part: UndoPart, _ key: ObjectKey, _ table: Table
    ) throws {
        let column = part.column
        for (action, isInsertion) in descending(insertions(change, part), removals(change, part)) {
            if isInsertion {
                remove(action, part, key, table)
                continue
            }
            var (place, run) = (action.place, action.names.lowerBound..<action.names.lowerBound)
            for name in action.names {
                if let (removal, index) = change.removal(of: name), case .values(let values) = removal.content,
                    let value = try restored(values[index], table, column)
                {
                    table.listInsert(key, column, place + run.count, value)
                    run = run.lowerBound..<name + 1
                    continue
                }
                part.now.bringBack(run.lowerBound, run.count, at: place)
                (place, run) = (place + run.count, name + 1..<name + 1)
            }
            part.now.bringBack(run.lowerBound, run.count, at: place)
        }
    }

    private func remove(_ action: Action, _ part: UndoPart, _ key: ObjectKey, _ table: Table) {
        let column = part.column
        let ownsElements = table.ownsElements(column)
        var end = action.place + action.names.count
        var place = end
        while place > action.place {
            place -= 1
            if ownsElements, isChangedInside(table.listValue(key, column, place), table, column) {
                part.now.remove(end - place - 1, at: place + 1, remembering: true)
                end = place
            } else {
                table.listRemove(key, column, place)
            }
        }
        part.now.remove(end - place, at: place, remembering: true)
    }

    /// Elements that were moved go back, and those that were replaced get their old value.
    private mutating func takeBackExchanges(
        _ change: UndoPartChange, _ part: UndoPart, _ key: ObjectKey, _ table: Table
    ) throws {
        let column = part.column
        for exchange in change.exchanges {
            guard let old = part.now.place(of: exchange.before), !old.isHere else { continue }
            guard let now = part.now.place(of: exchange.after), now.isHere else {
                if exchange.isMove { moveBackReplaced(exchange, part, key, table) }
                continue
            }
            var value: Value?
            if exchange.isReplacement {
                if isChangedInside(table.listValue(key, column, now.place), table, column) { continue }
                guard let (removal, index) = change.removal(of: exchange.before),
                    case .values(let values) = removal.content
                else { continue }
                value = try restored(values[index], table, column)
                if value == nil, table.accepts(.null, column: column) { value = .null }
                if value == nil { continue }
            }
            if exchange.isMove {
                let place = old.place > now.place ? old.place - 1 : old.place
                table.listMove(key, column, now.place, place)
                let names = part.now.move(from: now.place, to: place, as: exchange.before, remembering: true)
                part.note(names, isMove: true, isReplacement: value != nil)
                if let value { table.listSet(key, column, place, value) }
            } else if let value {
                table.listSet(key, column, now.place, value)
                part.note(part.now.replace(at: now.place, by: exchange.before), isReplacement: true)
            }
        }
    }

    /// An element that the write moved goes back with what others have put in its place.
    private func moveBackReplaced(
        _ exchange: UndoExchange, _ part: UndoPart, _ key: ObjectKey, _ table: Table
    ) {
        guard let name = part.now.replacement(of: exchange.after), let now = part.now.place(of: name), now.isHere else {
            return
        }
        guard let moved = part.now.move(from: now.place, beside: exchange.before) else { return }
        table.listMove(key, part.column, now.place, moved.place)
        part.note((moved.before, moved.after), isMove: true)
        part.now.noteReplaced(exchange.before, by: moved.after)
    }

    // MARK: - Sets and maps

    /// The hashes by which an element or a key is told: a link has one for each key of the row that it leads to.
    private func hashes(of name: Value, _ table: Table, _ column: Int) -> [UInt32] {
        guard table.schema.properties[column].collection == .set, let (linked, key) = table.linked(name, column),
            let row = log.known(linked.name, key)
        else { return [SetElement(name).lastingHash] }
        return row.keys.map { SetElement(Self.link(name, to: $0)).lastingHash }
    }

    private mutating func takeBack(
        _ change: KeyedChange, _ key: ObjectKey, _ column: Int, _ table: Table
    ) throws {
        if table.schema.properties[column].collection == .map {
            guard case .string(let name) = change.key else { return }
            try takeBack(change, name, key, column, table)
            return
        }
        let element = current(change.key, table, column)
        let place = table.setPlace(key, column, element)
        guard place.isThere == (change.after != nil) else { return }
        guard let before = change.before else {
            table.listRemove(key, column, place.index)
            return
        }
        guard let element = try restored(before, table, column) else { return }
        if place.isThere {
            table.listSet(key, column, place.index, element)
        } else {
            table.setInsert(key, column, element)
        }
    }

    private mutating func takeBack(
        _ change: KeyedChange, _ name: String, _ key: ObjectKey, _ column: Int, _ table: Table
    ) throws {
        let now = table.mapValue(key, column, name)
        guard now == change.after.map({ current($0, table, column) }) else { return }
        if let now, isChangedInside(now, table, column) { return }
        guard let before = change.before else {
            table.mapRemove(key, column, name)
            return
        }
        let value = try restored(before, table, column)
        if value == nil, !table.accepts(.null, column: column) { return }
        table.mapPut(key, column, name, value ?? .null)
    }
}

private struct UndoPrimaryKey: Hashable {
    var className: String
    var key: PrimaryKey

    init?(_ row: UndoRow) {
        guard let key = row.primaryKey else { return nil }
        (className, self.key) = (row.className, key)
    }
}

extension String {
    fileprivate func scalars(_ range: Range<Int>) -> String {
        let all = unicodeScalars
        let start = all.index(all.startIndex, offsetBy: range.lowerBound)
        return String(all[start..<all.index(start, offsetBy: range.count)])
    }
}
