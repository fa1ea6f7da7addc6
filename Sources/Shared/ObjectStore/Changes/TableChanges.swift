import CausewayMerge
import CausewayModel

/// Collects what a write does to one class. Each change costs an append or a dictionary entry.
struct TableChanges {
    private var inserted: [ObjectKey] = []
    /// Members of `inserted` that were deleted again.
    private var dropped: Set<ObjectKey> = []
    /// Members of `inserted` that are older than this write: ghosts that came to life.
    private var revived: Set<ObjectKey> = []
    private var deleted: [ClassChanges.Deletion] = []
    private var modified: [ObjectKey: ColumnSet] = [:]
    /// Lists that note their edits themselves.
    private var editedLists: [ObjectKey: [OpenList]] = [:]
    private var editedTexts: [ChangedList: TextEdits] = [:]
    /// Texts that were set as strings: their edits alone do not lead to what they are now.
    private var setTexts: Set<ChangedList> = []
    /// The first key that was given out in this write.
    let firstNewKey: Int64
    /// What was added to counters, by object and column.
    private var additions: [ObjectKey: [Int: CounterAddition]] = [:]
    private var hasGhosts = false
    /// How often anything that shows in queries was changed.
    private(set) var editCount = 0

    init(firstNewKey: Int64 = 0) {
        self.firstNewKey = firstNewKey
    }

    var isEmpty: Bool {
        inserted.isEmpty && deleted.isEmpty && modified.isEmpty && !hasGhosts
    }

    func isInserted(_ key: ObjectKey) -> Bool {
        key.rawValue >= firstNewKey || (!revived.isEmpty && revived.contains(key))
    }

    mutating func insert(_ key: ObjectKey) {
        editCount &+= 1
        if !dropped.isEmpty, dropped.remove(key) != nil { return }
        inserted.append(key)
        if key.rawValue < firstNewKey { revived.insert(key) }
    }

    /// Keys that were just given out.
    mutating func insert(_ keys: Range<Int64>) {
        editCount &+= 1
        inserted.reserveCapacity(inserted.count + keys.count)
        for key in keys { inserted.append(ObjectKey(key)) }
    }

    /// Notes that new objects, which others may already have read, got their values.
    mutating func noteFilled() {
        editCount &+= 1
    }

    mutating func delete(_ key: ObjectKey, _ primaryKey: PrimaryKey?) {
        editCount &+= 1
        if isInserted(key) {
            dropped.insert(key)
        } else {
            deleted.append(.init(key: key, primaryKey: primaryKey))
        }
        if !modified.isEmpty { modified[key] = nil }
        if !editedLists.isEmpty { editedLists[key] = nil }
        if !additions.isEmpty { additions[key] = nil }
    }

    mutating func modify(_ key: ObjectKey, _ column: Int) {
        editCount &+= 1
        if isInserted(key) { return }
        modified[key, default: ColumnSet()].insert(column)
    }

    /// Notes an addition to a counter that held `value` before. Other changes to the counter are noted separately.
    mutating func add(_ amount: Int64, to key: ObjectKey, _ column: Int, holding value: Int64) {
        additions[key, default: [:]][column, default: CounterAddition(first: value)].amount &+= amount
    }

    /// Notes that a list is about to change. With `isNoted` the list notes its own edits, unless its object is new.
    mutating func edit(_ list: OpenList, isNoted: Bool) {
        if isInserted(list.key) { return }
        if list.column < 0 {
            // The keys of a map. The values of the map note every edit at the same place.
            modify(list.key, Table.property(of: list.column))
            return
        }
        modify(list.key, list.column)
        if isNoted { noteEdits(of: list) }
    }

    mutating func noteEdits(of list: OpenList) {
        list.isNoted = true
        editedLists[list.key, default: []].append(list)
    }

    /// Notes an edit of a text. The text already counts as modified.
    ///
    /// - Parameter removed: what it removes.
    mutating func edit(_ key: ObjectKey, _ column: Int, _ edit: TextEdit, removing removed: String) {
        let place = ChangedList(key: key, column: column)
        if isInserted(key) || setTexts.contains(place) { return }
        editedTexts[place, default: TextEdits()].append(edit, removing: removed)
    }

    /// Notes that a text was set as a string.
    mutating func setText(_ key: ObjectKey, _ column: Int) {
        if isInserted(key) { return }
        let place = ChangedList(key: key, column: column)
        setTexts.insert(place)
        editedTexts[place] = nil
    }

    /// Notes that all texts that changed were set as strings.
    mutating func noteSetTexts(_ isText: (Int) -> Bool) {
        for (key, columns) in modified {
            for column in columns.columns where isText(column) { setText(key, column) }
        }
    }

    mutating func noteGhost() {
        hasGhosts = true
    }

    /// Whether objects were made and deleted again: the record does not name them.
    var hasDropped: Bool { !dropped.isEmpty }

    /// Ascending, each once.
    var touchedKeys: [ObjectKey] {
        Set(inserted).union(deleted.lazy.map(\.key)).union(modified.keys).sorted()
    }

    var record: ClassChanges {
        var result = ClassChanges()
        result.inserted = dropped.isEmpty ? inserted : inserted.filter { !dropped.contains($0) }
        if !zip(result.inserted, result.inserted.dropFirst()).allSatisfy({ $0 < $1 }) { result.inserted.sort() }
        result.deleted = deleted
        if !zip(deleted, deleted.dropFirst()).allSatisfy({ $0.key < $1.key }) {
            result.deleted.sort { $0.key < $1.key }
        }
        result.modified = modified
        for (key, columns) in additions {
            for (column, addition) in columns { result.additions[ChangedList(key: key, column: column)] = addition }
        }
        for list in editedLists.values.joined() where !list.edits.isEmpty {
            result.listEdits[ChangedList(key: list.key, column: list.column)] = list.edits
        }
        result.textEdits = editedTexts
        return result
    }
}
