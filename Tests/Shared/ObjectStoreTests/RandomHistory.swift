import CausewayExactValues
import CausewayModel
import CausewayObjectStore
import CausewayObjectStoreReference
import CausewaySeeds
import Testing

/// Does the same random things to a transaction and to the reference, and compares everything they hold.
struct RandomHistory {
    var numbers: SeededNumbers
    let seed: UInt64
    var reference = ReferenceStore(schema: Models.schema)
    private var nextID: Int64 = 0
    private var nextContainer: UInt64 = 0

    init(seed: UInt64) {
        self.seed = seed
        numbers = SeededNumbers(seed: seed)
    }

    /// Among them are pairs that are one text to Unicode, look-alikes, an empty one, and long ones that differ at the end.
    private static let tags = [
        "tag 1", "tag 2", "", "\u{E9}", "e\u{301}", "K", "\u{212A}", "\u{FB01}", "fi", "\u{FF21}",
        String(repeating: "d", count: 400), String(repeating: "d", count: 399) + ";",
    ]

    // MARK: - Changing

    mutating func change(_ transaction: Transaction, times: Int) throws {
        for _ in 0..<times { try changeOnce(transaction) }
    }

    private mutating func changeOnce(_ transaction: Transaction) throws {
        let table = try transaction.existing("Everything")
        let keys = reference.keys("Everything")
        guard let key = keys.randomElement(using: &numbers), !numbers.once(in: 4) else {
            try create(transaction)
            return
        }
        switch numbers.below(16) {
        case 0: delete(table, key, "Everything")
        case 1:
            let tags = reference.keys("Tag")
            if let tag = tags.randomElement(using: &numbers) { delete(try transaction.existing("Tag"), tag, "Tag") }
        case 2: deleteSome(table, keys)
        case 3..<9: try setProperty(transaction, table, key)
        default: try changeList(transaction, table, key)
        }
    }

    private mutating func delete(_ table: Table, _ key: ObjectKey, _ className: String) {
        let leavingGhost = numbers.once(in: 2)
        table.delete(key, leavingGhost: leavingGhost)
        reference.delete(className, key, leavingGhost: leavingGhost)
    }

    /// Some at once, in any order and one of them twice.
    private mutating func deleteSome(_ table: Table, _ keys: [ObjectKey]) {
        guard keys.count > 20 else { return }
        let some = (0..<numbers.below(4)).map { _ in numbers.one(of: keys) }
        table.delete(some + some.prefix(1))
        for key in some { reference.delete("Everything", key, leavingGhost: false) }
    }

