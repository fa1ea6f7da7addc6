import CausewayModel
import CausewayObjectStore

/// Who linked to observed objects when their observer last looked, where its key paths go through inverse relations.
///
/// A commit's record names the objects whose links changed, and not those that the links led to before. So an observer that
/// cares remembers the linking objects, and compares. Others remember nothing.
struct LinkingMemory {
    private let observed: ObservedProperties?
    private let classes: Set<String>
    /// By observed object: those that link to it, and to what the paths lead to before an inverse relation.
    private var known: [ObjectKey: [[ObjectKey]]] = [:]

    init(_ observed: ObservedProperties?) {
        self.observed = observed?.hasInverses == true ? observed : nil
        classes = self.observed?.classes ?? []
    }

    /// Looks at who links to some objects now, and forgets all others.
    ///
    /// - Parameter record: What changed since the last look; nil when that is not known.
    /// - Returns: Those of the objects that were known before, and to which others link now.
    /// - Complexity: O(objects, and links to them) after a commit that changed a class on the way.
    @discardableResult
    mutating func look(at keys: [ObjectKey], _ access: _ClassAccess, since record: ChangeRecord?) -> Set<ObjectKey> {
        guard let observed else { return [] }
        let isTouched = record.map { !classes.isDisjoint(with: $0.classes.keys) } ?? true
        let before = known
        known.removeAll(keepingCapacity: true)
        var relinked: Set<ObjectKey> = []
        for key in keys {
            let old = before[key]
            if let old, !isTouched {
                known[key] = old
                continue
            }
            var new: [[ObjectKey]] = []
            observed.addLinkingObjects(to: key, access, &new)
            known[key] = new
            if let old, old != new { relinked.insert(key) }
        }
        return relinked
    }
}

extension ObservedProperties {
    /// One entry for each inverse relation that a path meets on the way from an object, always in the same order.
    fileprivate func addLinkingObjects(to key: ObjectKey, _ access: _ClassAccess, _ found: inout [[ObjectKey]]) {
        for (column, beyond) in columns.sorted(by: { $0.key < $1.key }) where beyond.hasInverses {
            guard let target = access.target(column) else { continue }
            for next in access.links(key, column) { beyond.addLinkingObjects(to: next, target, &found) }
        }
        for (_, inverse) in inverses.sorted(by: { $0.key < $1.key }) {
            let linking = inverse.linkingObjects(to: key, of: access)
            found.append(linking)
            guard inverse.beyond.hasInverses else { continue }
            for next in linking { inverse.beyond.addLinkingObjects(to: next, inverse.origin, &found) }
        }
    }
}
