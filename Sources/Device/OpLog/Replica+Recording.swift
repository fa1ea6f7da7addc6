import CausewayMerge
import CausewayModel
package import CausewayObjectStore
import CausewayOperations

// MARK: - What the app did, as a changeset

extension Replica {
    /// Turns what the transaction has changed so far into one logged changeset, as a part of the transaction [I1].
    ///
    /// Call it once, just before commit. One-way objects go to their own log, and their rows are deleted.
    ///
    /// - Parameter now: the device's wall clock in milliseconds since 1970.
    /// - Throws: `invalidValue` when an object of a synced class has no primary key, and what reading the file throws.
    package func record(in transaction: Transaction, now: UInt64) throws(StoreError) {
        let changes = transaction.changes
        guard !changes.isEmpty else { return }
        var state = try state(in: transaction)
        state.clockTime = clock.reading(now: now, after: state.clockTime)
        enter(&state, in: transaction)
        var recording = Recording(transaction, state: state, work, knownRuns)
        try recording.add(changes)
        recording.finish()
    }

    /// Logs operations once more that have left the log, as one new changeset.
    func log(_ operations: [Operation], in transaction: Transaction, now: UInt64) throws(StoreError) {
        guard !operations.isEmpty else { return }
        var state = try state(in: transaction)
        state.clockTime = clock.reading(now: now, after: state.clockTime)
        enter(&state, in: transaction)
        var recording = Recording(transaction, state: state, work, knownRuns)
        for operation in operations { try recording.addAgain(operation) }
        recording.finish()
    }
}

/// The changeset of one transaction while it is put together.
///
/// Creates come first and deletes last, so that nothing names an object before it lives or after it ended. Only an
/// object that comes back in the same transaction is deleted first.
private struct Recording {
    private let transaction: Transaction
    private let trees: Trees
    private let links: Links
    private let stamp: Stamp
    private var state: ReplicaState
    /// The creates in columns. They come before everything else, so there are none in a transaction that deletes.
    private var creations: [CreationRun] = []
    private var mayCreateInColumns = false
    private var creates: [Operation] = []
    private var changes: [Operation] = []
    private var deletes: [Operation] = []
    private var oneWay: [Operation] = []
    /// The embedded objects inside of the transaction's one-way objects, which leave and end with them.
    private var oneWayParts: [String: Set<ObjectKey>] = [:]
    private var touched = TouchedBy()
    /// Objects that were here before and have changed, with the last logged changeset about each; zero if there is
    /// none.
    private var previous: [ObjectReference: UInt64] = [:]
    /// Those of them that had left the view; for each run of the server, the oldest version up to which one was seen.
    private var lastSeen: [Changeset.LastSeen] = []
    private let hasLeft: Bool
    /// The newest commit, on which this transaction is based: the changed objects as they were before.
    private var before: Transaction?
    /// Whether new objects can have past lives or bases. Not in a first import, where searching for them would cost
    /// more than the rest.
    private var remembersObjects: Bool

    init(_ transaction: Transaction, state: ReplicaState, _ work: LogWork, _ knownRuns: KnownRuns) {
        self.transaction = transaction
        self.state = state
        stamp = Stamp(time: state.clockTime, client: state.client)
        trees = Trees(transaction, work, knownRuns)
        links = Links(transaction)
        remembersObjects = trees.remembersObjects
        hasLeft = !trees.left.isEmpty
    }

