import CausewayModel
import CausewayObjectStore
import CausewayQuery

// Keeping content up to date without running the whole query again.
//
// 1. Content that was evaluated outside of a write is right for its version. The records of later versions name all
//    rows of the class whose evaluation may have changed since.
// 2. Content that was evaluated during a write is right for that write's edits so far. It may contain rows that the
//    write creates and deletes again; no record names these.
// 3. Evaluating each such row again, and inserting or removing it, gives the content of a fresh evaluation, whatever
//    the rows were before. It is enough that no row is missing.

extension _ResultsSource {
    /// The state for which content is right.
    struct Moment {
        /// The version read, or the one that the write began on.
        var version: UInt64
        /// The number of the write, if it had already changed something that matters here.
        var write: UInt?
        /// The write's edits so far, for each class that matters.
        var edits: [Int]
    }

    /// How content relates to the changes since its moment.
    private enum Staleness {
        case unchanged
        /// These rows must be evaluated again. In any order, perhaps with repetitions.
        case rows([ObjectKey])
        /// The content is a list, and some of it may have changed.
        case elements
        case unknown
    }

    /// How an update changed the content.
    enum Progress {
        case unchanged
        case updated(KeyUpdate)
        /// Changed between two positions only.
        case spliced(IndexChanges)
        /// Evaluated anew. Carries the content before.
        case replaced(Content)
    }

    // MARK: - What it depends on

    func findDependencies() -> Dependencies {
        var dependencies = Dependencies()
        for step in steps {
            switch step {
            case .filter(let condition): dependencies.add(condition)
            case .sort(let order): for key in order { dependencies.add(key.path) }
            case .distinct(let paths): for path in paths { dependencies.add(path) }
            case .sortValues, .distinctValues, .limit: break
            }
        }
        switch origin {
        case .table, .list: break
        case .inverse(_, let owner, let column):
            dependencies.addOwn(column)
            dependencies.addRows(of: owner.model.className)
        }
        return dependencies
    }

    /// The classes whose edits count in a write, in a fixed order.
    func findTables() -> [Table] {
        var names = Set(dependencies.foreign.keys)
        if let access { names.insert(access.model.className) }
        if case .list(_, let owner, _) = origin { names.insert(owner.model.className) }
        return names.sorted().compactMap { instance.transaction.table($0) }
    }

    var now: Moment {
        let edits = instance.isInWrite ? tables.map(\.editCount) : []
        let hasEdits = edits.contains { $0 != 0 }
        return Moment(
            version: instance.transaction.version, write: hasEdits ? instance.writeNumber : nil, edits: edits)
    }

    // MARK: - Up to date

    /// Whether changed rows can be inserted or removed one by one.
    private var isUpdatable: Bool {
        guard case .table = origin, access != nil else { return false }
        return steps.allSatisfy { step in
            switch step {
            case .filter, .sort: true
            case .distinct, .sortValues, .distinctValues, .limit: false
            }
        }
    }

    /// Whether the content is in the order of its keys.
    var isAscending: Bool {
        guard case .table = origin else { return false }
        return steps.allSatisfy { if case .sort = $0 { false } else { true } }
    }

    /// The position of a key, or nil.
    func position(of key: ObjectKey) -> Int? {
        let keys = keys
        return isAscending ? keys.ascendingPosition(of: key) : keys.firstIndex(of: key)
    }

    /// Whether content found at a moment is still right, or which rows must be evaluated again.
    private func staleness(since moment: Moment) -> Staleness {
        if instance.isInWrite, moment.write == instance.writeNumber { return staleness(inWriteOf: moment) }
        guard let records = records(since: moment) else { return .unknown }
        var rows: [ObjectKey] = []
        var isListChanged = false
        for record in records where !record.classes.isEmpty {
            if dependencies.isForeignTouched(record) { return .unknown }
            switch origin {
            case .list(let owner, let ownerAccess, let column):
                let changes = record.classes[ownerAccess.model.className]
                if changes?.modified[owner]?.contains(column) == true { isListChanged = true }
                if changes?.deleted.contains(where: { $0.key == owner }) == true { return .unknown }
                if changes?.inserted.contains(owner) == true { return .unknown }
            case .table, .inverse: break
            }
            guard let access, let changes = record.classes[access.model.className] else { continue }
            rows += dependencies.touched(changes)
        }
        if isListChanged { return moment.write == nil && canSplice(records) ? .elements : .unknown }
        if rows.isEmpty { return .unchanged }
        return isUpdatable && isCheap(rows.count) ? .rows(rows) : .unknown
    }

