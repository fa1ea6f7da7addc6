import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOpLog

/// Does deeds to one item in an app's write.
struct Doing {
    let transaction: Transaction
    let replica: Replica
    let items: Table
    /// The items of one journey: what is changed, and what it links to.
    let name: PrimaryKey
    let otherName: PrimaryKey
    let word: Value
    /// One, as this writer writes it: all writers' are one element of a set, of which one stands as it was written.
    let one: Value
    /// What this writer gives to a mixed property that holds no collection.
    let scalar: Value

    /// - Parameter writer: from 0.
    init?(
        _ transaction: Transaction, _ replica: Replica, name: Int64, otherName: Int64, word: String, writer: Int
    ) {
        guard let items = transaction.table("Item") else { return nil }
        self.transaction = transaction
        self.replica = replica
        self.items = items
        self.name = .int(name)
        self.otherName = .int(otherName)
        self.word = .string(word)
        one = .decimal(DecimalNumber(["1", "1.0", "1.00"][writer]) ?? .notANumber)
        scalar = [.double(-0.0), .double(Double(nan: 3, signaling: false)), .string(word)][writer]
    }

    /// False when there is nothing to do it to.
    func perform(_ deed: Deed) throws -> Bool {
        switch deed {
        case .makeAnew:
            if let item = items.key(for: name) { items.delete(item, leavingGhost: true) }
            return try make(name)
        case .makeOtherAnew:
            if let item = items.key(for: otherName) { items.delete(item, leavingGhost: true) }
            return try make(otherName)
        case .deleteOther:
            guard let other = items.key(for: otherName) else { return false }
            items.delete(other, leavingGhost: true)
            return true
        default:
            guard let item = items.key(for: name) else { return false }
            return try perform(deed, item)
        }
    }

    func make(_ name: PrimaryKey) throws -> Bool {
        let item = try items.create(name)
        items.set(item, column("name"), word)
        items.set(item, column("flag"), .bool(true))
        return true
    }

    private func perform(_ deed: Deed, _ item: ObjectKey) throws -> Bool {
        switch deed {
        case .rename: items.set(item, column("name"), word)
        case .like: items.add(1, to: item, column("likes"))
        case .setLikes: items.set(item, column("likes"), .int(100))
        case .hide: items.set(item, column("flag"), .bool(false))
        case .show: items.set(item, column("flag"), .bool(true))
        case .delete: items.delete(item, leavingGhost: true)
        case .unlink: items.set(item, column("link"), .null)
        case .linkOther, .befriendOther:
            guard let other = items.key(for: otherName) else { return false }
            if deed == .linkOther {
                items.set(item, column("link"), .object(other))
            } else {
                items.listAppend(item, column("friends"), .object(other))
            }
        case .include: items.setInsert(item, column("labels"), one)
        case .exclude: items.setRemove(item, column("labels"), one)
        case .clearSet: items.listClear(item, column("labels"))
        case .putA: items.mapPut(item, column("scores"), "", word)
        case .removeA: items.mapRemove(item, column("scores"), "")
        case .clearMap: items.mapClear(item, column("scores"))
        case .insertFirst, .insertLast, .removeFirst, .setFirst, .moveFirstToLast, .clearList:
            return edit(items, item, column("tags"), deed)
        case .typeFirst, .typeWithin, .eraseWithin, .replaceText: return edit(textOf: item, deed)
        case .embed, .setCity, .addToEmbedded, .removeEmbedded: return try editAddress(of: item, deed)
        case .appendPart, .setPart, .movePart, .removePart: return try editParts(of: item, deed)
        case .mixList: items.set(item, column("it"), try nest(.list))
        case .mixMap: items.set(item, column("it"), try nest(.map))
        case .mixText: items.set(item, column("it"), scalar)
        case .innerAdd, .innerSet, .innerRemove, .innerMove, .innerClear, .deepMake, .deepAdd:
            return try editNested(in: item, deed)
        case .makeAnew, .makeOtherAnew, .deleteOther: return false
        }
        return true
    }

    func column(_ name: String) -> Int { column(name, of: items) }

    func column(_ name: String, of table: Table) -> Int {
        guard let column = table.schema.index(of: name) else { preconditionFailure("no property \(name)") }
        return column
    }

    func table(_ name: String) -> Table {
        guard let table = transaction.table(name) else { preconditionFailure("no class \(name)") }
        return table
    }
}

// MARK: - Collections and texts

