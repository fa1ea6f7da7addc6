import CausewayModel
import CausewayObjectStore
import CausewayQuery

/// The query behind a `Results`, and its content: an origin, conditions, sort orders. Evaluated on demand, and again
/// after a change.
///
/// Public only because collections are generic over it; it has no public members.
public final class _ResultsSource {
    enum Origin {
        /// All rows of the class.
        case table
        /// The elements of a list property.
        case list(owner: ObjectKey, of: _ClassAccess, column: Int)
        /// The rows whose link leads to the owner.
        case inverse(owner: ObjectKey, of: _ClassAccess, column: Int)
    }

    enum Step {
        case filter(BoundPredicate)
        case sort([BoundSortKey])
        case distinct([BoundPath])
        case sortValues(ascending: Bool)
        case distinctValues
        /// The first elements, up to this number.
        case limit(Int)
    }

    enum Content {
        case keys([ObjectKey])
        case values([Value])

        var count: Int {
            switch self {
            case .keys(let keys): keys.count
            case .values(let values): values.count
            }
        }
    }

    let instance: RealmInstance
    /// The class of the elements; nil when they are values. The instance above owns it.
    unowned(unsafe) let access: _ClassAccess?
    let origin: Origin
    let steps: [Step]
    /// The conditions as they were written, with stored names; nil when the query consists of more than conditions and
    /// orders.
    let writtenConditions: [CausewayQuery.Predicate]?

    // What is known of the content, as of `moment`, which was last confirmed at the instance's `contentVersion`.
    // Exclusivity is not checked at run time where each access to an element would pay for it: no access calls out.
    /// The whole content; nil until it is requested.
    @exclusivity(unchecked) var content: Content? {
        didSet { dropElements() }
    }
    /// The first keys, while nobody has requested more.
    private var leading: [ObjectKey]?
    /// Whether the first elements of a sort order were already found without the rest.
    private var hasBegunOrder = false
    private var counted: Int?
    var moment: Moment?
    @exclusivity(unchecked) var contentVersion: UInt = 0
    /// The content's objects, once one of them was asked for by its position; retained by this source.
    @exclusivity(unchecked) private var elements: Unmanaged<_ObjectLoop>?
    /// Increases with every change of `content`.
    var generation: UInt = 0
    /// How often the whole query ran, for tests.
    package private(set) var evaluationCount = 0
    private(set) lazy var dependencies = findDependencies()
    private(set) lazy var tables = findTables()
    private let frozenContent: FrozenContent?
    /// Whether the results can still be used follows from this.
    let beginning: Beginning

    struct Beginning {
        /// How often the Realm had been invalidated when the collection was made.
        var invalidations: Int
        /// The epoch of the owner's class when the owner was last known to exist; 0 without an owner.
        var ownerEpoch: UInt
    }

    /// - Parameter beginning: of the list that it shows, which was made before it; nil to begin now.
    init(
        _ origin: Origin, of access: _ClassAccess?, in instance: RealmInstance, steps: [Step] = [],
        writtenConditions: [CausewayQuery.Predicate]? = [], since beginning: Beginning? = nil
    ) {
        self.origin = origin
        self.access = access
        self.instance = instance
        self.steps = steps
        self.writtenConditions = writtenConditions
        frozenContent = instance.isFrozen ? FrozenContent() : nil
        let ownerEpoch =
            switch origin {
            case .table: 0 as UInt
            case .list(_, let owner, _), .inverse(_, let owner, _): owner.header.pointee.epoch
            }
        self.beginning = beginning ?? Beginning(invalidations: instance.invalidations, ownerEpoch: ownerEpoch)
    }

    deinit {
        elements?.release()
    }

    convenience init(_ origin: Origin, of access: _ClassAccess) {
        self.init(origin, of: access, in: access.instance)
    }

    // MARK: - Whether it can be used

    var isInvalidated: Bool {
        if beginning.invalidations != instance.invalidations { return true }
        switch origin {
        case .table: return false
        case .list(let owner, let access, _), .inverse(let owner, let access, _):
            return !access.stillExists(owner, seenAt: beginning.ownerEpoch)
        }
    }

    func check() {
        instance.checkThread()
        guard beginning.invalidations == instance.invalidations else { misuse("Access to invalidated Results objects") }
    }

    /// A question to all objects of a class, which its Realm may remember. Nil for any other one, and for frozen results,
    /// which several threads may ask at once.
    func question(_ format: String, _ arguments: [Any?], showing element: Any.Type) -> RecentQueries.Question? {
        guard isWholeTable, let access, !instance.isFrozen, beginning.invalidations == instance.invalidations else {
            return nil
        }
        return RecentQueries.Question(format, arguments, of: access, showing: element)
    }

    // MARK: - Content

    private var isWholeTable: Bool {
        if case .table = origin { steps.isEmpty } else { false }
    }