    /// Whether elements that stay in the list stay in the content: the object of none was deleted.
    private func canSplice(_ records: [ChangeRecord]) -> Bool {
        guard steps.isEmpty else { return false }
        guard let name = access?.model.className else { return true }
        return records.allSatisfy { $0.classes[name]?.deleted.isEmpty ?? true }
    }

    private func staleness(inWriteOf moment: Moment) -> Staleness {
        let edits = tables.map(\.editCount)
        if edits == moment.edits { return .unchanged }
        guard isUpdatable, let access, isCheap(access.table.editCount) else { return .unknown }
        // Only the class's own table may have changed, and no path may lead back to it.
        let own = access.model.className
        if dependencies.foreign[own] != nil { return .unknown }
        for (index, table) in tables.enumerated() where table.name != own {
            if edits[index] != moment.edits[index] { return .unknown }
        }
        return .rows(access.table.touchedKeys)
    }

    /// Evaluating one row costs as much as scanning many, but less than sorting them.
    private func isCheap(_ count: Int) -> Bool {
        let scannedForOne = sortOrder.isEmpty ? 1024 : 64
        return count <= 8 || count <= (access?.table.count ?? 0) / scannedForOne
    }

    /// All changes since a moment, oldest first; nil when they are not known.
    private func records(since moment: Moment) -> [ChangeRecord]? {
        let changes = instance.changes
        var records: [ChangeRecord] = []
        var version = moment.version
        if let write = moment.write {
            // The record of the write itself stays apart from later ones, which may undo changes that it names.
            guard let commit = instance.lastCommit, commit.write == write, !commit.hasDroppedObjects,
                let record = changes.between(version, commit.version)
            else { return nil }
            records.append(record)
            version = commit.version
        }
        guard let record = changes.between(version, instance.transaction.version) else { return nil }
        records.append(record)
        guard instance.isInWrite else { return records }
        var written = ChangeRecord()
        for table in tables where table.editCount > 0 {
            guard table.name != access?.model.className || !isUpdatable || isCheap(table.editCount) else { return nil }
            written.classes[table.name] = table.changesSoFar
        }
        records.append(written)
        return records
    }

    /// Brings the cached content up to date. If that is not possible, evaluates whole content anew and drops partial
    /// content.
    ///
    /// - Parameter evaluating: Whether to evaluate the content if there is none yet.
    @discardableResult
    func bringUpToDate(evaluating: Bool = true) -> Progress {
        let version = instance.contentVersion
        if contentVersion != version {
            contentVersion = version
            if let progress = follow() { return progress }
        }
        if evaluating, content == nil { evaluateContent() }
        return .unchanged
    }

    /// Applies the changes since the content's moment; nil when nothing changed or there is no content.
    private func follow() -> Progress? {
        guard let moment else { return nil }
        switch staleness(since: moment) {
        case .unchanged:
            self.moment = now
            return nil
        case .rows(let rows):
            forgetPartial()
            self.moment = now
            guard case .keys(var keys)? = content else { return nil }
            // With only one reference, the keys are changed in place.
            content = nil
            let update = put(rows, in: &keys)
            content = .keys(keys)
            if update.isEmpty { return .unchanged }
            generation &+= 1
            return .updated(update)
        case .elements:
            forgetPartial()
            guard content != nil else { return nil }
            if let changes = splice() {
                self.moment = now
                if changes.isEmpty { return .unchanged }
                generation &+= 1
                return .spliced(changes)
            }
            fallthrough
        case .unknown:
            forgetPartial()
            guard let old = content else { return nil }
            evaluateContent()
            return .replaced(old)
        }
    }

    // MARK: - Putting elements in and out

