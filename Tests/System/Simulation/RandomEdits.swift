import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewaySeeds

/// What an app does in one write, drawn at random.
struct RandomEdits {
    let transaction: Transaction
    let replica: Replica
    let vocabulary: Vocabulary

    func perform(_ random: inout SeededNumbers) throws {
        for _ in 0..<(1 + random.below(4)) { try one(&random) }
        if vocabulary.hasNumbers, random.happens(percent: 40) { editNumbers(&random) }
    }

    private func one(_ random: inout SeededNumbers) throws {
        switch random.below(34) {
        case 0...3: try createItem(&random)
        case 4: try createShop(&random)
        case 5: delete("Item", &random)
        case 6: if random.happens(percent: 50) { delete("Shop", &random) }
        case 7...10: setItem(&random)
        case 11: setShop(&random)
        case 12...13: editTags(&random)
        case 14: editFriends(&random)
        case 15...16: try editAddress(&random)
        case 17...18: try editParts(&random)
        case 19: try editSpot(&random)
        case 20: addToCounter(&random)
        case 21...23:
            if let key = some("Item", &random) { editText(table("Item"), key, "body", &random) }
        case 24...27: try editEntries(&random)
        default:
            guard let item = some("Item", &random) else { return }
            try NestedEdits(transaction: transaction, replica: replica, vocabulary: vocabulary)
                .perform(on: item, in: table("Item"), &random)
        }
    }

    // MARK: - Texts

    private func editText(_ table: Table, _ key: ObjectKey, _ property: String, _ random: inout SeededNumbers) {
        let column = column(table, property)
        guard case .string(let text) = table.value(key, column) else { return }
        let count = text.unicodeScalars.count
        let first = random.below(count + 1)
        switch random.below(8) {
        case 0 where random.happens(percent: 20):
            // As a whole: the log finds out what changed.
            table.set(key, column, word(&random))
        case 1...2 where first < count:
            table.edit(key, text: column, .remove(first..<min(count, first + 1 + random.below(3))))
        default:
            let words = random.one(of: ["a", "bc", "é", "👍🏽d", "e"])
            table.edit(key, text: column, .insert(words, at: random.happens(percent: 40) ? min(1, count) : first))
        }
    }

    // MARK: - Objects

    private func createItem(_ random: inout SeededNumbers) throws {
        let table = table("Item")
        let name = random.one(of: SimulationSchema.itemKeys)
        guard table.key(for: name) == nil else { return }
        let key = try table.create(name)
        for _ in 0..<3 { set(table, key, &random) }
        if random.happens(percent: 30) { table.listInsert(key, column(table, "tags"), 0, word(&random)) }
        if random.happens(percent: 30) { try setAddress(of: key, in: table, &random) }
    }

    private func createShop(_ random: inout SeededNumbers) throws {
        let table = table("Shop")
        let name = random.one(of: vocabulary.shopKeys)
        guard table.key(for: name) == nil else { return }
        let key = try table.create(name)
        set(table, key, &random)
    }

    private func delete(_ className: String, _ random: inout SeededNumbers) {
        guard let key = some(className, &random) else { return }
        table(className).delete(key, leavingGhost: true)
    }

    private func setItem(_ random: inout SeededNumbers) {
        guard let key = some("Item", &random) else { return }
        set(table("Item"), key, &random)
    }

    private func setShop(_ random: inout SeededNumbers) {
        guard let key = some("Shop", &random) else { return }
        set(table("Shop"), key, &random)
    }

