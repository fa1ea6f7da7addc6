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

    mutating func takeBack(_ write: UndoableWrite) throws {
        if let problem = write.problem { throw Refusal(message: problem) }
        self.write = write
        // An object that was deleted and made again under its key ends before the earlier one comes back.
        let keys = Set(
            write.deleted.values.compactMap { content in
                content.row.primaryKey.map { UndoPrimaryKey(className: content.row.className, key: $0) }
            })
        let (replaced, created) = write.created.partitioned { row in
            row.primaryKey.map { keys.contains(UndoPrimaryKey(className: row.className, key: $0)) } ?? false
        }
        delete(replaced)
        let deleted = write.deleted.sorted { ($0.key.className, $0.key.key) < ($1.key.className, $1.key.key) }
        for (_, content) in deleted where isObject(content.row) { try makeAgain(content) }
        try fillAll()
        for change in write.changes {
            try takeBack(change)
            try fillAll()
        }
        delete(created)
    }

    private func isObject(_ row: UndoRow) -> Bool {
        transaction.table(row.className)?.schema.kind == .object
    }

    // MARK: - Values

    /// A value with its link to where the linked row is now.
    private func current(_ value: Value, _ table: Table, _ column: Int) -> Value {
        guard let (linked, key) = table.linked(value, column), let row = log.known(linked.name, key), row.isHere else {
            return value
        }
        return if case .anyObject(let link) = value {
            .anyObject(ClassedKey(link.classNumber, row.key))
        } else {
            .object(row.key)
        }
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

    private mutating func fillAll() throws {
        while let content = empty.popLast() { try fill(content) }
    }

    private mutating func fill(_ content: UndoRowContent) throws {
        let row = content.row
        guard let table = transaction.table(row.className) else { return }
        let key = row.key
        for (column, property) in table.schema.properties.enumerated() where !property.isPrimaryKey {
            switch (content.contents[column], property.collection) {
            case (.value(let value), .none):
                if property.isText, case .string(let text) = value {
                    if !text.isEmpty { table.edit(key, text: column, .insert(text, at: 0)) }
                } else if let value = try restored(value, table, column) {
                    if value != table.value(key, column) { table.set(key, column, value) }
                }
            case (.elements(let elements), .list):
                // Elements whose targets are gone are missing from then on.
                let part = row.parts[column]
                if let part { log.open(part) }
                for element in elements {
                    let place = table.listCount(key, column)
                    if let element = try restored(element, table, column) {
                        table.listAppend(key, column, element)
                    } else {
                        part?.now.remove(1, at: place, remembering: true)
                    }
                }
            case (.elements(let elements), .set):
                var restored: [Value?] = []
                for element in elements { restored.append(try self.restored(element, table, column)) }
                for case .some(let element) in restored { table.setInsert(key, column, element) }
                // Links to rows that were made again have another order.
                if let part = row.parts[column], restored != elements {
                    log.open(part)
                    part.now.rearrange(restored, as: table.listValues(key, column))
                }
            case (.entries(let entries), .map):
                for entry in entries {
                    let value = try restored(entry.value, table, column)
                    if value != nil || table.accepts(.null, column: column) {
                        table.mapPut(key, column, entry.key, value ?? .null)
                    } else if let part = row.parts[column] {
                        log.open(part)
                        part.now.lose()
                    }
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
            for row in rows {
                transaction.table(className)?.forEachInside(of: row.key) { table, key in
                    if let inside = log.known(table.name, key), inside.key == key, inside.isHere { log.willEnd(inside) }
                }
            }
            transaction.table(className)?.delete(rows.map(\.key), leavingGhosts: instance.leavesGhosts)
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
            guard now == current(after, table, column), !isChangedInside(now, table, column) else { return }
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
        if property.collection == .list {
            try takeBackElements(change, part, key, table)
        } else {
            try takeBackEntries(change, part, key, table)
        }
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
            let (names, place) = (action.names, action.place)
            if isInsertion {
                table.edit(key, text: part.column, .remove(place..<place + names.count))
                part.now.remove(names.count, at: place, remembering: true)
                continue
            }
            // The names of one piece may belong to several removals.
            var (name, place2) = (names.lowerBound, place)
            while name < names.upperBound, let (removal, index) = change.removal(of: name),
                case .text(let text) = removal.content
            {
                let count = min(removal.names.count - index, names.upperBound - name)
                table.edit(key, text: part.column, .insert(text.scalars(index..<index + count), at: place2))
                part.now.bringBack(name, count, at: place2)
                (name, place2) = (name + count, place2 + count)
            }
        }
    }

    private mutating func takeBackElements(
        _ change: UndoPartChange, _ part: UndoPart, _ key: ObjectKey, _ table: Table
    ) throws {
        let column = part.column
        for (action, isInsertion) in descending(insertions(change, part), removals(change, part)) {
            if isInsertion {
                remove(action, part, key, table) { table.listRemove(key, column, $0) }
                continue
            }
            var place = action.place
            for name in action.names {
                guard let (removal, index) = change.removal(of: name), case .values(let values) = removal.content,
                    let value = try restored(values[index], table, column)
                else { continue }
                table.listInsert(key, column, place, value)
                part.now.bringBack(name, at: place)
                place += 1
            }
        }
    }

    private func remove(
        _ action: Action, _ part: UndoPart, _ key: ObjectKey, _ table: Table, _ body: (_ place: Int) -> Void
    ) {
        for place in (action.place..<action.place + action.names.count).reversed() {
            if table.ownsElements(part.column),
                isChangedInside(table.listValue(key, part.column, place), table, part.column)
            {
                continue
            }
            body(place)
            part.now.remove(1, at: place, remembering: true)
        }
    }

    /// Elements of a set, or entries of a map. Their keys say where they belong.
    private mutating func takeBackEntries(
        _ change: UndoPartChange, _ part: UndoPart, _ key: ObjectKey, _ table: Table
    ) throws {
        let (column, isMap) = (part.column, table.schema.properties[part.column].collection == .map)
        let removals = removals(change, part)
        for action in insertions(change, part).reversed() {
            remove(action, part, key, table) { place in
                if isMap {
                    table.mapRemove(key, column, at: place)
                } else {
                    table.listRemove(key, column, place)
                }
            }
        }
        for name in removals.map(\.names).joined() {
            guard let (removal, index) = change.removal(of: name) else { continue }
            switch removal.content {
            case .values(let values):
                guard let value = try restored(values[index], table, column) else { continue }
                let place = table.setPlace(key, column, value)
                if place.isThere { continue }
                table.listInsert(key, column, place.index, value)
                part.now.bringBack(name, at: place.index)
            case .entries(let entries):
                let place = table.mapPlace(key, column, entries[index].key)
                if place.isThere { continue }
                let value = try restored(entries[index].value, table, column)
                if value == nil, !table.accepts(.null, column: column) { continue }
                table.mapPut(key, column, entries[index].key, value ?? .null)
                part.now.bringBack(name, at: place.index)
            case .text: continue
            }
        }
    }

    /// Elements that were moved go back, and those that were replaced get their old value.
    private mutating func takeBackExchanges(
        _ change: UndoPartChange, _ part: UndoPart, _ key: ObjectKey, _ table: Table
    ) throws {
        let column = part.column
        for exchange in change.exchanges {
            guard let now = part.now.place(of: exchange.after), now.isHere,
                let old = part.now.place(of: exchange.before), !old.isHere
            else { continue }
            var value: Value?
            if exchange.isReplacement {
                if isChangedInside(table.listValue(key, column, now.place), table, column) { continue }
                guard let (removal, index) = change.removal(of: exchange.before) else { continue }
                switch removal.content {
                case .values(let values): value = try restored(values[index], table, column)
                case .entries(let entries): value = try restored(entries[index].value, table, column)
                case .text: continue
                }
                if value == nil, table.accepts(.null, column: column) { value = .null }
                if value == nil { continue }
            }
            var place = now.place
            if exchange.isMove {
                place = old.place > now.place ? old.place - 1 : old.place
                table.listMove(key, column, now.place, place)
                let names = part.now.move(from: now.place, to: place, as: exchange.before, remembering: true)
                part.note(names, isMove: true, isReplacement: value != nil)
                if let value { table.listSet(key, column, place, value) }
            } else if let value {
                table.listSet(key, column, place, value)
                part.note(part.now.replace(at: place, by: exchange.before, remembering: true), isReplacement: true)
            }
        }
    }
}

private struct UndoPrimaryKey: Hashable {
    var className: String
    var key: PrimaryKey
}

extension Array {
    /// Those that fulfil a condition, and the others.
    fileprivate func partitioned(_ condition: (Element) -> Bool) -> (are: [Element], areNot: [Element]) {
        var result: (are: [Element], areNot: [Element]) = ([], [])
        for element in self {
            if condition(element) { result.are.append(element) } else { result.areNot.append(element) }
        }
        return result
    }
}

extension String {
    fileprivate func scalars(_ range: Range<Int>) -> String {
        let all = unicodeScalars
        let start = all.index(all.startIndex, offsetBy: range.lowerBound)
        return String(all[start..<all.index(start, offsetBy: range.count)])
    }
}
