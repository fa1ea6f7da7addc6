package import CausewayModel

// What an object holds inside of itself: embedded objects, and the collections in its mixed values.

extension Table {
    /// Whether the elements of a column, or its value, may be deleted with their place.
    package func ownsElements(_ column: Int) -> Bool {
        let property = schema.properties[column]
        if property.type == .mixed { return true }
        guard property.type == .object, let name = property.target, let target = transaction.table(name) else {
            return false
        }
        return target.schema.kind == .embedded
    }

    /// Whether a value of such a column is deleted with its place.
    package func isOwned(_ value: Value) -> Bool {
        switch value {
        case .object: true
        case .anyObject: transaction.nested(value) != nil
        default: false
        }
    }

    /// The class and row that a value of a column links to.
    package func linked(_ value: Value, _ column: Int) -> (table: Table, key: ObjectKey)? {
        switch value {
        case .object(let key):
            guard let name = schema.properties[column].target, let table = transaction.table(name) else { return nil }
            return (table, key)
        case .anyObject(let link):
            guard let table = transaction.table(number: link.classNumber) else { return nil }
            return (table, link.key)
        default: return nil
        }
    }

    /// Visits an object and everything that it holds inside of itself, at any depth.
    ///
    /// - Complexity: O(properties and elements of what is visited)
    package func forEachInside(of key: ObjectKey, _ body: (Table, ObjectKey) -> Void) {
        // No recursion: others decide how deep they nest, and whether in a circle.
        var waiting = [(table: self, key: key)]
        var visited: Set<ClassedKey> = []
        while let (table, key) = waiting.popLast() {
            guard visited.insert(ClassedKey(table.number, key)).inserted else { continue }
            body(table, key)
            for column in table.schema.properties.indices where table.ownsElements(column) {
                let isSingle = table.schema.properties[column].collection == .none
                let values = isSingle ? [table.value(key, column)] : table.listValues(key, column)
                for value in values where table.isOwned(value) {
                    if let (part, key) = table.linked(value, column), part.exists(key) { waiting.append((part, key)) }
                }
            }
        }
    }
}