    /// What the results show now.
    var current: Content {
        check()
        return frozenContent?.content ?? reading { whole() }
    }

    /// Runs a body that changes cached state. Several threads may read frozen results, so there one body runs at a
    /// time.
    private func reading<Result>(_ body: () -> Result) -> Result {
        guard let frozenContent else { return body() }
        return frozenContent.searching {
            let result = body()
            if let content { frozenContent.publish(content) }
            return result
        }
    }

    private func whole() -> Content {
        if contentVersion == instance.contentVersion, let content { return content }
        bringUpToDate()
        return content ?? .keys([])
    }

    func evaluateContent() {
        letGoOfPages()
        content = evaluate()
        evaluationCount += 1
        leading = nil
        counted = nil
        moment = now
        generation &+= 1
    }

    /// Called before a query: lets the transaction drop decrypted pages of an encrypted file if it holds too many.
    private func letGoOfPages() {
        if !instance.isFrozen { instance.transaction.letGoOfPages() }
    }

    /// Drops everything cached besides the whole content.
    func forgetPartial() {
        leading = nil
        counted = nil
    }

    var count: Int {
        check()
        return frozenContent?.content?.count ?? reading { countOfAll() }
    }

    private func countOfAll() -> Int {
        if isWholeTable, let access { return access.table.count }
        bringUpToDate(evaluating: false)
        if let content { return content.count }
        if let counted { return counted }
        guard case .table = origin, let access, !isThinned else { return current.count }
        // An order changes no number. What is counted without it is looked for again when elements are read, so the
        // condition must be one that costs little.
        guard let condition = conditions else { return access.table.count }
        guard isAscending || condition.readsColumnsAlone && access.table.count > Self.leadingMax else {
            return current.count
        }
        letGoOfPages()
        let count = attempt { () throws(StoreError) in
            try instance.transaction.count(access.model.className, matching: condition)
        }
        counted = count
        evaluationCount += 1
        moment = now
        return count
    }

    /// The object at a position, if the content is known and the accessor of the last element may move to it; else nil.
    /// Releases nothing.
    @usableFromInline
    @inline(never)
    @_effects(releasenone)
    func _movedElement(_ position: Int) -> ObjectBase? {
        guard let elements, contentVersion == instance.contentVersion, beginning.invalidations == instance.invalidations
        else {
            return nil
        }
        instance.checkThread()
        return elements._withUnsafeGuaranteedRef { $0.moved(to: position) }?.takeUnretainedValue()
    }

    /// Lends the accessor of an element of the content: this source keeps it until another one is asked for. Frozen
    /// results, which several threads share, lend nothing.
    func lend(_ element: ObjectBase) {
        guard let access, !instance.isFrozen, case .keys(let keys)? = content else { return }
        // Held while it lends: the `deinit` of the object lent before may change the content.
        let loop = elements?.takeUnretainedValue() ?? _ObjectLoop(keys, access, isShared: true)
        if elements == nil { elements = .passRetained(loop) }
        loop.lend(element)
    }

    private func dropElements() {
        let dropped = elements
        elements = nil
        dropped?.release()
    }

    /// The first elements: at least `limit`, unless there are fewer. Avoids looking for all of them where it can.
    func leading(_ limit: Int) -> Content {
        check()
        return frozenContent?.content ?? reading { first(limit) }
    }

    private func first(_ limit: Int) -> Content {
        if contentVersion == instance.contentVersion, let content { return content }
        bringUpToDate(evaluating: false)
        if let content { return content }
        if let leading, leading.count >= limit { return .keys(leading) }
        guard limit <= Self.leadingMax, !isThinned, let access else { return current }
        if !isAscending { return hasBegunOrder ? current : firstOfOrder(limit, access) }
        // More than requested, because a caller that reads the first element often continues with the next.
        let found = firstKeys(max(limit * 2, 16), access)
        if found.areAll {
            content = .keys(found.keys)
            generation &+= 1
        } else {
            leading = found.keys
        }
        moment = now
        return .keys(found.keys)
    }

    /// The first elements of a sorted class, without sorting the others. Done only once: for more elements, or for the
    /// same ones after a change, evaluating everything is better.
    private func firstOfOrder(_ limit: Int, _ access: _ClassAccess) -> Content {
        guard case .table = origin, let order = sortOrderOfAll, access.table.count > Self.leadingMax else {
            return current
        }
        hasBegunOrder = true
        let wanted = max(limit * 2, 64)
        if let found = leadingKeys(wanted, conditions, order, access) {
            leading = found
            moment = now
            return .keys(found)
        }
        let keys = matchingKeys(conditions, access)
        let found = instance.transaction.sortedPrefix(wanted, of: keys, access.model.className, by: order)
        if found.count == keys.count {
            content = .keys(found)
            generation &+= 1
        } else {
            leading = found
        }
        moment = now
        return .keys(found)
    }

