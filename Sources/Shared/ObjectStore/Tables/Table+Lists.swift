package import CausewayModel
import CausewayStorage

// A list is one value of the column's tree under its object's key. One that is changed is held as an array until the
// commit: the first change of a list costs O(count), the others what an array costs.

extension Table {
    // MARK: - Reading

    package func listCount(_ key: ObjectKey, _ column: Int) -> Int {
        if !writtenLists.isEmpty, let values = writtenLists[ListPlace(key: key, column: column)] { return values.count }
        return storedList(key, column)?.count ?? 0
    }

    /// The element at an index that exists.
    package func listValue(_ key: ObjectKey, _ column: Int, _ index: Int) -> Value {
        if !writtenLists.isEmpty, let values = writtenLists[ListPlace(key: key, column: column)] {
            return values[index]
        }
        return storedList(key, column)?.value(index) ?? .null
    }

    package func listValues(_ key: ObjectKey, _ column: Int) -> [Value] {
        if !writtenLists.isEmpty, let values = writtenLists[ListPlace(key: key, column: column)] { return values }
        return storedList(key, column)?.values ?? []
    }

    private func storedList(_ key: ObjectKey, _ column: Int) -> ListBytes? {
        var bigEndian = UInt64(bitPattern: key.rawValue).bigEndian
        let bytes = withUnsafeBytes(of: &bigEndian) {
            transaction.reader.get(tree: columns[column].listTree, key: $0)
        }
        guard let bytes else { return nil }
        if let list = ListBytes(bytes, schema.properties[column].type) { return list }
        transaction.noteDamage(transaction.store.damaged())
        return nil
    }

    // MARK: - Writing

    package func listInsert(_ key: ObjectKey, _ column: Int, _ index: Int, _ value: Value) {
        let value = element(value, column)
        edit(key, column, .insert(index, value)) { $0.insert(value, at: index) }
        link(value, key, column)
    }

    package func listRemove(_ key: ObjectKey, _ column: Int, _ index: Int) {
        let before = listValue(key, column, index)
        edit(key, column, .remove(index)) { $0.remove(at: index) }
        unlink([before], key, column)
    }

    /// Replaces the element at an index.
    package func listSet(_ key: ObjectKey, _ column: Int, _ index: Int, _ value: Value) {
        let value = element(value, column)
        let before = listValue(key, column, index)
        edit(key, column, .set(index, value)) { $0[index] = value }
        guard value != before else { return }
        link(value, key, column)
        unlink([before], key, column)
    }

    /// Moves an element so that it is at index `to` afterwards.
    package func listMove(_ key: ObjectKey, _ column: Int, _ from: Int, _ to: Int) {
        edit(key, column, .move(from, to)) { $0.insert($0.remove(at: from), at: to) }
    }

    package func listClear(_ key: ObjectKey, _ column: Int) {
        let before = listValues(key, column)
        guard !before.isEmpty else { return }
        edit(key, column, .clear(before.count)) { $0 = [] }
        unlink(before, key, column)
    }

    /// Makes the list hold these elements: recorded as clearing it and inserting each.
    package func listReplace(_ key: ObjectKey, _ column: Int, _ values: [Value]) {
        let values = values.map { element($0, column) }
        let before = listValues(key, column)
        guard values != before else { return }
        if !before.isEmpty { edit(key, column, .clear(before.count)) { $0 = [] } }
        for (index, value) in values.enumerated() {
            edit(key, column, .insert(index, value)) { $0.append(value) }
            link(value, key, column)
        }
        let kept = Set(values)
        unlink(before, key, column, keeping: kept)
    }

    private func element(_ value: Value, _ column: Int) -> Value {
        precondition(accepts(value, column: column), "an element of another type than the list's was stored")
        guard case .link = value, let key = resolve(value, schema.properties[column]) else { return value }
        return .object(key)
    }

    private func edit(_ key: ObjectKey, _ column: Int, _ edit: ListEdit, _ body: (inout [Value]) -> Void) {
        precondition(exists(key), "a list of an object that is not here was changed")
        let place = ListPlace(key: key, column: column)
        if writtenLists[place] == nil { writtenLists[place] = storedList(key, column)?.values ?? [] }
        body(&writtenLists[place, default: []])
        changes.edit(place, edit)
        changes.modify(key, column)
    }

    // MARK: - Links

    private func link(_ value: Value, _ key: ObjectKey, _ column: Int) {
        guard case .object(let other) = value else { return }
        target(of: schema.properties[column]).addBacklink(to: other, from: key, columns[column])
    }

    /// Takes back the links of elements that left the list; embedded ones are deleted.
    private func unlink(_ values: [Value], _ key: ObjectKey, _ column: Int, keeping kept: Set<Value> = []) {
        let property = schema.properties[column]
        guard property.type == .object else { return }
        let target = target(of: property)
        for case .object(let other) in values {
            target.removeBacklink(to: other, from: key, columns[column])
        }
        guard target.schema.kind == .embedded else { return }
        for value in values where !kept.contains(value) {
            if case .object(let other) = value { target.delete(other) }
        }
    }
}
