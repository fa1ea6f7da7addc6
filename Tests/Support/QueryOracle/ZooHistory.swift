import CausewayModel
import CausewayObjectStore
import CausewayObjectStoreReference
import CausewaySeeds

/// Does the same random things to a transaction and to dictionaries.
struct ZooHistory {
    var numbers: SeededNumbers
    var reference = ReferenceStore(schema: Zoo.schema)
    private var nextID: Int64 = 0
    /// Of the ids of embedded objects and of collections inside of mixed values.
    var nextContainer: UInt64 = 0
    let client: ClientID
    /// Texts are drawn from so many words, so that dictionaries in leaves come and go.
    private let vocabulary: Int
    let names: ZooNames

    init(seed: UInt64) {
        numbers = SeededNumbers(seed: seed)
        client = ClientID(seed)
        vocabulary = numbers.one(of: [3, 40, 2000])
        names = ZooNames(seed: seed)
    }

    mutating func change(_ transaction: Transaction, times: Int) throws {
        for _ in 0..<times { try changeOnce(transaction) }
    }

    private mutating func changeOnce(_ transaction: Transaction) throws {
        let animals = try transaction.required("Animal")
        let keepers = try transaction.required("Keeper")
        switch numbers.below(20) {
        case 0..<7: try createAnimal(transaction, animals)
        case 7..<9: try createKeeper(transaction, keepers)
        case 9..<15:
            let (table, columns) = numbers.once(in: 5) ? (keepers, 4) : (animals, 20)
            guard let key = anyKey(table.name) else { return }
            let column = 1 + numbers.below(columns - 1)
            let value = try value(for: table.schema.properties[column], transaction)
            table.set(key, column, value)
            reference.set(table.name, key, column, value)
        case 15: try numbers.once(in: 2) ? changeEntries(transaction, animals) : changeNested(transaction)
        case 16..<18: try changeList(transaction, numbers.once(in: 3) ? keepers : animals)
        default:
            let table = numbers.once(in: 4) ? keepers : animals
            guard let key = anyKey(table.name) else { return }
            let leavingGhost = numbers.once(in: 2)
            table.delete(key, leavingGhost: leavingGhost)
            reference.delete(table.name, key, leavingGhost: leavingGhost)
        }
    }

    mutating func anyKey(_ className: String) -> ObjectKey? {
        let count = reference.rows[className]?.count ?? 0
        return count == 0 ? nil : reference.keys(className)[numbers.below(count)]
    }

    // MARK: - Creating

    private mutating func createAnimal(_ transaction: Transaction, _ table: Table) throws {
        let id = numbers.once(in: 6) ? Int64(numbers.below(Int(nextID) + 1)) : nextID + Int64(numbers.below(3))
        if let known = reference.key("Animal", for: .int(id)), reference.rows["Animal"]?[known] != nil { return }
        nextID = max(nextID, id + 1)
        try create(.int(id), transaction, table)
    }

    private mutating func createKeeper(_ transaction: Transaction, _ table: Table) throws {
        let name = PrimaryKey.string(names.keeper(numbers.below(40)))
        if let known = reference.key("Keeper", for: name), reference.rows["Keeper"]?[known] != nil { return }
        try create(name, transaction, table)
    }

    private mutating func create(_ primaryKey: PrimaryKey, _ transaction: Transaction, _ table: Table) throws {
        var row: [Value] = []
        for property in table.schema.properties {
            if property.isPrimaryKey {
                row.append(primaryKey.value ?? .null)
            } else {
                row.append(property.collection != .none ? .null : try value(for: property, transaction))
            }
        }
        // A value that was just made may have made this very object, as somebody's boss.
        if let known = reference.key(table.name, for: primaryKey), reference.rows[table.name]?[known] != nil { return }
        reference.create(table.name, try table.create(primaryKey, row: row), primaryKey, row)
    }

    // MARK: - Values

