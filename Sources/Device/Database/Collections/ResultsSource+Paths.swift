import CausewayModel
import CausewayObjectStore
import CausewayQuery

// Public names and stored names, and values at the end of paths.

extension CausewayQuery.Predicate {
    /// The predicate with stored names instead of public names.
    func withStoredNames(_ model: ObjectModel) -> CausewayQuery.Predicate {
        switch self {
        case .constant: return self
        case .and(let parts): return .and(parts.map { $0.withStoredNames(model) })
        case .or(let parts): return .or(parts.map { $0.withStoredNames(model) })
        case .not(let part): return .not(part.withStoredNames(model))
        case .comparison(var comparison):
            comparison.left = comparison.left.withStoredNames(model)
            comparison.right = comparison.right.withStoredNames(model)
            return .comparison(comparison)
        case .geoWithin(var within):
            within.path.names = model.storedNames(within.path.names)
            return .geoWithin(within)
        }
    }
}

extension CausewayQuery.Expression {
    fileprivate func withStoredNames(_ model: ObjectModel) -> CausewayQuery.Expression {
        switch self {
        case .value, .values, .quantified, .claim: return self
        case .arithmetic(let arithmetic):
            return .arithmetic(
                arithmetic.mappingPaths { path in
                    var path = path
                    path.names = model.storedNames(path.names)
                    return path
                })
        case .typeOf(var path):
            path.names = model.storedNames(path.names)
            return .typeOf(path)
        case .path(var path):
            path.names = model.storedNames(path.names)
            return .path(path)
        case .subquery(var subquery):
            // A collection that no class declares stays as it is, for the binder to refuse.
            if let element = model.model(at: subquery.collection.names) {
                subquery.condition = subquery.condition.withStoredNames(element)
            }
            subquery.collection.names = model.storedNames(subquery.collection.names)
            return .subquery(subquery)
        }
    }
}

extension ObjectModel {
    /// A path of public names as stored names. A name no class declares stays as it is, for the binder to refuse.
    func storedNames(_ names: [String]) -> [String] {
        var model: ObjectModel? = self
        return names.map { name in
            guard let here = model else { return name }
            model = here.target(of: name)
            if let inverse = here.inverse(named: name) {
                let origin = ObjectModel.of(inverse.origin)
                return PropertyPath.inverse(
                    origin.className, origin.property(named: inverse.property)?.storedName ?? inverse.property)
            }
            return here.property(named: name)?.storedName ?? name
        }
    }

    func inverse(named name: String) -> Inverse? {
        inverses.first { $0.name == name }
    }

    /// Whether a property or an inverse relation has this name.
    func declares(_ name: String) -> Bool { property(named: name) != nil || inverse(named: name) != nil }

    /// The class that a property or an inverse relation leads to.
    func target(of name: String) -> ObjectModel? {
        (property(named: name)?.shape.target ?? inverse(named: name)?.origin).map(ObjectModel.of)
    }

    /// The class at the end of a path of public names.
    func model(at names: some Sequence<String>) -> ObjectModel? {
        var model: ObjectModel? = self
        for name in names { model = model?.target(of: name) }
        return model
    }
}

extension _ClassAccess {
    func sortKey(_ keyPath: String, ascending: Bool) -> BoundSortKey {
        var key = SortKey(keyPath: keyPath, ascending: ascending)
        key.path.names = model.storedNames(key.path.names)
        do {
            return try instance.transaction.bound(key, to: model.className)
        } catch {
            misuse("\(error)")
        }
    }

    /// A path for what reads whole columns, which one value of a map or list is not.
    func columnPath(_ keyPath: String) -> BoundPath {
        let path = sortKey(keyPath, ascending: true).path
        guard path.steps.allSatisfy(\.isColumn) else {
            misuse("Key path '\(keyPath)' names one value of a collection: only a sort order takes it")
        }
        return path
    }

    /// The value at the end of a path of to-one links; null where a link on the way is empty.
    func value(_ key: ObjectKey, at path: BoundPath) -> Value {
        var access = self
        var key = key
        for (position, step) in path.steps.enumerated() {
            let value = access.value(key, step.property)
            if position == path.steps.count - 1 { return value }
            guard case .object(let next) = value, let target = access.target(step.property),
                target.exists(next)
            else { return .null }
            access = target
            key = next
        }
        return .null
    }
}

extension DeclaredSchema {
    /// Whether a name in queries may differ from that in the file: that of a property stored under another name, or of
    /// an inverse relation, which is not stored.
    var renamesProperties: Bool {
        models.values.contains { !$0.inverses.isEmpty || $0.properties.contains { $0.name != $0.storedName } }
    }
}

extension Value {
    /// The order of values of one type: null first, then NaN, as when objects are sorted.
    func precedes(_ other: Value) -> Bool {
        switch (self, other) {
        case (.null, .null): false
        case (.null, _): true
        case (_, .null): false
        case (.bool(let left), .bool(let right)): !left && right
        case (.int(let left), .int(let right)): left < right
        case (.float(let left), .float(let right)): left < right || left.isNaN && !right.isNaN
        case (.double(let left), .double(let right)): left < right || left.isNaN && !right.isNaN
        case (.string(let left), .string(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.bytes(let left), .bytes(let right)): left.lexicographicallyPrecedes(right)
        case (.timestamp(let left), .timestamp(let right)): left < right
        case (.objectId(let left), .objectId(let right)): left < right
        case (.uuid(let left), .uuid(let right)): left < right
        case (.decimal(let left), .decimal(let right)): left.orderedBits < right.orderedBits
        default: ValueOrder.precedes(self, other)
        }
    }
}

extension Array {
    /// Sorts and keeps the order of equal elements.
    func sortedStably(_ precedes: (Element, Element) -> Bool) -> [Element] {
        enumerated().sorted { left, right in
            if precedes(left.element, right.element) { return true }
            if precedes(right.element, left.element) { return false }
            return left.offset < right.offset
        }.map(\.element)
    }
}
