import CausewayModel
import CausewayObjectStore

/// Finds out whether an object counts as modified, because it or an object it links to was modified.
final class ModificationSearch {
    /// The number of links that are followed for observers without key paths.
    private static let depthMax = 4

    private let record: ChangeRecord?
    private let observed: ObservedProperties?
    /// Objects whose linking objects changed, if the observed paths go through inverse relations.
    private let relinked: Set<ObjectKey>
    private var known: [ObjectKey: Bool] = [:]
    /// Classes with at least one modified object.
    private let modifiedClasses: Set<String>
    private var leadsToModified: [String: [Int]] = [:]

    init(_ record: ChangeRecord?, _ observed: ObservedProperties?, relinked: Set<ObjectKey> = []) {
        self.record = record
        self.observed = observed
        self.relinked = relinked
        modifiedClasses = Set(record.map { $0.classes.filter { !$0.value.modified.isEmpty }.keys.map { $0 } } ?? [])
    }

    // MARK: - From an object to what it links to

    func isModified(_ key: ObjectKey, _ access: _ClassAccess) -> Bool {
        guard record != nil else { return true }
        if relinked.contains(key) { return true }
        if modifiedClasses.isEmpty { return false }
        if let known = known[key] { return known }
        let result =
            observed.map { isModified(key, access, $0) } ?? isModified(key, access, depth: Self.depthMax)
        known[key] = result
        return result
    }

    private func isModified(_ key: ObjectKey, _ access: _ClassAccess, _ observed: ObservedProperties) -> Bool {
        if let columns = record?.classes[access.model.className]?.modified[key],
            observed.columns.keys.contains(where: columns.contains)
        {
            return true
        }
        for (column, beyond) in observed.columns where !beyond.isEmpty {
            guard let target = access.target(column) else { continue }
            for next in access.links(key, column) where isModified(next, target, beyond) { return true }
        }
        for inverse in observed.inverses.values where !inverse.beyond.isEmpty {
            for next in inverse.linkingObjects(to: key, of: access)
            where isModified(next, inverse.origin, inverse.beyond) {
                return true
            }
        }
        return false
    }

    private func isModified(_ key: ObjectKey, _ access: _ClassAccess, depth: Int) -> Bool {
        if record?.classes[access.model.className]?.modified[key] != nil { return true }
        guard depth > 0 else { return false }
        for column in linkColumns(access) {
            guard let target = access.target(column) else { continue }
            for next in access.links(key, column) where isModified(next, target, depth: depth - 1) { return true }
        }
        return false
    }

    // MARK: - From what was modified to the objects that link to it

    /// The objects of a class that count as modified; nil when any object may be.
    ///
    /// - Complexity: O(m + l) for m modified objects and l links that lead to them.
    func modifiedKeys(_ access: _ClassAccess) -> Set<ObjectKey>? {
        guard record != nil else { return nil }
        if modifiedClasses.isEmpty { return relinked }
        return observed.map { modifiedKeys(access, $0).union(relinked) } ?? modifiedKeys(access, depth: Self.depthMax)
    }

    private func modifiedKeys(_ access: _ClassAccess, _ observed: ObservedProperties) -> Set<ObjectKey> {
        var keys: Set<ObjectKey> = []
        for (key, columns) in record?.classes[access.model.className]?.modified ?? [:]
        where observed.columns.keys.contains(where: columns.contains) {
            keys.insert(key)
        }
        for (column, beyond) in observed.columns where !beyond.isEmpty {
            guard let target = access.target(column) else { continue }
            keys.formUnion(origins(of: modifiedKeys(target, beyond), target, from: access, column))
        }
        for inverse in observed.inverses.values where !inverse.beyond.isEmpty {
            for key in modifiedKeys(inverse.origin, inverse.beyond) {
                keys.formUnion(inverse.origin.links(key, inverse.column))
            }
        }
        return keys
    }

    private func modifiedKeys(_ access: _ClassAccess, depth: Int) -> Set<ObjectKey> {
        var keys = Set((record?.classes[access.model.className]?.modified ?? [:]).keys)
        guard depth > 0 else { return keys }
        for column in linkColumns(access) {
            guard let target = access.target(column) else { continue }
            keys.formUnion(origins(of: modifiedKeys(target, depth: depth - 1), target, from: access, column))
        }
        return keys
    }

    private func origins(
        of keys: Set<ObjectKey>, _ target: _ClassAccess, from access: _ClassAccess, _ column: Int
    ) -> [ObjectKey] {
        keys.flatMap { target.table.backlinks(to: $0, from: access.table, column) }
    }

    /// The link columns of a class from which a modified class can be reached.
    private func linkColumns(_ access: _ClassAccess) -> [Int] {
        if let known = leadsToModified[access.model.className] { return known }
        let columns = access.schema.properties.indices.filter { column in
            guard let target = access.schema.properties[column].target else { return false }
            return !modifiedClasses.isDisjoint(with: access.instance.classesReachable(from: target))
        }
        leadsToModified[access.model.className] = columns
        return columns
    }
}

extension RealmInstance {
    /// A class and all classes that can be reached from it over links.
    func classesReachable(from name: String) -> Set<String> {
        var found: Set<String> = []
        var waiting = [name]
        while let next = waiting.popLast() {
            guard found.insert(next).inserted, let schema = declared.schema[next] else { continue }
            waiting += schema.properties.compactMap(\.target)
        }
        return found
    }
}
