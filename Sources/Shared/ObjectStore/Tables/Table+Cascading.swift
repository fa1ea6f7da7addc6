package import CausewayModel

// Objects that are deleted together with an object because a property says so. All of them are found before any is
// taken apart. A work list replaces recursion: a chain may be as long as memory.

extension Table {
    /// Whether deleting an object of this class may delete what it links to.
    package var hasDeleteRules: Bool { !cascadingColumns.isEmpty }

    /// Deletes objects, the embedded objects they own, and whatever their delete rules say.
    ///
    /// For deletions by an app. An object that leaves a view, or that the server deletes, deletes nothing else.
    ///
    /// - Complexity: As ``delete(_:leavingGhosts:)`` for all deleted objects, plus their links with a rule.
    package func deleteCascading(_ keys: [ObjectKey], leavingGhosts: Bool = false) {
        if cascadingColumns.isEmpty { return delete(keys, leavingGhosts: leavingGhosts) }
        if leavingGhosts { transaction.settle() }
        transaction.beforeSettling {
            var cascade = Cascade()
            cascade.end(keys, of: self)
            cascade.run()
        }
        transaction.settleEnded(leavingGhosts: leavingGhosts)
    }
}

/// Deletes objects, and whatever goes with them by their delete rules.
private struct Cascade {
    /// Deleted objects whose links were not followed yet.
    private var open: [(table: Table, keys: [ObjectKey])] = []
    /// Objects that may have lost their last owner.
    private var candidates: [String: (table: Table, keys: Set<ObjectKey>)] = [:]

    mutating func end(_ keys: [ObjectKey], of table: Table) {
        var ended: [ObjectKey] = []
        for key in keys where table.exists(key) {
            table.end(key)
            ended.append(key)
        }
        if !ended.isEmpty, !table.cascadingColumns.isEmpty { open.append((table, ended)) }
    }

    mutating func run() {
        while true {
            while let (table, keys) = open.popLast() {
                for column in table.cascadingColumns { follow(column, of: table, keys) }
            }
            if candidates.isEmpty { return }
            // The objects deleted now may have been the last owners of others, which come again as candidates.
            let round = candidates
            candidates = [:]
            for (table, keys) in round.values {
                end(keys.filter { table.exists($0) && !table.hasOwner($0) }, of: table)
            }
        }
    }

    private mutating func follow(_ column: Int, of table: Table, _ keys: [ObjectKey]) {
        let property = table.schema.properties[column]
        let target = table.target(column)
        var found: [ObjectKey] = []
        for key in keys {
            let values = property.collection == .none ? [table.value(key, column)] : table.listValues(key, column)
            for case .object(let other) in values where target.exists(other) { found.append(other) }
        }
        if property.deletionRule == .cascade {
            end(found, of: target)
        } else if !found.isEmpty {
            candidates[target.name, default: (target, [])].keys.formUnion(found)
        }
    }
}

extension Table {
    /// Whether an object remains that links to this one through a property with a delete rule.
    fileprivate func hasOwner(_ key: ObjectKey) -> Bool {
        for origin in originColumns where origin.table.schema.properties[origin.column].deletionRule != .none {
            var isFound = false
            forEachOrigin(of: key, in: origin.table, origin.column) { owner in
                // One that links to itself does not keep itself alive.
                let isItself = origin.table === self && owner == key
                if !isFound, !isItself, origin.table.exists(owner) { isFound = true }
            }
            if isFound { return true }
        }
        return false
    }
}