    /// The first keys of an order without those that lie behind them; nil where all must be looked at.
    private func leadingKeys(
        _ limit: Int, _ condition: BoundPredicate?, _ order: [BoundSortKey], _ access: _ClassAccess
    ) -> [ObjectKey]? {
        attempt { () throws(StoreError) in
            try instance.transaction.leading(limit, access.model.className, matching: condition, by: order)
        }
    }

    /// The sort keys, if sorting is the last step and all steps before it are conditions.
    private var sortOrderOfAll: [BoundSortKey]? {
        guard case .sort(let order) = steps.last else { return nil }
        let areFilters = steps.dropLast().allSatisfy { if case .filter = $0 { true } else { false } }
        return areFilters ? order : nil
    }

    private func matchingKeys(_ condition: BoundPredicate?, _ access: _ClassAccess) -> [ObjectKey] {
        guard let condition else { return access.table.allKeys }
        return attempt { () throws(StoreError) in
            try instance.transaction.keys(access.model.className, matching: condition)
        }
    }

    /// A request for more elements than this evaluates everything.
    private static let leadingMax = 1024

    /// The first keys of the table, or of its rows that meet the conditions.
    private func firstKeys(_ limit: Int, _ access: _ClassAccess) -> (keys: [ObjectKey], areAll: Bool) {
        if let condition = conditions {
            let keys = attempt { () throws(StoreError) in
                try instance.transaction.firstKeys(access.model.className, matching: condition, limit: limit)
            }
            return (keys, keys.count < limit)
        }
        var keys: [ObjectKey] = []
        access.table.forEachKey { key in
            keys.append(key)
            return keys.count < limit
        }
        return (keys, keys.count < limit)
    }

    /// Whether a step drops elements depending on those before them.
    private var isThinned: Bool {
        steps.contains { step in
            switch step {
            case .distinct, .limit: true
            case .filter, .sort, .sortValues, .distinctValues: false
            }
        }
    }

    var keys: [ObjectKey] {
        if case .keys(let keys) = current { keys } else { [] }
    }

    var values: [Value] {
        if case .values(let values) = current { values } else { [] }
    }

    private func attempt<R>(_ body: () throws(StoreError) -> R) -> R {
        do {
            return try body()
        } catch {
            unreadable(error, fileURL: instance.configuration.fileURL)
        }
    }

    /// An aggregate over a column of the elements, which are objects. If conditions over the whole class define the
    /// elements and these were not found before, it runs without finding them one by one. Nil when the type of the
    /// property has no such aggregate.
    func columnAggregate(_ aggregate: Aggregate, of path: BoundPath) -> Value? {
        guard let access else { return nil }
        check()
        return reading {
            let rows = aggregatedRows()
            return attempt { () throws(StoreError) in
                try instance.transaction.aggregate(aggregate, of: path, access.model.className, over: rows)
            }
        }
    }

    private func aggregatedRows() -> AggregatedRows {
        if isWholeTable { return .all }
        bringUpToDate(evaluating: false)
        if content == nil, case .table = origin, !isThinned, let condition = conditions {
            return .matching(condition)
        }
        if case .keys(let keys) = whole() { return .keys(keys) }
        return .keys([])
    }

    private func evaluate() -> Content {
        let transaction = instance.transaction
        guard let access else { return .values(evaluateValues()) }
        let name = access.model.className
        var remaining = steps[...]
        var keys: [ObjectKey]
        switch origin {
        case .table:
            var conditions: [BoundPredicate] = []
            while case .filter(let condition) = remaining.first {
                conditions.append(condition)
                remaining.removeFirst()
            }
            let condition: BoundPredicate? = conditions.count > 1 ? .and(conditions) : conditions.first
            if case .distinct(let paths) = remaining.first {
                remaining.removeFirst()
                keys = attempt { () throws(StoreError) in
                    try transaction.distinct(name, matching: condition, by: paths)
                }
            } else if case .sort(let order) = remaining.first, case .limit(let count) = remaining.dropFirst().first,
                let leading = leadingKeys(count, condition, order, access)
            {
                keys = leading
                remaining.removeFirst(2)
            } else {
                keys = matchingKeys(condition, access)
            }
        case .list(let owner, let ownerAccess, let column):
            guard ownerAccess.stillExists(owner, seenAt: beginning.ownerEpoch) else { return .keys([]) }
            keys = ownerAccess.table.listValues(owner, column).compactMap { access.existing($0) }
        case .inverse(let owner, let ownerAccess, let column):
            guard ownerAccess.stillExists(owner, seenAt: beginning.ownerEpoch) else { return .keys([]) }
            keys = ownerAccess.linkingObjects(to: owner, from: access, column)
        }
        while let step = remaining.popFirst() {
            switch step {
            case .filter(let condition): keys = keys.filter { transaction.matches($0, name, condition) }
            case .sort(let order):
                // If a limit follows the sort, only the first elements are needed.
                if case .limit(let count)? = remaining.first, count > 0, count < keys.count {
                    keys = transaction.sortedPrefix(count, of: keys, name, by: order)
                } else {
                    keys = transaction.sorted(keys, name, by: order)
                }
            case .distinct(let paths): keys = transaction.distinct(keys, name, by: paths)
            case .limit(let count): keys = Array(keys.prefix(count))
            case .sortValues, .distinctValues: break
            }
        }
        return .keys(keys)
    }