    /// Replaces what a list has anew between its ends; nil where it must be read as a whole.
    private func splice() -> IndexChanges? {
        guard case .list(let owner, let ownerAccess, let column) = origin else { return nil }
        let table = ownerAccess.table
        // With only one reference, the elements are changed in place.
        switch content {
        case .keys(var keys)?:
            guard let access, let middle = table.listMiddle(owner, column, since: keys) else { return nil }
            content = nil
            defer { content = .keys(keys) }
            let elements = middle.values.compactMap { access.existing($0) }
            return keys.replace(between: middle.prefix, and: middle.suffix, with: elements)
        case .values(var values)?:
            guard let middle = table.listMiddle(owner, column, since: values) else { return nil }
            content = nil
            defer { content = .values(values) }
            return values.replace(between: middle.prefix, and: middle.suffix, with: middle.values)
        case nil: return nil
        }
    }

    // MARK: - Putting rows in and out

    /// Evaluates rows again, and inserts each at its place or removes it.
    private func put(_ rows: [ObjectKey], in keys: inout [ObjectKey]) -> KeyUpdate {
        guard let access else { return KeyUpdate() }
        let transaction = instance.transaction
        let name = access.model.className
        let rows = Set(rows).sorted()
        let condition = conditions
        let isIn: (ObjectKey) -> Bool = { key in
            condition.map { transaction.matches(key, name, $0) } ?? access.exists(key)
        }
        let order = sortOrder
        return order.isEmpty
            ? put(rows, in: &keys, isIn) : put(rows.filter(isIn), insteadOf: rows, in: &keys, order, name)
    }

    private func put(_ rows: [ObjectKey], in keys: inout [ObjectKey], _ isIn: (ObjectKey) -> Bool) -> KeyUpdate {
        var update = KeyUpdate()
        var position = 0
        for key in rows {
            position = keys.lowerBound(key, from: position)
            let wasIn = position < keys.count && keys[position] == key
            switch (wasIn, isIn(key)) {
            case (true, false): update.removed.append(.init(position: position, key: key))
            case (false, true):
                let place = position - update.removed.count + update.inserted.count
                update.inserted.append(.init(position: place, key: key))
            default: break
            }
        }
        keys.remove(at: update.removed)
        keys.insert(update.inserted)
        return update
    }

    /// Removes rows from sorted keys, and inserts those that belong there at their present places.
    private func put(
        _ rows: [ObjectKey], insteadOf removed: [ObjectKey], in keys: inout [ObjectKey], _ order: [BoundSortKey],
        _ name: String
    ) -> KeyUpdate {
        var update = KeyUpdate()
        update.removed = keys.places(of: removed)
        keys.remove(at: update.removed)
        let transaction = instance.transaction
        var low = 0
        for key in transaction.sorted(rows, name, by: order) {
            low = keys[low...].partitioningIndex { other in
                // Equal elements keep the order of their keys, because sorting is stable.
                transaction.sorted(other < key ? [other, key] : [key, other], name, by: order)[0] == key
            }
            update.inserted.append(.init(position: low + update.inserted.count, key: key))
        }
        keys.insert(update.inserted)
        return update
    }

    /// All sort orders as one. The last one requested counts most.
    private var sortOrder: [BoundSortKey] {
        steps.reversed().flatMap { step -> [BoundSortKey] in
            if case .sort(let order) = step { order } else { [] }
        }
    }

    /// All conditions as one; nil when there are none.
    var conditions: BoundPredicate? {
        let conditions = steps.compactMap { step -> BoundPredicate? in
            if case .filter(let condition) = step { condition } else { nil }
        }
        return conditions.count > 1 ? .and(conditions) : conditions.first
    }
}

extension Array where Element: Hashable {
    /// Replaces everything between so many elements at the beginning and at the end.
    fileprivate mutating func replace(
        between prefix: Int, and suffix: Int, with middle: [Element]
    ) -> IndexChanges {
        let replaced = prefix..<(count - suffix)
        var changes = indexChanges(from: Array(self[replaced]), to: middle)
        replaceSubrange(replaced, with: middle)
        changes.deletions = changes.deletions.map { $0 + prefix }
        changes.insertions = changes.insertions.map { $0 + prefix }
        return changes
    }
}

extension _ClassAccess {
    /// The object that an element of a list leads to, if it is there.
    func existing(_ element: Value) -> ObjectKey? {
        guard case .object(let key) = element, table.exists(key) else { return nil }
        return key
    }
}
