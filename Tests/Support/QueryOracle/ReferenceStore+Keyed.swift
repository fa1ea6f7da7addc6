import CausewayExactValues
import CausewayModel
import CausewayObjectStore
import CausewayObjectStoreReference

/// Sets and maps, written out: ascending, each element once, and of numbers that are equal the one that stands stays.
extension ReferenceStore {
    mutating func insert(_ value: Value, intoSet column: Int, of className: String, _ key: ObjectKey) {
        var elements = rows[className]?[key]?.lists[column] ?? []
        guard !elements.contains(where: { SetIdentity($0) == SetIdentity(value) }) else { return }
        elements.insert(value, at: elements.firstIndex { Self.precedes(value, $0) } ?? elements.count)
        setList(className, key, column, elements)
    }

    mutating func remove(_ value: Value, fromSet column: Int, of className: String, _ key: ObjectKey) {
        let elements = rows[className]?[key]?.lists[column] ?? []
        setList(className, key, column, elements.filter { SetIdentity($0) != SetIdentity(value) })
    }

    /// - Parameter value: nil takes the key out.
    mutating func put(_ value: Value?, at name: String, intoMap column: Int, of className: String, _ key: ObjectKey) {
        var names = rows[className]?[key]?.lists[~column] ?? []
        var values = rows[className]?[key]?.lists[column] ?? []
        let name = Value.string(name)
        let known = names.firstIndex { ExactValue($0) == ExactValue(name) }
        switch (known, value) {
        case (let known?, let value?): values[known] = value
        case (let known?, nil):
            names.remove(at: known)
            values.remove(at: known)
        case (nil, let value?):
            let index = names.firstIndex { Self.precedes(name, $0) } ?? names.count
            names.insert(name, at: index)
            values.insert(value, at: index)
        case (nil, nil): return
        }
        setList(className, key, ~column, names)
        setList(className, key, column, values)
    }

    /// Of the types that the zoo's sets and keys of maps have.
    private static func precedes(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null), (_, .null): false
        case (.null, _): true
        case (.int(let left), .int(let right)): left < right
        case (.string(let left), .string(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.object(let left), .object(let right)): left.rawValue < right.rawValue
        default: preconditionFailure("The zoo has no set of \(left) and \(right).")
        }
    }
}

// MARK: - Against what was read

extension ReferenceStore {
    /// The first value of some rows that the transaction does not show bit by bit, with all NaNs as the one that is stored.
    func difference(from transaction: Transaction, rowsMax: Int) throws -> String? {
        for declared in Zoo.schema.classes {
            let table = try transaction.required(declared.name)
            let keys = keys(declared.name)
            for key in keys.prefix(rowsMax / 2) + keys.dropFirst(rowsMax / 2).suffix(rowsMax / 2) {
                guard let row = rows[declared.name]?[key] else { continue }
                for (column, property) in declared.properties.enumerated() {
                    let isSingle = property.collection == .none
                    let found = isSingle ? [table.value(key, column)] : table.listValues(key, column)
                    let wanted = isSingle ? [row.values[column]] : row.lists[column] ?? []
                    let names = property.collection == .map ? table.mapKeys(key, column).map { Value.string($0) } : []
                    let isSame =
                        found.map { ExactValue($0) } == wanted.map { ExactValue(stored: $0) }
                        && names.map { ExactValue($0) } == (row.lists[~column] ?? []).map { ExactValue(stored: $0) }
                    if !isSame {
                        return "\(declared.name).\(property.name) of \(key) is \(names) \(found), not \(wanted)"
                    }
                }
            }
        }
        return nil
    }
}
