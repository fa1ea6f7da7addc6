import CausewayModel
import CausewayObjectStore

// What `update: .modified` leaves as it is, and what it changes in place: accessors and observers of an embedded object
// stay with it.

extension RealmInstance {
    /// Whether what a link property holds may stay: the very object, or an embedded one, which takes over the differences.
    func keeps(_ present: Value, for link: ObjectBase?, _ target: _ClassAccess?) -> Bool {
        guard let link else { return updatePolicy == .modified && present.isNull }
        guard let target, case .object(let key) = present, target.exists(key) else { return false }
        if link._header != nil { return link._instance === self && link._key == key && link._access === target }
        guard updatePolicy == .modified, target.isEmbedded else { return false }
        update(link, target, key, onlyDifferent: true)
        return true
    }

    /// Makes a list of embedded objects hold new ones, one by one in the place of those that are there.
    func take(_ elements: [ObjectBase], in list: ManagedList, _ target: _ClassAccess) {
        // As the list shows them: positions do not count objects that have not arrived.
        let present = list.access.table.listValues(list.key, list.column).filter { value in
            if case .object(let key) = value { target.exists(key) } else { false }
        }
        for (position, element) in elements.enumerated() {
            if position >= present.count {
                list.append(target.link(to: element))
            } else if !keeps(present[position], for: element, target) {
                list.replace(target.link(to: element), at: position)
            }
        }
        for position in stride(from: present.count - 1, through: elements.count, by: -1) { list.remove(at: position) }
    }

    /// Makes a map of embedded objects hold new ones, each in the place of the one that its key has.
    func take(_ entries: [(key: String, value: ObjectBase?)], in map: ManagedMap, _ target: _ClassAccess) {
        let wanted = Set(entries.map { ExactKey($0.key) })
        for name in map.names where !wanted.contains(ExactKey(name)) { map.remove(name) }
        for (name, object) in entries {
            if let present = map.value(name), keeps(present, for: object, target) { continue }
            map.put(name, object.map(target.link) ?? .null)
        }
    }
}

/// The embedded object that an element is, or is stored as.
func embeddedObject(_ element: Any) -> ObjectBase? {
    flattened(element).flatMap { ($0 as? ObjectBase) ?? ($0 as? any _CustomPersistable)?.embeddedObject }
}