    mutating func add(_ record: ChangeRecord) throws(StoreError) {
        mayCreateInColumns = !remembersObjects && record.classes.values.allSatisfy(\.deleted.isEmpty)
        // Embedded objects first: they live before the link to them is set.
        let tables = record.classes.keys.compactMap { transaction.table($0) }
            .sorted { ($0.schema.kind == .embedded ? 0 : 1, $0.name) < ($1.schema.kind == .embedded ? 0 : 1, $1.name) }
        for table in tables where table.schema.kind == .asymmetric {
            for key in record.classes[table.name]?.inserted ?? [] { addOneWayParts(of: key, table) }
        }
        for table in tables {
            guard let classChanges = record.classes[table.name] else { continue }
            switch table.schema.kind {
            case .asymmetric:
                try addOneWay(table, classChanges)
            case .object, .embedded:
                try addDeleted(table, classChanges)
                try addInserted(table, classChanges)
                try addModified(table, classChanges)
                try addListEdits(table, classChanges)
                try addTextEdits(table, classChanges)
                try addKeyedChanges(table, classChanges)
            }
        }
        before?.end()
        before = nil
    }

    /// What the transaction is based on, opened when it is first needed.
    private mutating func lastCommit() throws(StoreError) -> Transaction {
        if let before { return before }
        let opened = try transaction.store.read()
        before = opened
        return opened
    }

    /// Adds an operation that was logged before. A create begins the life after one that has ended since. A delete of an
    /// earlier life than the object lives has no effect here and is left out: on a server that has joined the later
    /// life into the earlier one (F4), it would end what was made since.
    mutating func addAgain(_ operation: Operation) throws(StoreError) {
        let object = operation.target
        if case .delete(_, let end) = operation, let life = try livingLife(object), life > end { return }
        if let table = transaction.table(object.className), let key = table.key(for: object.key) {
            try keepBase(object, table, key)
        } else if previous[object] == nil {
            let sequence = state.lastSequence + 1
            if let earlier = try trees.continueBase(object, with: sequence) {
                previous[object] = earlier
            } else {
                let past = ObjectState(life: try trees.pastLife(object))
                trees.save(BaseCopy(state: past, lastSequence: sequence), object)
                let log = LoggedOperations(transaction, trees, state, acknowledged: state.acknowledged)
                try begin(object, behind: log.creator(of: object))
            }
        }
        guard case .create(_, let life, let fields) = operation, let base = try trees.storedBase(object)?.state,
            base.life >= life
        else { return changes.append(operation) }
        changes.append(.create(object, life: base.isAlive ? base.life : base.life + 1, fields: fields))
    }

    /// The life that an object lives here, or out of view as far as is remembered; nil if it has ended or is unknown.
    private func livingLife(_ object: ObjectReference) throws(StoreError) -> UInt32? {
        let isHere = transaction.table(object.className)?.key(for: object.key) != nil
        let life = try trees.life(object) ?? (isHere ? 1 : 0)
        return life % 2 == 1 ? life : nil
    }

    mutating func finish() {
        let (returning, gone) = partedDeletes()
        let operations = returning + creates + changes + gone
        if !operations.isEmpty || !creations.isEmpty {
            state.lastSequence += 1
            state.baseRuns.note(state.incarnation, from: state.lastSequence)
            touched.others = previous.map { TouchedBy.Change(object: $0, previous: $1) }
                .sorted { ($0.object.className, $0.object.key) < ($1.object.className, $1.object.key) }
            touched.elementCounter = state.elementCounter
            touched.version = transaction.version + 1
            for rows in touched.fresh { trees.fresh.add(rows, by: state.lastSequence) }
            let key = Trees.key(state.lastSequence)
            trees.log.put(
                key,
                Changeset.encode([
                    Changeset(
                        client: state.client, sequence: state.lastSequence, stamp: stamp, base: state.version,
                        lastSeen: lastSeen, creations: creations, operations: operations)
                ]))
            trees.touched.put(key, touched.encoded())
        }
        if !oneWay.isEmpty { trees.appendOneWay(oneWay, stamp: stamp, to: &state) }
        trees.save(state)
    }

    /// An object that ended and came back ends before it is created again; the others end last.
    private func partedDeletes() -> (returning: [Operation], gone: [Operation]) {
        if deletes.isEmpty { return ([], []) }
        let ended = Set(deletes.map(\.target))
        let returned = Set(creates.lazy.map(\.target).filter { ended.contains($0) })
        return (deletes.filter { returned.contains($0.target) }, deletes.filter { !returned.contains($0.target) })
    }

