import CausewayModel
import CausewayObjectStore

/// The linking objects of observed objects at the observer's last look, for key paths with inverse relations.
///
/// The change record of a commit names the objects whose links changed, but not the old targets of the links. So an
/// observer with such key paths stores the linking objects and compares them. Other observers store nothing.
struct LinkingMemory {
    private let observed: ObservedProperties?
    private let classes: Set<String>
    /// By observed object, the linking objects at each inverse relation on the paths.
    private var known: [ObjectKey: [[ObjectKey]]] = [:]

    init(_ observed: ObservedProperties?) {
        self.observed = observed?.hasInverses == true ? observed : nil
        classes = self.observed?.classes ?? []
    }

    /// Stores the linking objects of the given objects, and forgets all other objects.
    ///
    /// - Parameter record: What changed since the last look; nil when that is not known.
    /// - Returns: The objects that were known before and whose linking objects changed.
    /// - Complexity: O(n + l) for n objects and l links to them, after a commit that changed a class on the paths.
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
    /// Adds one entry for each inverse relation on the paths from an object, always in the same order.
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
