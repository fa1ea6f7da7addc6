import CausewayModel
import CausewayObjectStore

/// A map property of a managed object.
///
/// A link to an object that has not arrived reads as nil, so that every key has a value.
final class ManagedMap {
    /// The values, in the order of the keys.
    let list: ManagedList

    init(_ list: ManagedList) {
        self.list = list
    }

    private var table: Table { list.access.table }

    // MARK: - Reading

    var names: [String] {
        list.check()
        return table.mapKeys(list.key, list.column)
    }

    var values: [Value] {
        list.check()
        return table.listValues(list.key, list.column)
    }

    func value(_ name: String) -> Value? {
        list.check()
        return table.mapValue(list.key, list.column, name)
    }

    // MARK: - Changing

    func put(_ name: String, _ value: Value) {
        list.checkPlace(of: value)
        table.mapPut(list.key, list.column, name, value)
        list.elementsRemoved()
    }

    func remove(_ name: String) {
        if table.mapRemove(list.key, list.column, name) { list.elementsRemoved() }
    }

    func removeAll() {
        table.mapClear(list.key, list.column)
        list.elementsRemoved()
    }

    /// Replaces the whole content.
    func replaceAll(_ entries: [(key: String, value: Value)]) {
        for entry in entries { list.checkPlace(of: entry.value) }
        table.mapReplace(list.key, list.column, entries)
        list.elementsRemoved()
    }
}