    // MARK: - Objects that came

    private mutating func addInserted(_ table: Table, _ classChanges: ClassChanges) throws(StoreError) {
        guard !classChanges.inserted.isEmpty else { return }
        var fresh: [ObjectKey] = []
        fresh.reserveCapacity(classChanges.inserted.count)
        let returned = Set(classChanges.deleted.map(\.key))
        let leaving = oneWayParts[table.name] ?? []
        let apart = addRuns(table, classChanges)
        if apart.count < classChanges.inserted.count {
            let apart = Set(apart)
            fresh = classChanges.inserted.filter { !apart.contains($0) }
        }
        for key in apart {
            let object = try reference(table, key)
            if leaving.contains(key) {
                addOneWay(object, table, key)
                continue
            }
            // A key that has ended before, here or on the server, begins its next life. The end is its base, to which
            // the device returns if the create is refused.
            let past = remembersObjects ? try trees.pastLife(object) : 0
            let isKnown = returned.contains(key) || past > 0 || (remembersObjects && trees.hasBase(object))
            if isKnown { try keepBase(object, table, key) } else { fresh.append(key) }
            creates.append(.create(object, life: past + 1, fields: fields(of: key, table, classChanges.additions)))
            if remembersObjects { trees.save(life: past + 1, object) }
            try addNewLists(object, table, key)
            addNewTexts(object, table, key)
            addNewEntries(object, table, key)
        }
        if apart.count < classChanges.inserted.count { fresh.sort() }
        if !fresh.isEmpty { touched.fresh.append(TouchedBy.Rows(className: table.name, keys: fresh)) }
    }

    /// Adds, as columns, the new objects of which nothing is known and which differ only in their values. Returns the
    /// others, ascending.
    private mutating func addRuns(_ table: Table, _ classChanges: ClassChanges) -> [ObjectKey] {
        let all = classChanges.inserted
        let properties = table.schema.properties
        guard mayCreateInColumns, table.schema.kind == .object, classChanges.additions.isEmpty,
            !properties.contains(where: { $0.type == .mixed && $0.collection == .none })
        else { return all }
        var apart: [ObjectKey] = []
        var alike = all
        let parts = partColumns(table)
        if !parts.isEmpty {
            apart = all.filter { key in parts.contains { holdsParts(key, $0, table) } }
            if !apart.isEmpty {
                let known = Set(apart)
                alike = all.filter { !known.contains($0) }
            }
        }
        var runs: [CreationRun] = []
        for start in stride(from: 0, to: alike.count, by: CreationRun.mostCount) {
            guard let run = run(table, alike[start..<min(start + CreationRun.mostCount, alike.count)]) else {
                return all
            }
            runs.append(run)
        }
        creations += runs
        return apart
    }

    /// The columns of collections, texts and embedded objects, which take operations of their own.
    private func partColumns(_ table: Table) -> [Int] {
        table.schema.properties.indices.filter { column in
            let property = table.schema.properties[column]
            if !property.isField { return true }
            return property.target.flatMap { transaction.table($0) }?.schema.kind == .embedded
        }
    }

    private func holdsParts(_ key: ObjectKey, _ column: Int, _ table: Table) -> Bool {
        let property = table.schema.properties[column]
        if property.collection != .none { return table.listCount(key, column) > 0 }
        let value = table.value(key, column)
        return property.isText ? value != .string("") : !value.isNull
    }