    mutating func value(for property: Property, _ transaction: Transaction) throws -> Value {
        if property.isOptional, numbers.once(in: 5) { return .null }
        switch property.target {
        case nil where property.type == .mixed && property.collection != .set && numbers.once(in: 3):
            return try collection(transaction)
        case nil: return scalar(property)
        case "Cage":
            nextContainer += 1
            let id = PrimaryKey.container(ElementID(client: client, counter: nextContainer))
            let row: [Value] = [scalar(Zoo.cage.properties[0]), scalar(Zoo.cage.properties[1])]
            reference.create("Cage", try transaction.required("Cage").create(id, row: row), id, row)
            return reference.key("Cage", for: id).map { .object($0) } ?? .null
        case "Keeper":
            guard numbers.once(in: 4) else { return anyKey("Keeper").map { .object($0) } ?? .null }
            let name = PrimaryKey.string(names.keeper(numbers.below(60)))
            let key = try transaction.required("Keeper").ghost(name)
            if reference.key("Keeper", for: name) == nil { reference.ghosts["Keeper"]?[key] = name }
            return .object(key)
        default: return anyKey("Animal").map { .object($0) } ?? .null
        }
    }

    mutating func scalar(_ property: Property) -> Value {
        switch (property.type, property.name) {
        case (.string, "story"):
            .string(
                (0..<1 + numbers.below(5)).map { _ in
                    numbers.once(in: 2) ? "word-\(numbers.below(vocabulary))" : RandomValues.text(&numbers)
                }.joined(separator: numbers.one(of: [" ", ", ", "\n"])))
        case (.string, _) where numbers.once(in: 2): .string("word \(numbers.below(vocabulary))")
        case (.int, "legs"): .int(Int64(numbers.below(9)))
        case (.double, _) where numbers.once(in: 2): .double(Double(numbers.below(6000)) / 100)
        default: RandomValues.value(of: property.type, &numbers)
        }
    }

    // MARK: - Sets and maps

    private mutating func changeEntries(_ transaction: Transaction, _ table: Table) throws {
        let columns = table.schema.properties.indices.filter { table.schema.properties[$0].collection.isKeyed }
        for _ in 0..<3 {
            let column = numbers.one(of: columns)
            guard let key = anyKey(table.name) else { return }
            let property = table.schema.properties[column]
            let value = try value(for: property, transaction)
            guard !value.isNull || property.isOptional else { continue }
            if property.collection == .set {
                guard property.target == nil || !value.isNull else { continue }
                if numbers.once(in: 4) {
                    table.setRemove(key, column, value)
                    reference.remove(value, fromSet: column, of: table.name, key)
                } else {
                    table.setInsert(key, column, value)
                    reference.insert(value, intoSet: column, of: table.name, key)
                }
                continue
            }
            let name = numbers.one(of: names.keys)
            let isRemoval = numbers.once(in: 4)
            if isRemoval { table.mapRemove(key, column, name) } else { table.mapPut(key, column, name, value) }
            reference.put(isRemoval ? nil : value, at: name, intoMap: column, of: table.name, key)
        }
    }

    // MARK: - Lists

    private mutating func changeList(_ transaction: Transaction, _ table: Table) throws {
        let lists = table.schema.properties.indices.filter { table.schema.properties[$0].collection == .list }
        let column = numbers.one(of: lists)
        guard let key = anyKey(table.name) else { return }
        var list = reference.rows[table.name]?[key]?.lists[column] ?? []
        let property = table.schema.properties[column]
        let value = try value(for: property, transaction)
        let index = numbers.below(list.count + 1)
        switch numbers.below(8) {
        case 0 where index < list.count:
            table.listRemove(key, column, index)
            list.remove(at: index)
        case 1 where numbers.once(in: 3):
            table.listClear(key, column)
            list = []
        case 2 where index < list.count:
            let to = numbers.below(list.count)
            table.listMove(key, column, index, to)
            list.insert(list.remove(at: index), at: to)
        default:
            guard !value.isNull || property.isOptional else { return }
            table.listInsert(key, column, index, value)
            list.insert(value, at: index)
        }
        reference.setList(table.name, key, column, list)
    }
}

extension Transaction {
    struct MissingClass: Error {
        let name: String
    }

    func required(_ name: String) throws -> Table {
        guard let table = table(name) else { throw MissingClass(name: name) }
        return table
    }
}