    private mutating func create(_ transaction: Transaction) throws {
        let table = try transaction.existing("Everything")
        // Now and then a key that exists, was deleted, or is a ghost.
        let id = numbers.once(in: 5) ? Int64(numbers.below(Int(nextID) + 1)) : nextID + Int64(numbers.below(3))
        nextID = max(nextID, id + 1)
        let known = reference.key("Everything", for: .int(id))
        if let known, reference.rows["Everything"]?[known] != nil {
            #expect(code { _ = try table.create(.int(id)) } == .duplicatePrimaryKey, "seed \(seed)")
            return
        }
        var row: [Value] = []
        var zeros: [Value] = []
        for property in Models.everything.properties {
            if property.isPrimaryKey {
                row.append(.int(id))
                zeros.append(.int(id))
                continue
            }
            row.append(property.collection == .list ? .null : try value(for: property, transaction))
            zeros.append(property.isOptional || property.collection == .list ? .null : Self.zero(property.type))
        }
        let isEmpty = numbers.once(in: 4)
        let key = try isEmpty ? table.create(.int(id)) : table.create(.int(id), row: row)
        if let known { #expect(key == known, "a ghost comes to life under its key, seed \(seed)") }
        reference.create("Everything", key, .int(id), isEmpty ? zeros : row)
    }

    private static func zero(_ type: PropertyType) -> Value {
        switch type {
        case .bool: .bool(false)
        case .int: .int(0)
        case .float: .float(0)
        case .double: .double(0)
        case .string: .string("")
        case .data: .bytes([])
        case .date: .timestamp(Timestamp(seconds: 0, nanoseconds: 0))
        case .objectId: .objectId(ObjectIdentifier12(high: 0, low: 0))
        case .uuid: .uuid(UUID16(high: 0, low: 0))
        case .object: .null
        case .decimal128: .decimal(.zero)
        case .mixed: .null
        }
    }

    /// A value that the property takes, its links made in both stores.
    private mutating func value(for property: Property, _ transaction: Transaction) throws -> Value {
        if property.isOptional, numbers.once(in: 4) { return .null }
        switch property.target {
        case nil: return RandomValues.value(of: property.type, &numbers)
        case "Address": return try address(transaction, depth: 0)
        case "Tag":
            let name = PrimaryKey.string(numbers.one(of: Self.tags))
            let tags = try transaction.existing("Tag")
            if numbers.once(in: 3) {
                let key = tags.ghost(name)
                if reference.key("Tag", for: name) == nil { reference.ghosts["Tag"]?[key] = name }
                return .object(key)
            }
            if let key = tags.key(for: name) { return .object(key) }
            let key = try tags.create(name)
            reference.create("Tag", key, name, [name.value ?? .null, .double(0)])
            return .object(key)
        default:
            guard let key = reference.keys("Everything").randomElement(using: &numbers) else { return .null }
            return .object(key)
        }
    }

    private mutating func address(_ transaction: Transaction, depth: Int) throws -> Value {
        let addresses = try transaction.existing("Address")
        nextContainer += 1
        let id = PrimaryKey.container(ElementID(client: ClientID(seed), counter: nextContainer))
        let inner = depth < 2 && numbers.once(in: 3) ? try address(transaction, depth: depth + 1) : .null
        var row: [Value] = []
        for property in Models.address.properties {
            row.append(property.name == "inner" ? inner : try value(for: property, transaction))
        }
        let key = try addresses.create(id, row: row)
        reference.create("Address", key, id, row)
        return .object(key)
    }

    private mutating func setProperty(_ transaction: Transaction, _ table: Table, _ key: ObjectKey) throws {
        let column = 1 + numbers.below(17)
        let value = try value(for: Models.everything.properties[column], transaction)
        table.set(key, column, value)
        reference.set("Everything", key, column, value)
    }

    private mutating func changeList(_ transaction: Transaction, _ table: Table, _ key: ObjectKey) throws {
        let column = 18 + numbers.below(5)
        let property = Models.everything.properties[column]
        var list = reference.rows["Everything"]?[key]?.lists[column] ?? []
        let index = numbers.below(list.count + 1)
        switch numbers.below(8) {
        case 0 where index < list.count:
            table.listRemove(key, column, index)
            list.remove(at: index)
        case 1 where index < list.count:
            guard let value = try elementValue(property, transaction) else { return }
            table.listSet(key, column, index, value)
            list[index] = value
        case 2 where index < list.count:
            let to = numbers.below(list.count)
            table.listMove(key, column, index, to)
            list.insert(list.remove(at: index), at: to)
        case 3 where numbers.once(in: 3):
            table.listClear(key, column)
            list = []
        case 4:
            var values: [Value] = []
            for _ in 0..<numbers.below(4) {
                if let value = try elementValue(property, transaction) { values.append(value) }
            }
            table.listReplace(key, column, values)
            list = values
        default:
            guard let value = try elementValue(property, transaction) else { return }
            table.listInsert(key, column, index, value)
            list.insert(value, at: index)
        }
        reference.setList("Everything", key, column, list)
    }

    private mutating func elementValue(_ property: Property, _ transaction: Transaction) throws -> Value? {
        let value = try value(for: property, transaction)
        return value.isNull && !property.isOptional ? nil : value
    }

    // MARK: - Comparing

    func expectEqual(_ transaction: Transaction, _ when: String) throws {
        let origins = reference.originsByTarget
        for known in Models.schema.classes {
            let table = try transaction.existing(known.name)
            let keys = reference.keys(known.name)
            #expect(table.allKeys == keys, "seed \(seed), \(known.name), \(when)")
            #expect(table.count == keys.count, "seed \(seed), \(known.name), \(when)")
            for key in keys { try expectEqual(transaction, table, key, origins[known.name]?[key] ?? [], when) }
            for (key, primaryKey) in reference.ghosts[known.name] ?? [:] {
                #expect(table.keyOrGhost(for: primaryKey) == key, "seed \(seed), \(when)")
                #expect(table.key(for: primaryKey) == nil && !table.exists(key), "seed \(seed), \(when)")
                #expect(table.primaryKey(of: key) == primaryKey, "seed \(seed), \(when)")
                #expect(
                    table.backlinkCount(to: key) == origins[known.name]?[key]?.count ?? 0,
                    "seed \(seed), \(when)")
            }
        }
    }

    private func expectEqual(
        _ transaction: Transaction, _ table: Table, _ key: ObjectKey, _ origins: [ReferenceStore.Origin],
        _ when: String
    ) throws {
        let row = try #require(reference.rows[table.name]?[key])
        let place = "seed \(seed), \(table.name) \(key.rawValue), \(when)"
        #expect(table.primaryKey(of: key) == row.primaryKey, "\(place)")
        if let primaryKey = row.primaryKey { #expect(table.key(for: primaryKey) == key, "\(place)") }
        for (column, property) in table.schema.properties.enumerated() {
            if property.collection == .list {
                let list = row.lists[column] ?? []
                let found = table.listValues(key, column).map { ExactValue($0) }
                #expect(found == list.map { ExactValue(stored: $0) }, "\(place).\(property.name)")
                #expect(table.listCount(key, column) == list.count, "\(place).\(property.name)")
                if let last = list.indices.last {
                    let found = ExactValue(table.listValue(key, column, last))
                    #expect(found == ExactValue(stored: list[last]), "\(place).\(property.name)")
                }
            } else {
                let found = ExactValue(table.value(key, column))
                let expected = ExactValue(stored: row.values[column])
                #expect(found == expected, "\(place).\(property.name)")
            }
        }
        #expect(table.backlinkCount(to: key) == origins.count, "\(place)")
        for origin in Set(origins) {
            let table = table.backlinks(to: key, from: try transaction.existing(origin.className), origin.column)
            let count = origins.count { $0.className == origin.className && $0.column == origin.column }
            #expect(table.count == count, "\(place)")
            #expect(table.contains(origin.key), "\(place)")
        }
    }
}