    /// Nil when a value cannot be read in columns.
    private func run(_ table: Table, _ keys: ArraySlice<ObjectKey>) -> CreationRun? {
        let rows = table.rows(keys)
        guard let primaryKey = table.schema.primaryKeyIndex, let names = rows.primaryKeys(primaryKey) else {
            return nil
        }
        var fields: [CreationRun.Field] = []
        for (column, property) in table.schema.properties.enumerated() {
            guard property.isField, !property.isPrimaryKey else { continue }
            guard let values = rows.column(column) else { return nil }
            // A counter's first value is no set: a second creation of the object must not end what was added.
            fields.append(CreationRun.Field(property.name, values, isDefault: property.isCounter))
        }
        return CreationRun(className: table.name, life: 1, keys: names, fields: fields)
    }

    /// - Parameter additions: what the transaction added to counters, to be logged as additions: if two devices create
    ///   the object, the additions of both count. Empty for a one-way entry, which has no other writer.
    private mutating func fields(
        of key: ObjectKey, _ table: Table, _ additions: [ChangedList: CounterAddition] = [:]
    ) -> [FieldValue] {
        var fields: [FieldValue] = []
        fields.reserveCapacity(table.schema.properties.count)
        for (column, property) in table.schema.properties.enumerated() {
            guard property.isField, !property.isPrimaryKey else { continue }
            var value = links.travelling(table.value(key, column), target: property.target)
            // If an assignment followed an addition, the object begins with what is there now.
            if property.isCounter, let addition = additions[ChangedList(key: key, column: column)],
                addition.amount != 0, value == .int(addition.first &+ addition.amount),
                let object = table.primaryKey(of: key).map({ ObjectReference(table.name, $0) })
            {
                value = .int(addition.first)
                changes.append(.add(object, property: property.name, Addition(addition.amount)))
            }
            // A counter's first value is no set: a second creation of the object must not end what was added.
            fields.append(FieldValue(property.name, value, isDefault: property.isCounter))
        }
        return fields
    }

    /// A new object's lists begin empty: everything in them is an insert.
    private mutating func addNewLists(
        _ object: ObjectReference, _ table: Table, _ key: ObjectKey
    ) throws(StoreError) {
        for (column, property) in table.schema.properties.enumerated() where property.collection == .list {
            let values = table.listValues(key, column)
            guard !values.isEmpty else { continue }
            let (list, insertions) = newList(values.map { links.travelling($0, target: property.target) })
            changes += insertions.map { .list(object, property: property.name, $0) }
            trees.save(list, object, property.name)
        }
    }

    private mutating func newList(_ values: [Value]) -> (list: ListState, insertions: [ListOperation]) {
        var list = ListState()
        let insertions = values.enumerated().map { index, value in
            let insertion = list.insertion(of: value, at: index, id: state.nextElement())
            _ = list.join(insertion, stamp: stamp)
            return insertion
        }
        return (list, insertions)
    }

    // MARK: - Objects that changed

    private mutating func addModified(_ table: Table, _ classChanges: ClassChanges) throws(StoreError) {
        for key in classChanges.modified.keys.sorted() {
            guard let columns = classChanges.modified[key], table.exists(key) else { continue }
            let object = try reference(table, key)
            for column in columns.columns {
                let property = table.schema.properties[column]
                guard property.isField, !property.isPrimaryKey else { continue }
                let value = links.travelling(table.value(key, column), target: property.target)
                if property.isCounter, let amount = try addition(table, key, column, value, classChanges) {
                    guard amount != 0 else { continue }
                    changes.append(.add(object, property: property.name, Addition(amount)))
                } else {
                    changes.append(.set(object, FieldValue(property.name, value)))
                }
                try keepBase(object, table, key)
            }
        }
    }

    /// What the transaction added to a counter, if that is all it did to it.
    private mutating func addition(
        _ table: Table, _ key: ObjectKey, _ column: Int, _ now: Value, _ classChanges: ClassChanges
    ) throws(StoreError) -> Int64? {
        guard let amount = classChanges.additions[ChangedList(key: key, column: column)]?.amount,
            case .int(let now) = now
        else {
            return nil
        }
        guard let old = try lastCommit().table(table.name), old.exists(key),
            case .int(let value) = old.value(key, column), value &+ amount == now
        else { return nil }
        return amount
    }

