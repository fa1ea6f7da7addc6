import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewaySeeds

/// What an app does with lists and maps inside of mixed values, drawn at random: at any level, in place or by replacing.
struct NestedEdits {
    let transaction: Transaction
    let replica: Replica
    let vocabulary: Vocabulary

    private static let levelMax = 4

    func perform(on item: ObjectKey, in items: Table, _ random: inout SeededNumbers) throws {
        switch random.below(5) {
        case 0...1: try edit(property: "it", of: item, in: items, &random)
        case 2: try edit(items, item, column(items, "anys"), .list, level: 1, &random)
        case 3: try edit(items, item, column(items, "byName"), .map, level: 1, &random)
        default:
            // One in an embedded object.
            guard case .object(let address) = items.value(item, column(items, "address")),
                let addresses = transaction.table("Address"), addresses.exists(address)
            else { return try edit(property: "it", of: item, in: items, &random) }
            try edit(property: "extra", of: address, in: addresses, &random)
        }
    }

    private func edit(
        property: String, of key: ObjectKey, in table: Table, _ random: inout SeededNumbers
    ) throws {
        let column = column(table, property)
        try edit(table.value(key, column), level: 0, &random) { table.set(key, column, $0) }
    }

    /// Changes what a place holds: within, where that is a collection, or by giving it another value.
    private func edit(
        _ present: Value, level: Int, _ random: inout SeededNumbers, _ put: (Value) -> Void
    ) throws {
        if let (table, key, kind) = transaction.nested(present), table.exists(key), random.happens(percent: 80) {
            try edit(table, key, NestedCollection.column, kind, level: level + 1, &random)
        } else {
            put(try value(level: level, &random))
        }
    }

    private func edit(
        _ table: Table, _ key: ObjectKey, _ column: Int, _ kind: NestedCollection, level: Int,
        _ random: inout SeededNumbers
    ) throws {
        let count = table.listCount(key, column)
        guard kind == .list else { return try edit(map: table, key, column, level: level, &random) }
        switch random.below(12) {
        case 0...4 where count > 0:
            let index = random.below(count)
            try edit(table.listValue(key, column, index), level: level, &random) {
                table.listSet(key, column, index, $0)
            }
        case 5 where count > 0: table.listRemove(key, column, random.below(count))
        case 6...7 where count > 1: table.listMove(key, column, random.below(count), random.below(count))
        case 8 where count > 0 && random.happens(percent: 30): table.listClear(key, column)
        default: table.listInsert(key, column, random.below(count + 1), try value(level: level, &random))
        }
    }

    private func edit(
        map table: Table, _ key: ObjectKey, _ column: Int, level: Int, _ random: inout SeededNumbers
    ) throws {
        let name = random.one(of: vocabulary.words)
        switch random.below(10) {
        case 0: table.mapRemove(key, column, name)
        case 1: if random.happens(percent: 30) { table.mapClear(key, column) }
        default:
            try edit(table.mapValue(key, column, name) ?? .null, level: level, &random) {
                table.mapPut(key, column, name, $0)
            }
        }
    }

    private func value(level: Int, _ random: inout SeededNumbers) throws -> Value {
        switch random.below(level < Self.levelMax ? 9 : 5) {
        case 0: return .null
        case 1: return .int(Int64(random.below(6)))
        case 2...3: return random.one(of: vocabulary.scalars)
        case 4:
            guard let items = transaction.table("Item"), !items.allKeys.isEmpty else { return .bool(true) }
            return .anyObject(ClassedKey(items.number, random.one(of: items.allKeys)))
        default: return try collection(level: level + 1, &random)
        }
    }

    private func collection(level: Int, _ random: inout SeededNumbers) throws -> Value {
        let kind = random.happens(percent: 50) ? NestedCollection.list : .map
        let elements = try (0..<random.below(3)).map { _ in try value(level: level, &random) }
        return try transaction.makeNested(kind, elements, vocabulary.words, replica)
    }

    private func column(_ table: Table, _ name: String) -> Int {
        guard let column = table.schema.index(of: name) else { preconditionFailure("no property \(name)") }
        return column
    }
}

extension Transaction {
    /// A new collection with these elements; a map has them by the names, in their order.
    func makeNested(
        _ kind: NestedCollection, _ elements: [Value], _ names: [String], _ replica: Replica
    ) throws -> Value {
        guard let table = nestedTable(kind) else { preconditionFailure("no class of nested collections") }
        let key = try table.create(replica.container(in: self))
        for (index, element) in elements.enumerated() {
            switch kind {
            case .list: table.listAppend(key, NestedCollection.column, element)
            case .map: table.mapPut(key, NestedCollection.column, names[index], element)
            }
        }
        return .anyObject(ClassedKey(table.number, key))
    }
}
