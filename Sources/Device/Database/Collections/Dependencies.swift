import CausewayModel
import CausewayObjectStore
import CausewayQuery

/// What a query result depends on, besides which rows its class has. If none of it changed, the result did not change.
struct Dependencies {
    struct OfClass {
        /// Whether inserted and deleted rows matter: a link to a deleted row reads as nil.
        var rows = false
        var columns = ColumnSet()
    }

    /// Columns of the result's own class that are read to evaluate their own row.
    private(set) var own = ColumnSet()
    /// What is read outside of the row itself. Contains the result's own class when a path leads back to it.
    private(set) var foreign: [String: OfClass] = [:]
    /// Whether a condition follows links from any class, so that every change may matter.
    private var isOnEverything = false

    mutating func add(_ predicate: BoundPredicate) {
        add(predicate, ofElements: false)
    }

    /// - Parameter ofElements: the predicate is about elements of a collection in the row, not about the row itself.
    private mutating func add(_ predicate: BoundPredicate, ofElements: Bool) {
        switch predicate {
        case .constant: break
        case .and(let parts), .or(let parts): for part in parts { add(part, ofElements: ofElements) }
        case .not(let part): add(part, ofElements: ofElements)
        case .comparison(let comparison):
            add(comparison.path, ofElements: ofElements)
            if case .path(let path) = comparison.operand { add(path, ofElements: ofElements) }
        case .computed(let computation): for path in computation.paths { add(path, ofElements: ofElements) }
        case .pairs(let pairs): for path in pairs.paths { add(path, ofElements: ofElements) }
        case .type(let test): for path in test.paths { add(path, ofElements: ofElements) }
        case .geoWithin(let within):
            add(within.path, ofElements: ofElements)
            foreign[within.target, default: OfClass()].columns.insert(within.typeProperty)
            foreign[within.target, default: OfClass()].columns.insert(within.coordinatesProperty)
        case .subquery(let subquery):
            add(.comparison(subquery.count), ofElements: ofElements)
            add(subquery.condition, ofElements: true)
        }
    }

    mutating func add(_ path: BoundPath) {
        add(path, ofElements: false)
    }

    private mutating func add(_ path: BoundPath, ofElements: Bool) {
        for (position, step) in path.steps.enumerated() {
            switch step.direction {
            case .backwardFromAnywhere:
                isOnEverything = true
                continue
            case .backward:
                let origin = step.target ?? ""
                foreign[origin, default: OfClass()].columns.insert(step.property)
                foreign[origin, default: OfClass()].rows = true
                continue
            case .forward: break
            }
            if position == 0, !ofElements {
                own.insert(step.schemaIndex)
            } else {
                foreign[step.className, default: OfClass()].columns.insert(step.schemaIndex)
            }
            if let target = step.target { foreign[target, default: OfClass()].rows = true }
            guard !step.nested.isEmpty else { continue }
            for kind in NestedCollection.allCases {
                foreign[kind.className, default: OfClass()].columns.insert(NestedCollection.column)
            }
        }
    }

    mutating func addOwn(_ column: Int) {
        own.insert(column)
    }

    mutating func addRows(of className: String) {
        foreign[className, default: OfClass()].rows = true
    }

    // MARK: - Against a record

    func isForeignTouched(_ record: ChangeRecord) -> Bool {
        if isOnEverything, !record.classes.isEmpty { return true }
        return foreign.contains { name, dependency in
            guard let changes = record.classes[name] else { return false }
            if dependency.rows, !(changes.inserted.isEmpty && changes.deleted.isEmpty) { return true }
            return changes.modified.values.contains { !$0.isDisjoint(with: dependency.columns) }
        }
    }

    /// The rows of the result's own class that must be evaluated again, in no order.
    func touched(_ changes: ClassChanges) -> [ObjectKey] {
        var keys = changes.inserted + changes.deleted.map(\.key)
        if !own.isEmpty {
            for (key, columns) in changes.modified where !columns.isDisjoint(with: own) { keys.append(key) }
        }
        return keys
    }
}