    private mutating func addListEdits(_ table: Table, _ classChanges: ClassChanges) throws(StoreError) {
        let places = classChanges.listEdits.keys.sorted { ($0.key, $0.column) < ($1.key, $1.column) }
        for place in places {
            guard let edits = classChanges.listEdits[place], table.exists(place.key) else { continue }
            let object = try reference(table, place.key)
            let property = table.schema.properties[place.column]
            guard property.collection == .list else { continue }
            var list = try trees.list(object, property.name)
            let travelling = travelling(edits, property, count: list.count)
            // A base promises that a logged changeset is about the object: without an operation there is none.
            guard !travelling.isEmpty else { continue }
            try keepBase(object, table, place.key)
            for edit in travelling {
                switch edit {
                case .insert(let index, let value):
                    let value = links.travelling(value, target: property.target)
                    apply(
                        list.insertion(of: value, at: index, id: state.nextElement()), to: &list, object, property.name)
                case .remove(let index):
                    apply(list.removal(at: index), to: &list, object, property.name)
                case .set(let index, let value):
                    let value = links.travelling(value, target: property.target)
                    apply(list.replacement(at: index, with: value), to: &list, object, property.name)
                case .move(let from, let to):
                    apply(
                        list.movement(from: from, to: to, id: state.nextElement()), to: &list, object, property.name)
                case .clear:
                    apply(list.clearing(), to: &list, object, property.name)
                }
            }
            trees.save(list, object, property.name)
        }
    }

    private func travelling(_ edits: [ListEdit], _ property: Property, count: Int) -> [ListEdit] {
        guard property.type == .object else { return edits }
        let links = links
        let hasName = { (value: Value) in !links.travelling(value, target: property.target).isNull }
        let areAllNamed = edits.allSatisfy { edit in
            switch edit {
            case .insert(_, let value), .set(_, let value): hasName(value)
            case .remove, .move, .clear: true
            }
        }
        if areAllNamed { return edits }
        var travelling = TravellingEdits(count: count, hasName: hasName)
        return edits.compactMap { travelling.next($0) }
    }

    /// Adds an operation and applies it to the list, so that the next index means what the app meant.
    private mutating func apply(
        _ operation: ListOperation, to list: inout ListState, _ object: ObjectReference, _ property: String
    ) {
        _ = list.join(operation, stamp: stamp)
        changes.append(.list(object, property: property, operation))
    }

    // MARK: - Texts

    /// A new object's texts begin empty: what they hold is one run.
    private mutating func addNewTexts(_ object: ObjectReference, _ table: Table, _ key: ObjectKey) {
        for (column, property) in table.schema.properties.enumerated() where property.isText {
            guard let (text, insertion) = newText(table.value(key, column)) else { continue }
            changes.append(.text(object, property: property.name, insertion))
            trees.texts.replace(text.runs, object, property.name)
        }
    }

    private mutating func newText(_ value: Value) -> (text: TextState, insertion: TextOperation)? {
        var text = TextState()
        guard case .string(let string) = value, !string.isEmpty,
            let insertion = text.insert(string, at: 0, id: state.nextElements(string.unicodeScalars.count))
        else { return nil }
        return (text, insertion)
    }

    private mutating func addTextEdits(_ table: Table, _ classChanges: ClassChanges) throws(StoreError) {
        guard table.schema.properties.contains(where: \.isText) else { return }
        for key in classChanges.modified.keys.sorted() {
            guard let columns = classChanges.modified[key], table.exists(key) else { continue }
            for column in columns.columns where table.schema.properties[column].isText {
                let edits = classChanges.textEdits[ChangedList(key: key, column: column)]
                if let edits {
                    try addTextEdits(edits.edits, reversals: edits.reversals, table, key, column)
                } else {
                    try addTextDifference(table, key, column)
                }
            }
        }
    }