extension Doing {
    private func edit(_ table: Table, _ key: ObjectKey, _ column: Int, _ deed: Deed) -> Bool {
        let count = table.listCount(key, column)
        switch deed {
        case .insertFirst: table.listInsert(key, column, 0, word)
        case .insertLast, .innerAdd: table.listAppend(key, column, word)
        case .removeFirst where count > 0, .innerRemove where count > 0: table.listRemove(key, column, 0)
        case .setFirst where count > 0, .innerSet where count > 0: table.listSet(key, column, 0, word)
        case .moveFirstToLast where count > 1, .innerMove where count > 1: table.listMove(key, column, 0, count - 1)
        case .clearList where count > 0, .innerClear where count > 0: table.listClear(key, column)
        default: return false
        }
        return true
    }

    private func edit(textOf item: ObjectKey, _ deed: Deed) -> Bool {
        let column = column("body")
        guard case .string(let text) = items.value(item, column), case .string(let word) = self.word else {
            return false
        }
        let count = text.unicodeScalars.count
        switch deed {
        case .typeFirst: items.edit(item, text: column, .insert(word, at: 0))
        case .typeWithin: items.edit(item, text: column, .insert(word, at: min(1, count)))
        case .eraseWithin where count > 1: items.edit(item, text: column, .remove(1..<min(3, count)))
        case .replaceText: items.set(item, column, .string("new " + word))
        default: return false
        }
        return true
    }
}

// MARK: - What is embedded

extension Doing {
    private func editAddress(of item: ObjectKey, _ deed: Deed) throws -> Bool {
        let addresses = table("Address")
        let column = column("address")
        if deed == .embed {
            let address = try addresses.create(replica.container(in: transaction))
            addresses.set(address, self.column("city", of: addresses), word)
            items.set(item, column, .object(address))
            return true
        }
        guard case .object(let address) = items.value(item, column), addresses.exists(address) else { return false }
        switch deed {
        case .setCity: addresses.set(address, self.column("city", of: addresses), word)
        case .addToEmbedded: addresses.add(1, to: address, self.column("number", of: addresses))
        default: items.set(item, column, .null)
        }
        return true
    }

    private func editParts(of item: ObjectKey, _ deed: Deed) throws -> Bool {
        let parts = table("Part")
        let column = column("parts")
        let count = items.listCount(item, column)
        switch deed {
        case .appendPart:
            let part = try parts.create(replica.container(in: transaction))
            parts.set(part, self.column("n", of: parts), word)
            items.listAppend(item, column, .object(part))
        case .setPart:
            guard count > 0, case .object(let part) = items.listValue(item, column, 0), parts.exists(part) else {
                return false
            }
            parts.set(part, self.column("n", of: parts), word)
        case .movePart where count > 1: items.listMove(item, column, 0, count - 1)
        case .removePart where count > 0: items.listRemove(item, column, 0)
        default: return false
        }
        return true
    }

    /// A collection with one value in it.
    private func nest(_ kind: NestedCollection) throws -> Value {
        guard let table = transaction.nestedTable(kind) else { preconditionFailure("no class of nested collections") }
        let key = try table.create(replica.container(in: transaction))
        switch kind {
        case .list: table.listAppend(key, NestedCollection.column, word)
        case .map: table.mapPut(key, NestedCollection.column, "\u{E9}", word)
        }
        return .anyObject(ClassedKey(table.number, key))
    }

    private func editNested(in item: ObjectKey, _ deed: Deed) throws -> Bool {
        guard let (table, key, kind) = transaction.nested(items.value(item, column("it"))), table.exists(key) else {
            return false
        }
        let column = NestedCollection.column
        if deed == .deepAdd {
            for value in table.listValues(key, column) {
                guard let (deep, deepKey, deepKind) = transaction.nested(value), deep.exists(deepKey) else { continue }
                return try edit(deep, deepKey, deepKind, .innerAdd)
            }
            return false
        }
        return try edit(table, key, kind, deed)
    }

    private func edit(_ table: Table, _ key: ObjectKey, _ kind: NestedCollection, _ deed: Deed) throws -> Bool {
        let column = NestedCollection.column
        if deed == .deepMake {
            let made = try nest(kind == .list ? .map : .list)
            if kind == .list {
                table.listInsert(key, column, 0, made)
            } else {
                table.mapPut(key, column, "d", made)
            }
            return true
        }
        guard kind == .map else { return edit(table, key, column, deed) }
        switch deed {
        // One text to Unicode, and two keys.
        case .innerAdd: table.mapPut(key, column, "e\u{301}", word)
        case .innerSet: table.mapPut(key, column, "\u{E9}", word)
        case .innerRemove: table.mapRemove(key, column, "\u{E9}")
        case .innerClear: table.mapClear(key, column)
        default: return false
        }
        return true
    }
}