    private func set(_ table: Table, _ key: ObjectKey, _ random: inout SeededNumbers) {
        let properties = table.schema.properties
        let column = random.below(properties.count)
        let property = properties[column]
        if property.isText { return editText(table, key, property.name, &random) }
        guard property.collection == .none, !property.isPrimaryKey else { return }
        switch property.type {
        case .bool: table.set(key, column, .bool(random.happens(percent: 50)))
        case .int: table.set(key, column, .int(Int64(random.below(6))))
        case .double:
            table.set(
                key, column, .double(random.one(of: [0, -0.0, 0.75, 1.5, .nan, Double(nan: 3, signaling: false)])))
        case .decimal128: table.set(key, column, random.one(of: vocabulary.decimals))
        case .string:
            table.set(key, column, property.isOptional && random.happens(percent: 30) ? .null : word(&random))
        case .object:
            guard let target = property.target, target == "Item" || target == "Shop" else { return }
            let linked = some(target, &random)
            table.set(key, column, random.happens(percent: 25) ? .null : linked.map { .object($0) } ?? .null)
        default: return
        }
    }

    private func addToCounter(_ random: inout SeededNumbers) {
        let className = random.happens(percent: 80) ? "Item" : "Address"
        guard let key = some(className, &random) else { return }
        let table = table(className)
        let column = column(table, className == "Item" ? "likes" : "number")
        table.add(Int64(random.below(9)) - 3, to: key, column)
        if random.happens(percent: 10) { table.set(key, column, .int(Int64(random.below(6)))) }
    }

    // MARK: - Lists

    private func editTags(_ random: inout SeededNumbers) {
        guard let key = some("Item", &random) else { return }
        let table = table("Item")
        edit(table, key, column(table, "tags"), &random) { word(&$0) }
    }

    private func editFriends(_ random: inout SeededNumbers) {
        guard let key = some("Item", &random), let friend = some("Item", &random) else { return }
        let table = table("Item")
        edit(table, key, column(table, "friends"), &random) { _ in .object(friend) }
    }

    private func edit(
        _ table: Table, _ key: ObjectKey, _ column: Int, _ random: inout SeededNumbers,
        _ value: (inout SeededNumbers) -> Value
    ) {
        let count = table.listCount(key, column)
        switch random.below(10) {
        case 5 where count > 0: table.listRemove(key, column, random.below(count))
        case 6 where count > 0: table.listSet(key, column, random.below(count), value(&random))
        case 7...8 where count > 1: table.listMove(key, column, random.below(count), random.below(count))
        case 9 where count > 0 && random.happens(percent: 40): table.listClear(key, column)
        default: table.listInsert(key, column, random.below(count + 1), value(&random))
        }
    }

    // MARK: - Sets and maps

    private func editEntries(_ random: inout SeededNumbers) throws {
        guard let key = some("Item", &random), let other = some("Item", &random) else { return }
        let table = table("Item")
        let name = random.one(of: vocabulary.words)
        switch random.below(14) {
        case 0...1: table.setInsert(key, column(table, "labels"), word(&random))
        case 2: table.setRemove(key, column(table, "labels"), word(&random))
        case 3: if random.happens(percent: 40) { table.listClear(key, column(table, "labels")) }
        case 4: table.setInsert(key, column(table, "peers"), .object(other))
        case 5: table.setRemove(key, column(table, "peers"), .object(other))
        case 6...7: table.mapPut(key, column(table, "scores"), name, .int(Int64(random.below(6))))
        case 8: table.mapRemove(key, column(table, "scores"), name)
        case 9: if random.happens(percent: 40) { table.mapClear(key, column(table, "scores")) }
        case 10:
            table.mapPut(
                key, column(table, "helpers"), name, random.happens(percent: 30) ? .null : .object(other))
        case 11: table.mapRemove(key, column(table, "helpers"), name)
        default: try editSite(of: key, in: table, name, &random)
        }
    }

    /// Of numbers that are equal a set has one, as it was written first.
    private func editNumbers(_ random: inout SeededNumbers) {
        guard let key = some("Item", &random) else { return }
        let table = table("Item")
        let (name, numbers) = random.one(of: [
            ("sizes", vocabulary.doubles), ("amounts", vocabulary.decimals), ("numbers", Vocabulary.numbers),
        ])
        let column = column(table, name)
        switch random.below(10) {
        case 0...5: table.setInsert(key, column, random.one(of: numbers))
        case 6...8: table.setRemove(key, column, random.one(of: numbers))
        default: table.listClear(key, column)
        }
    }