    /// The text was set as a string: its operations are the least difference between before and after.
    private mutating func addTextDifference(_ table: Table, _ key: ObjectKey, _ column: Int) throws(StoreError) {
        guard case .string(let now) = table.value(key, column) else { return }
        var old = ""
        if let before = try lastCommit().table(table.name), before.exists(key),
            before.schema.properties.indices.contains(column),
            case .string(let string) = before.value(key, column)
        {
            old = string
        }
        let edits = TextDifference.edits(from: old, to: now)
        try addTextEdits(edits, reversals: TextDifference.reversals(of: edits, from: old), table, key, column)
    }

    private mutating func addTextEdits(
        _ edits: [TextEdit], reversals: [TextEdit], _ table: Table, _ key: ObjectKey, _ column: Int
    ) throws(StoreError) {
        let object = try reference(table, key)
        let property = table.schema.properties[column].name
        var text = try trees.texts.open(object, property)
        guard let operations = text.runs.apply(edits, nextID: { state.nextElements($0) }),
            text.runs.count == table.textCount(key, column)
        else { throw trees.texts.contradiction() }
        // A base promises that a logged changeset is about the object: without an operation there is none.
        guard !operations.isEmpty else { return trees.texts.close(text) }
        try keepBase(object, table, key)
        changes += operations.map { .text(object, property: property, $0) }
        let isNeeded = try needsSteps(object, text)
        trees.texts.append(
            operations.map { TextStep.Change($0) }, reversal: reversals, to: text, isNeeded: isNeeded)
    }

    /// Whether the base needs the steps of a text. A base for which they have become too many gets the texts themselves.
    private mutating func needsSteps(_ object: ObjectReference, _ text: TextTrees.Opened) throws(StoreError) -> Bool {
        guard let base = try trees.storedBase(object), base.textsAsOf != nil else { return false }
        guard trees.texts.hasTooManySteps(text) else { return true }
        return try !makeBaseWhole(object)
    }

    /// Gives a base the texts that it leaves to the row: as the last commit has the row. Returns whether the base has
    /// them now; one that this write has made has not.
    @discardableResult
    private mutating func makeBaseWhole(_ object: ObjectReference) throws(StoreError) -> Bool {
        guard let base = try trees.storedBase(object), base.textsAsOf != nil else { return true }
        guard let whole = try Trees(try lastCommit()).base(object) else { return false }
        trees.save(BaseCopy(state: whole.state, lastSequence: base.lastSequence), object)
        return true
    }

    // MARK: - Sets and maps

    /// A new object's sets and maps begin empty: everything in them is a put.
    private mutating func addNewEntries(_ object: ObjectReference, _ table: Table, _ key: ObjectKey) {
        for (column, property) in table.schema.properties.enumerated() where property.collection.isKeyed {
            let now = table.entries(of: key, column, links)
            changes += operations(from: KeyedState(), to: now, object, property.name)
        }
    }

    /// Adds the difference of each set or map before and after the transaction. Keys have no places that single steps
    /// could move.
    private mutating func addKeyedChanges(_ table: Table, _ classChanges: ClassChanges) throws(StoreError) {
        for key in classChanges.modified.keys.sorted() {
            guard let columns = classChanges.modified[key], table.exists(key) else { continue }
            for column in columns.columns where table.schema.properties[column].collection.isKeyed {
                let now = table.entries(of: key, column, links)
                let old = try entriesBefore(of: key, column, table.name)
                let object = try reference(table, key)
                let operations = operations(from: old, to: now, object, table.schema.properties[column].name)
                // A base promises that a logged changeset is about the object: without an operation there is none.
                guard !operations.isEmpty else { continue }
                try keepBase(object, table, key)
                changes += operations
            }
        }
    }

