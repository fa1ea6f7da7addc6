import CausewayModel
import CausewayObjectStore

// Under the policy `.modified`, a mixed value that is already stored is not written again: no observer is notified, and
// nothing is sent.

extension RealmInstance {
    /// Whether an update leaves a stored mixed value alone.
    func keeps(_ present: Value, for value: AnyRealmValue, _ links: _ClassAccess) -> Bool {
        updatePolicy == .modified && isStored(present, value, links)
    }

    /// Whether an update leaves a list of mixed values alone.
    func keeps(_ present: [Value], for values: [AnyRealmValue], _ links: _ClassAccess) -> Bool {
        updatePolicy == .modified && areStored(present, values, links)
    }

    /// Whether an update leaves a map of mixed values alone.
    func keeps(_ present: ManagedMap, for map: Map<String, AnyRealmValue>, _ links: _ClassAccess) -> Bool {
        updatePolicy == .modified && areStored(present.names, present.values, map, links)
    }

    /// Collections are compared by content. An unmanaged object is added to the Realm first, to be compared.
    private func isStored(_ present: Value, _ value: AnyRealmValue, _ links: _ClassAccess) -> Bool {
        switch value {
        case .list(let list):
            guard case let (table, key, .list)? = transaction.nested(present) else { return false }
            return areStored(transaction.elements(of: table, key), Array(list), links)
        case .dictionary(let map):
            guard case let (table, key, .map)? = transaction.nested(present) else { return false }
            let names = table.mapKeys(key, NestedCollection.column)
            return areStored(names, transaction.elements(of: table, key), map, links)
        default: return value._toStored(links).value == present
        }
    }

    private func areStored(_ present: [Value], _ values: [AnyRealmValue], _ links: _ClassAccess) -> Bool {
        present.count == values.count && zip(present, values).allSatisfy { isStored($0, $1, links) }
    }

    private func areStored(
        _ names: [String], _ present: [Value], _ map: Map<String, AnyRealmValue>, _ links: _ClassAccess
    ) -> Bool {
        names.count == map.count
            && zip(names, present).allSatisfy { name, present in
                map[name].map { isStored(present, $0, links) } ?? false
            }
    }
}