    private func editSite(
        of key: ObjectKey, in table: Table, _ name: String, _ random: inout SeededNumbers
    ) throws {
        let column = column(table, "sites")
        let addresses = self.table("Address")
        if case .object(let address) = table.mapValue(key, column, name), addresses.exists(address) {
            switch random.below(4) {
            case 0: table.mapRemove(key, column, name)
            case 1: table.mapPut(key, column, name, .null)
            default: set(addresses, address, &random)
            }
            return
        }
        let address = try addresses.create(replica.container(in: transaction))
        addresses.set(address, self.column(addresses, "city"), word(&random))
        table.mapPut(key, column, name, .object(address))
    }

    // MARK: - Embedded objects

    private func editAddress(_ random: inout SeededNumbers) throws {
        let className = random.happens(percent: 70) ? "Item" : "Shop"
        guard let key = some(className, &random) else { return }
        let table = table(className)
        let column = column(table, "address")
        guard case .object(let address) = table.value(key, column), self.table("Address").exists(address) else {
            try setAddress(of: key, in: table, &random)
            return
        }
        switch random.below(6) {
        case 0: try setAddress(of: key, in: table, &random)
        case 1: table.set(key, column, .null)
        default: set(self.table("Address"), address, &random)
        }
    }

    private func setAddress(of key: ObjectKey, in table: Table, _ random: inout SeededNumbers) throws {
        let addresses = self.table("Address")
        let address = try addresses.create(replica.container(in: transaction))
        addresses.set(address, column(addresses, "city"), word(&random))
        table.set(key, column(table, "address"), .object(address))
    }

    private func editSpot(_ random: inout SeededNumbers) throws {
        guard let item = some("Item", &random) else { return }
        let items = table("Item")
        let addresses = table("Address")
        let spots = table("Spot")
        guard case .object(let address) = items.value(item, column(items, "address")), addresses.exists(address) else {
            return
        }
        let column = column(addresses, "spot")
        if case .object(let spot) = addresses.value(address, column), spots.exists(spot), random.happens(percent: 80) {
            if random.happens(percent: 50) {
                set(spots, spot, &random)
            } else {
                edit(spots, spot, self.column(spots, "names"), &random) { word(&$0) }
            }
            return
        }
        let spot = try spots.create(replica.container(in: transaction))
        spots.set(spot, self.column(spots, "x"), .int(Int64(random.below(6))))
        addresses.set(address, column, .object(spot))
    }

    private func editParts(_ random: inout SeededNumbers) throws {
        guard let item = some("Item", &random) else { return }
        let items = table("Item")
        let parts = table("Part")
        let column = column(items, "parts")
        let count = items.listCount(item, column)
        switch random.below(8) {
        case 0 where count > 0: items.listRemove(item, column, random.below(count))
        case 1 where count > 1: items.listMove(item, column, random.below(count), random.below(count))
        case 2...4 where count > 0:
            if case .object(let part) = items.listValue(item, column, random.below(count)), parts.exists(part) {
                set(parts, part, &random)
            }
        case 5 where count > 0 && random.happens(percent: 20): items.listClear(item, column)
        default:
            let part = try parts.create(replica.container(in: transaction))
            parts.set(part, self.column(parts, "n"), .int(Int64(random.below(6))))
            items.listInsert(item, column, random.below(count + 1), .object(part))
        }
    }

    // MARK: - Pieces

    private func table(_ name: String) -> Table {
        guard let table = transaction.table(name) else { preconditionFailure("no class \(name)") }
        return table
    }

    private func column(_ table: Table, _ name: String) -> Int {
        guard let column = table.schema.index(of: name) else { preconditionFailure("no property \(name)") }
        return column
    }

    private func some(_ className: String, _ random: inout SeededNumbers) -> ObjectKey? {
        let keys = table(className).allKeys
        return keys.isEmpty ? nil : random.one(of: keys)
    }

    private func word(_ random: inout SeededNumbers) -> Value {
        .string(random.one(of: vocabulary.words))
    }
}