    private func operations(
        from old: KeyedState, to now: KeyedState, _ object: ObjectReference, _ property: String
    ) -> [Operation] {
        var operations: [Operation] = []
        for (key, _) in old.visible where now[key] == nil {
            operations.append(.keyed(object, property: property, .remove(key: key)))
        }
        for (key, value) in now.visible where old[key] != value || old.standing(key) != key {
            operations.append(.keyed(object, property: property, .put(key: key, value: value)))
        }
        return operations
    }

    private mutating func entriesBefore(
        of key: ObjectKey, _ column: Int, _ className: String
    ) throws(StoreError) -> KeyedState {
        let before = try lastCommit()
        guard let table = before.table(className), table.exists(key),
            table.schema.properties.indices.contains(column)
        else { return KeyedState() }
        return table.entries(of: key, column, Links(before))
    }

    // MARK: - Objects that went

    private mutating func addDeleted(_ table: Table, _ classChanges: ClassChanges) throws(StoreError) {
        // An embedded object ends with what held it, without an operation of its own.
        for deletion in classChanges.deleted {
            guard let primaryKey = deletion.primaryKey else { continue }
            let object = ObjectReference(table.name, primaryKey)
            trees.removeLists(object, table.schema)
            guard table.schema.kind == .object else { continue }
            try makeBaseWhole(object)
            let life = (try trees.life(object) ?? 1) + 1
            deletes.append(.delete(object, life: life))
            try keepBase(object, table, deletion.key, isEnding: true)
            trees.save(life: life, object)
            // The same key may come back in this very transaction.
            remembersObjects = true
        }
    }

    // MARK: - One way

    private mutating func addOneWayParts(of key: ObjectKey, _ table: Table) {
        // No recursion: the app decides how deep they nest.
        var waiting = [(table: table, key: key)]
        while let (table, key) = waiting.popLast() {
            for (column, property) in table.schema.properties.enumerated() {
                guard let target = property.target.flatMap({ transaction.table($0) }), target.schema.kind == .embedded
                else { continue }
                let values =
                    property.collection == .none ? [table.value(key, column)] : table.listValues(key, column)
                for case .object(let part) in values {
                    oneWayParts[target.name, default: []].insert(part)
                    waiting.append((target, part))
                }
            }
        }
    }

    private mutating func addOneWay(_ table: Table, _ classChanges: ClassChanges) throws(StoreError) {
        for key in classChanges.inserted { addOneWay(try reference(table, key), table, key) }
        for key in classChanges.inserted { table.delete(key) }
    }

    /// Adds the create and, directly after it, what the object's collections hold.
    private mutating func addOneWay(_ object: ObjectReference, _ table: Table, _ key: ObjectKey) {
        oneWay.append(.create(object, life: 1, fields: fields(of: key, table)))
        for (column, property) in table.schema.properties.enumerated() {
            switch property.collection {
            case .list:
                let values = table.listValues(key, column).map { links.travelling($0, target: property.target) }
                let named = property.type == .object ? values.filter { !$0.isNull } : values
                oneWay += newList(named).insertions.map { .list(object, property: property.name, $0) }
            case .set, .map:
                oneWay += operations(
                    from: KeyedState(), to: table.entries(of: key, column, links), object, property.name)
            case .none:
                guard property.isText, let (_, insertion) = newText(table.value(key, column)) else { continue }
                oneWay.append(.text(object, property: property.name, insertion))
            }
        }
    }

    // MARK: - Bases

