import CausewayModel
import CausewayObjectStore

/// A set property of a managed object.
final class ManagedSet {
    /// The elements, in canonical order.
    let list: ManagedList

    init(_ list: ManagedList) {
        self.list = list
    }

    func contains<Element: RealmCollectionValue>(_ element: Element) -> Bool {
        list.check()
        guard let value = stored(element) else { return false }
        return list.access.table.setPlace(list.key, list.column, value).isThere
    }

    func insert(_ value: Value) {
        list.checkPlace(of: value)
        if list.access.table.setInsert(list.key, list.column, value) { list.instance.contentChanged() }
    }

    func remove<Element: RealmCollectionValue>(_ element: Element) {
        guard let value = stored(element) else { return }
        if list.access.table.setRemove(list.key, list.column, value) { list.instance.contentChanged() }
    }

    func replaceAll(_ values: [Value]) {
        for value in values { list.checkPlace(of: value) }
        list.access.table.setReplace(list.key, list.column, values)
        list.instance.contentChanged()
    }

    /// The element as the set would store it, without adding an object to the Realm; nil for one that cannot be there.
    private func stored<Element: RealmCollectionValue>(_ element: Element) -> Value? {
        let mixed = element as? AnyRealmValue
        if mixed?.isCollection == true { return nil }
        let link = mixed?.linkedObject
        guard let object = link ?? element as? ObjectBase else { return element._toStored(nil).value }
        guard object._header != nil, object._instance?.showsSameObjects(as: list.instance) == true else { return nil }
        return link == nil ? .object(object._key) : element._toStored(nil).value
    }
}