    private func evaluateValues() -> [Value] {
        guard case .list(let owner, let ownerAccess, let column) = origin,
            ownerAccess.stillExists(owner, seenAt: beginning.ownerEpoch)
        else { return [] }
        var values = ownerAccess.table.listValues(owner, column)
        for step in steps {
            switch step {
            case .sortValues(let ascending):
                values = values.sortedStably { ascending ? $0.precedes($1) : $1.precedes($0) }
            case .distinctValues:
                var seen: Set<SetElement> = []
                values = values.filter { $0.isNaN || seen.insert(SetElement($0)).inserted }
            case .filter, .sort, .distinct, .limit: break
            }
        }
        return values
    }

    // MARK: - Deriving

    private func adding(_ step: Step, writing condition: CausewayQuery.Predicate? = nil) -> _ResultsSource {
        var steps = steps
        var written: [CausewayQuery.Predicate]?
        if case .filter = step {
            // A condition goes before every sort, so that fewer elements are sorted.
            let place =
                steps.firstIndex { step in
                    if case .filter = step { false } else { true }
                } ?? steps.count
            steps.insert(step, at: isThinned ? steps.count : place)
            if let condition, let all = writtenConditions { written = all + [condition] }
        } else {
            steps.append(step)
            if case .sort = step { written = writtenConditions }
        }
        return _ResultsSource(origin, of: access, in: instance, steps: steps, writtenConditions: written)
    }

    func filtered(by predicate: CausewayQuery.Predicate) -> _ResultsSource {
        guard let access else {
            misuse("Querying is currently only implemented for arrays of Realm Objects")
        }
        let stored =
            instance.declared.renamesProperties ? predicate.withStoredNames(access.model) : predicate
        do {
            return adding(
                .filter(try instance.transaction.bound(stored, to: access.model.className)), writing: stored)
        } catch {
            misuse("\(error)")
        }
    }

    /// The property whose elements these are, with the name of its class; nil for rows of a class.
    var valueProperty: (className: String, property: StoredProperty)? {
        guard case .list(_, let owner, let column) = origin else { return nil }
        return (owner.model.className, owner.schema.properties[column])
    }

    /// The type of the values, as RealmSwift's messages call it.
    private var valueWord: String { valueProperty?.property.type.word ?? "object" }

    func sorted(by descriptors: [SortDescriptor]) -> _ResultsSource {
        guard let access else {
            guard descriptors.count == 1 else {
                misuse("Cannot sort array of '\(valueWord)' on more than one key path")
            }
            guard descriptors[0].keyPath == "self" else {
                misuse(
                    "Cannot sort on key path '\(descriptors[0].keyPath)': arrays of '\(valueWord)' can only be sorted on 'self'"
                )
            }
            return adding(.sortValues(ascending: descriptors[0].ascending))
        }
        return descriptors.isEmpty
            ? self : adding(.sort(descriptors.map { access.sortKey($0.keyPath, ascending: $0.ascending) }))
    }

    func distinct(by keyPaths: [String]) -> _ResultsSource {
        guard let access else { return adding(.distinctValues) }
        return keyPaths.isEmpty ? self : adding(.distinct(keyPaths.map { access.columnPath($0) }))
    }

    /// The first elements, at most `count`.
    func limited(to count: Int) -> _ResultsSource { adding(.limit(count)) }

    /// The same results seen by another Realm instance of the file.
    func moved(to other: RealmInstance) -> _ResultsSource {
        let origin: Origin =
            switch origin {
            case .table: .table
            case .list(let owner, let access, let column):
                .list(owner: owner, of: other.counterpart(of: access), column: column)
            case .inverse(let owner, let access, let column):
                .inverse(owner: owner, of: other.counterpart(of: access), column: column)
            }
        return _ResultsSource(
            origin, of: access.map { other.counterpart(of: $0) }, in: other, steps: steps,
            writtenConditions: writtenConditions)
    }

    // MARK: - Deleting

    func deleteAll() {
        guard let access else { return }
        access.table.deleteCascading(keys, leavingGhosts: instance.leavesGhosts)
        instance.rowsDeleted()
    }
}
