import CausewayModel
import CausewayObjectStore
import CausewayObjectStoreReference
import CausewaySeeds

/// Lists and dictionaries inside of mixed values, three levels deep at most.
extension ZooHistory {
    private static let levelMax = 3

    /// Makes a list or a dictionary that a mixed value is about to hold.
    mutating func collection(_ transaction: Transaction, level: Int = 1) throws -> Value {
        let kind = numbers.one(of: NestedCollection.allCases)
        let table = try transaction.required(kind.className)
        nextContainer += 1
        let id = PrimaryKey.container(ElementID(client: client, counter: nextContainer))
        let key = try table.create(id)
        let collection = Value.anyObject(ClassedKey(table.number, key))
        switch kind {
        case .list:
            let elements = try (0..<numbers.below(4)).map { _ in try element(transaction, level: level) }
            for element in elements { table.listAppend(key, NestedCollection.column, element) }
            reference.collections[collection] = .list(elements)
        case .map:
            var entries: [ExactString: Value] = [:]
            for _ in 0..<numbers.below(4) {
                entries[ExactString(numbers.one(of: names.keys))] = try element(transaction, level: level)
            }
            for (name, value) in entries.sorted(by: { $0.key < $1.key }) {
                table.mapPut(key, NestedCollection.column, name.string, value)
            }
            reference.collections[collection] = .map(entries)
        }
        return collection
    }

    private mutating func element(_ transaction: Transaction, level: Int) throws -> Value {
        if numbers.once(in: 6) { return .null }
        if level < Self.levelMax, numbers.once(in: 3) { return try collection(transaction, level: level + 1) }
        return scalar(Zoo.animal.properties[Zoo.mixedColumns[0]])
    }

    // MARK: - Changing

    /// Puts an element into a collection that an animal holds, exchanges one, or takes one out.
    mutating func changeNested(_ transaction: Transaction) throws {
        guard let (collection, level) = anyCollection(), case .anyObject(let row) = collection,
            let table = transaction.table(number: row.classNumber)
        else { return }
        let (key, column) = (row.key, NestedCollection.column)
        let isRemoval = numbers.once(in: 3)
        switch reference.collections[collection] {
        case .list(var elements):
            let index = numbers.below(elements.count + 1)
            if index == elements.count {
                let element = try element(transaction, level: level)
                table.listAppend(key, column, element)
                elements.append(element)
            } else if isRemoval {
                table.listRemove(key, column, index)
                elements.remove(at: index)
            } else {
                let element = try element(transaction, level: level)
                table.listSet(key, column, index, element)
                elements[index] = element
            }
            reference.collections[collection] = .list(elements)
        case .map(var entries):
            let name = numbers.one(of: names.keys)
            let value: Value? = isRemoval ? nil : try element(transaction, level: level)
            if let value { table.mapPut(key, column, name, value) } else { table.mapRemove(key, column, name) }
            entries[ExactString(name)] = value
            reference.collections[collection] = .map(entries)
        case nil: return
        }
    }

    /// One of those that some animal holds, and how deep it lies.
    private mutating func anyCollection() -> (collection: Value, level: Int)? {
        guard let key = anyKey("Animal"), let row = reference.rows["Animal"]?[key] else { return nil }
        let held = Zoo.mixedColumns.flatMap { row.lists[$0] ?? [row.values[$0]] }
        var candidates = held.filter { reference.collections[$0] != nil }
        var level = 1
        while !candidates.isEmpty {
            let collection = numbers.one(of: candidates)
            let inner = elements(of: collection).filter { reference.collections[$0] != nil }
            if inner.isEmpty || numbers.once(in: 2) { return (collection, level) }
            candidates = inner
            level += 1
        }
        return nil
    }

    private func elements(of collection: Value) -> [Value] {
        switch reference.collections[collection] {
        case .list(let elements): elements
        case .map(let entries): entries.sorted { $0.key < $1.key }.map(\.value)
        case nil: []
        }
    }
}