    /// Keeps what the server has of an object, the first time it is changed here, and notes the last changeset about
    /// it.
    private mutating func keepBase(
        _ object: ObjectReference, _ table: Table, _ key: ObjectKey, isEnding: Bool = false
    ) throws(StoreError) {
        guard previous[object] == nil else { return }
        let sequence = state.lastSequence + 1
        if hasLeft { try noteLastSeen(object, table, key) }
        if let earlier = try trees.continueBase(object, with: sequence) {
            previous[object] = earlier
        } else if let creator = trees.fresh.creator(of: table.name, key) {
            // The server has nothing of it.
            trees.save(BaseCopy(state: ObjectState(), lastSequence: sequence), object)
            begin(object, behind: creator)
        } else {
            // The texts of an embedded object go with its row, whenever its holder lets go of it.
            let leavesTexts = !isEnding && table.schema.kind == .object
            let state = try stateBefore(object, table.name, key, leavingTexts: leavesTexts)
            let leftTexts = leavesTexts && state.isAlive && table.schema.properties.contains(where: \.isText)
            trees.save(
                BaseCopy(state: state, lastSequence: sequence, textsAsOf: leftTexts ? transaction.version : nil), object
            )
            begin(object, behind: nil)
        }
    }

    /// Notes an object's first change that needs a base: only its creation may precede it in the log.
    private mutating func begin(_ object: ObjectReference, behind creator: UInt64?) {
        previous[object] = creator ?? 0
        if let creator { trees.addDue(object, with: creator) }
    }

    /// Notes an object that has left the view, or is embedded in one: its state here is older than the changeset's
    /// base. Objects that are not on the server yet are left out.
    private mutating func noteLastSeen(
        _ object: ObjectReference, _ table: Table, _ key: ObjectKey
    ) throws(StoreError) {
        if let base = try trees.storedBase(object) {
            guard base.state.isAlive else { return }
        } else if trees.fresh.creator(of: table.name, key) != nil {
            return
        }
        // The holder found is embedded, too, if nothing holds it any more.
        let (holder, row) = table.outermost(of: key)
        let isEmbedded = table.schema.kind == .embedded
        guard let seen = trees.lastSeen(isEmbedded ? try reference(holder, row) : object) else { return }
        // A version of an unknown run counts as one of the base's run: the server takes the lowest.
        let isOfBase = seen.run == 0 || seen.run == state.incarnation
        lastSeen.note(object, seen: seen.version, of: isOfBase ? nil : seen.run)
    }

    /// The object as the last commit has it: without pending operations that is what the server has.
    private mutating func stateBefore(
        _ object: ObjectReference, _ className: String, _ key: ObjectKey, leavingTexts: Bool
    ) throws(StoreError) -> ObjectState {
        let before = try lastCommit()
        guard let table = before.table(className), table.exists(key) else {
            return ObjectState(life: try trees.pastLife(object))
        }
        let life = try Trees(before).life(object) ?? 1
        let travelling = Links(before)
        var copy = ObjectState(life: life)
        for (column, property) in table.schema.properties.enumerated() {
            switch property.part {
            case .list:
                let list = try Trees(before).list(object, property.name)
                if list != ListState() { copy.put(ObjectState.Part(property.name, .list(list))) }
            case .keyed:
                let entries = table.entries(of: key, column, travelling)
                if !entries.isEmpty { copy.put(ObjectState.Part(property.name, .keyed(entries))) }
            case .text:
                guard !leavingTexts, case .string(let string) = table.value(key, column) else { continue }
                let text = try Trees(before).texts.state(object, property.name, showing: string)
                if !text.isUntouched { copy.put(ObjectState.Part(property.name, .text(text))) }
            case nil where !property.isPrimaryKey:
                let value = travelling.travelling(table.value(key, column), target: property.target)
                copy.put(ObjectState.Field(property.name, value, stamp: .zero))
            case nil: break
            }
        }
        return copy
    }

    private func reference(_ table: Table, _ key: ObjectKey) throws(StoreError) -> ObjectReference {
        guard let primaryKey = table.primaryKey(of: key) else {
            throw StoreError(
                .invalidValue,
                "Class '\(table.name)' cannot be synced: its objects have no primary key. Give it one with "
                    + "@Persisted(primaryKey: true).",
                path: transaction.store.path)
        }
        return ObjectReference(table.name, primaryKey)
    }
}
