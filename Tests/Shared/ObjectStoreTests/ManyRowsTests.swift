import CausewayFolders
import CausewayModel
import CausewayObjectStoreReference
import CausewaySeeds
import CausewayQuery
import CausewayStorage
import Testing

@testable import CausewayObjectStore

/// Thousands of rows with few distinct values, so that chunks and blocks split, join and go, against dictionaries.
@Suite("Indexes, backlinks and primary keys of many rows")
struct ManyRowsTests {
    private static let seeds = SeedList.drawn(for: "many-rows", count: 5)
    private static let damageSeeds = SeedList.drawn(for: "many-rows-damage", count: 12)

    private static let schema = Schema([
        ClassSchema(
            name: "Item",
            properties: [
                Property(name: "id", type: .int, isPrimaryKey: true),
                Property(name: "group", type: .int, isOptional: true, isIndexed: true),
                Property(name: "text", type: .string, isIndexed: true),
                Property(name: "hub", type: .object, isOptional: true, target: "Hub"),
                Property(name: "hubs", type: .object, collection: .list, target: "Hub"),
            ]),
        ClassSchema(name: "Hub", properties: [Property(name: "name", type: .string, isPrimaryKey: true)]),
    ])

    private struct Item {
        var id: Int64
        var group: Int64?
        var text: String
        var hub: ObjectKey?
        var hubs: [ObjectKey] = []
    }

    @Test(
        "what is there is what was written, while writing, after commits and aborts, reopened", arguments: seeds
    )
    func history(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        var numbers = SeededNumbers(seed: seed)
        var items: [ObjectKey: Item] = [:]
        var store = try ObjectStore.open(path: folder.file("a.realm"))
        var transaction = try store.write()
        try transaction.extendSchema(Self.schema)
        let hubs = try (0..<4).map { try transaction.existing("Hub").create(.string("hub \($0)")) }
        try transaction.commit()
        for round in 0..<10 {
            let before = items
            try transaction.beginWriting()
            for part in 0..<2 {
                try change(
                    transaction, &items, &numbers, hubs, times: round % 5 == 1 ? 2000 : numbers.one(of: [20, 700]))
                if numbers.once(in: 3) {
                    let count = numbers.one(of: [1, 300, 999, 1000, 1001, 2600])
                    try createMany(transaction, &items, &numbers, hubs, count)
                }
                if part == 0 || numbers.once(in: 2) {
                    try expectSame(transaction, items, hubs, &numbers, "seed \(seed), round \(round), writing")
                }
            }
            if numbers.once(in: 4) {
                transaction.abort()
                items = before
            } else {
                try transaction.commit(.relaxed)
            }
            if numbers.once(in: 4) {
                transaction.end()
                store.close()
                store = try ObjectStore.open(path: folder.file("a.realm"))
                transaction = try store.read()
            }
            try expectSame(transaction, items, hubs, &numbers, "seed \(seed), after round \(round)")
        }
    }

    /// Items made at once: above all keys, in between, or any way round.
    private func createMany(
        _ transaction: Transaction, _ items: inout [ObjectKey: Item], _ numbers: inout SeededNumbers,
        _ hubs: [ObjectKey], _ count: Int
    ) throws {
        let table = try transaction.existing("Item")
        let known = Set(items.values.map(\.id))
        let largest = known.max() ?? 0
        var ids: [Int64] = []
        switch numbers.below(3) {
        case 0: ids = (1...count).map { largest + Int64($0) * 2 }
        case 1: ids = (1...count).map { largest + Int64($0) }.shuffled(using: &numbers)
        default:
            ids = Array(Set((0..<count).map { _ in Int64(numbers.below(30_000)) }).subtracting(known)).sorted()
            ids.shuffle(using: &numbers)
        }
        // Some of the keys are ghosts.
        if numbers.once(in: 2) { for id in ids.prefix(3) { _ = table.ghost(.int(id)) } }
        if let taken = known.first {
            #expect(throws: NewKeysRefusal.self) { _ = try table.beginRows(.integers(ids + [taken])) }
        }
        // More values than a leaf's dictionary takes, now and then.
        let texts = numbers.once(in: 2) ? ["", "a", "abc"] : (0..<700).map { "text \($0)" }
        let rows = try table.beginRows(.integers(ids))
        while let part = rows.next() {
            let first = rows.open()
            for (position, element) in part.enumerated() {
                let item = Item(
                    id: ids[element], group: numbers.once(in: 6) ? nil : Int64(numbers.below(3)),
                    text: numbers.one(of: texts), hub: numbers.once(in: 5) ? nil : numbers.one(of: hubs))
                let row = first.advanced(by: position)
                #expect(row.key == rows.key(of: element))
                row.set(0, item.id)
                rows.set(position, 1, item.group.map { .int($0) } ?? .null)
                rows.set(position, 2, .string(item.text))
                if let hub = item.hub { row.set(3, hub.rawValue) } else { row.setNull(3) }
                items[row.key] = item
            }
            rows.close()
            #expect(!rows.isDisturbed)
        }
    }

    private func change(
        _ transaction: Transaction, _ items: inout [ObjectKey: Item], _ numbers: inout SeededNumbers,
        _ hubs: [ObjectKey], times: Int
    ) throws {
        let table = try transaction.existing("Item")
        var keys = items.keys.sorted()
        let isShrinking = numbers.once(in: 3)
        func text() -> String { numbers.one(of: ["", "a", "ab", "abc", String(repeating: "long", count: 52)]) }
        for _ in 0..<times {
            switch numbers.below(8) {
            case 0..<4 where !isShrinking || keys.isEmpty:
                // Mostly ascending, now and then in between.
                let id = numbers.once(in: 3) ? Int64(numbers.below(20_000)) : Int64(keys.count) * 3
                guard table.key(for: .int(id)) == nil else { continue }
                let item = Item(
                    id: id, group: numbers.once(in: 6) ? nil : Int64(numbers.below(3)), text: text(),
                    hub: numbers.once(in: 5) ? nil : numbers.one(of: hubs))
                let row: [Value] = [
                    .null, item.group.map { .int($0) } ?? .null, .string(item.text),
                    item.hub.map { .object($0) } ?? .null, .null,
                ]
                let key = try table.create(.int(id), row: row)
                items[key] = item
                keys.append(key)
            case 0..<4:
                let place = numbers.below(keys.count)
                if numbers.once(in: 40) {
                    // Every third one, together.
                    let gone = keys.indices.filter { $0 % 3 == place % 3 }.map { keys[$0] }
                    table.delete(gone)
                    for key in gone { items[key] = nil }
                    keys.removeAll { items[$0] == nil }
                    continue
                }
                table.delete(keys[place])
                items[keys.remove(at: place)] = nil
            case 4:
                guard let key = keys.randomElement(using: &numbers) else { continue }
                let group = numbers.once(in: 6) ? nil : Int64(numbers.below(3))
                table.set(key, 1, group.map { .int($0) } ?? .null)
                items[key]?.group = group
            case 5:
                guard let key = keys.randomElement(using: &numbers) else { continue }
                let text = text()
                table.set(key, 2, .string(text))
                items[key]?.text = text
            case 6:
                guard let key = keys.randomElement(using: &numbers) else { continue }
                let hub = numbers.once(in: 4) ? nil : numbers.one(of: hubs)
                table.set(key, 3, hub.map { .object($0) } ?? .null)
                items[key]?.hub = hub
            default:
                guard let key = keys.randomElement(using: &numbers), let item = items[key] else { continue }
                if item.hubs.count > 2 {
                    table.listRemove(key, 4, 1)
                    items[key]?.hubs.remove(at: 1)
                } else {
                    let hub = numbers.one(of: hubs)
                    table.listInsert(key, 4, 0, .object(hub))
                    items[key]?.hubs.insert(hub, at: 0)
                }
            }
        }
    }

    private func expectSame(
        _ transaction: Transaction, _ items: [ObjectKey: Item], _ hubs: [ObjectKey], _ numbers: inout SeededNumbers,
        _ when: String
    ) throws {
        let table = try transaction.existing("Item")
        let keys = items.keys.sorted()
        #expect(table.allKeys == keys && table.count == keys.count, "\(when)")
        for _ in 0..<200 {
            let id = Int64(numbers.below(22_000)) - 1000
            #expect(table.key(for: .int(id)) == items.first { $0.value.id == id }?.key, "\(when), id \(id)")
        }
        for (key, item) in items { #expect(table.key(for: .int(item.id)) == key, "\(when), id \(item.id)") }
        let long = String(repeating: "long", count: 52)
        let queries: [(String, (Item) -> Bool)] = [
            ("group == 1", { $0.group == 1 }), ("group == nil", { $0.group == nil }),
            ("group IN {0, 2}", { $0.group == 0 || $0.group == 2 }), ("group > 0", { $0.group ?? 0 > 0 }),
            ("group <= 1 AND group >= 1", { $0.group == 1 }), ("text == 'ab'", { $0.text == "ab" }),
            ("text BEGINSWITH 'ab'", { $0.text.hasPrefix("ab") }), ("text == ''", { $0.text.isEmpty }),
            ("text == '\(long)'", { $0.text == long }), ("text > 'ab'", { $0.text > "ab" }),
            ("text == 'a' AND group == 2", { $0.text == "a" && $0.group == 2 }),
            ("text == 'a' OR group == 2", { $0.text == "a" || $0.group == 2 }),
            ("id >= 300 AND id < 2000", { $0.id >= 300 && $0.id < 2000 }), ("id < 90", { $0.id < 90 }),
            ("hub.name == 'hub 2'", { $0.hub == hubs[2] }),
        ]
        for (text, matches) in queries {
            let predicate = try Predicate.parse(text).bound(to: "Item", in: Self.schema)
            let expected = keys.filter { items[$0].map(matches) ?? false }
            for scanCost in [nil, Double.infinity] {
                let plan = QueryPlan(table, predicate, scanCost: scanCost)
                #expect(plan.keys() == expected, "\(when), \(text)")
                #expect(plan.count() == expected.count, "\(when), \(text)")
            }
        }
        let table2 = try transaction.existing("Hub")
        for hub in hubs {
            let linked = keys.filter { items[$0]?.hub == hub }
            #expect(table2.backlinks(to: hub, from: table, 3) == linked, "\(when)")
            let listed = keys.flatMap { key in items[key]?.hubs.filter { $0 == hub }.map { _ in key } ?? [] }
            #expect(table2.backlinks(to: hub, from: table, 4) == listed, "\(when)")
            #expect(table2.backlinkCount(to: hub) == linked.count + listed.count, "\(when)")
        }
    }

    @Test("deleting all objects gives their leaves, blocks and chunks back")
    func emptied() throws {
        let folder = try TemporaryFolder()
        let store = try ObjectStore.open(path: folder.file("a.realm"))
        let transaction = try store.write()
        try transaction.extendSchema(Self.schema)
        let hub = try transaction.existing("Hub").create(.string("hub"))
        let table = try transaction.existing("Item")
        for number in 0..<5000 {
            _ = try table.create(
                .int(Int64(number)), row: [.null, .int(Int64(number % 3)), .string("a"), .object(hub), .null])
        }
        try transaction.commit()
        try transaction.beginWriting()
        for key in table.allKeys.dropLast() { table.delete(key) }
        try transaction.commit()
        #expect(table.allKeys == [ObjectKey(4999)])
        for number in 0..<4 {
            for column in table.columns where column.kind != nil {
                #expect(transaction.reader.leaf(column: column.id, number: UInt32(number)) == nil)
            }
        }
        let trees = [table.integerKeys.blocks.tree, table.columns[1].indexTree, table.columns[2].indexTree]
        for tree in trees { #expect(transaction.reader.count(tree: tree, from: [], upTo: nil) == 1) }
        #expect(try transaction.existing("Hub").backlinks(to: hub, from: table, 3) == [ObjectKey(4999)])
        try transaction.beginWriting()
        #expect(try table.create(.int(1)) == ObjectKey(5000))
        try transaction.commit()
        #expect(table.allKeys == [ObjectKey(4999), ObjectKey(5000)])
    }

    @Test("damaged chunks and blocks are an error or absent, never a crash", arguments: damageSeeds)
    func damaged(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        var numbers = SeededNumbers(seed: seed)
        do {
            let store = try ObjectStore.open(path: folder.file("a.realm"))
            let transaction = try store.write()
            try transaction.extendSchema(Self.schema)
            let hubs = try (0..<4).map { try transaction.existing("Hub").create(.string("hub \($0)")) }
            try transaction.commit()
            var items: [ObjectKey: Item] = [:]
            try transaction.beginWriting()
            try change(transaction, &items, &numbers, hubs, times: 1500)
            let table = try transaction.existing("Item")
            let trees =
                [table.integerKeys.blocks.tree, try transaction.existing("Hub").backlinks.chunks.tree]
                + table.columns.map(\.indexTree).filter { $0 != 0 }
            try transaction.commit()
            transaction.end()
            store.close()
            try damage(folder.file("a.realm"), trees, &numbers)
        }
        let store = try ObjectStore.open(path: folder.file("a.realm"))
        _ = try? use(try store.read())
        let writing = try store.write()
        _ = try? use(writing)
        let table = try writing.existing("Item")
        for key in table.allKeys.prefix(50) { table.set(key, 1, .int(2)) }
        for key in table.allKeys.suffix(50) { table.delete(key) }
        for key in try writing.existing("Hub").allKeys { try writing.existing("Hub").delete(key) }
        for id in 30_000..<30_100 { _ = try? table.create(.int(Int64(id))) }
        _ = try? use(writing)
        _ = try? writing.commit()
    }

    /// Changes bytes of some values through the storage below.
    private func damage(_ path: String, _ trees: [UInt32], _ numbers: inout SeededNumbers) throws {
        let storage = try StorageRegistry.shared.open(path: path, options: StorageOptions())
        let writer = try storage.write()
        for tree in trees {
            var entries: [(key: [UInt8], value: [UInt8])] = []
            writer.scan(tree: tree, from: [], upTo: nil, reversed: false) { key, value in
                entries.append((Array(key), Array(value)))
                return true
            }
            for (key, value) in entries where numbers.once(in: 2) {
                var changed = value
                for _ in 0..<1 + numbers.below(3) where !changed.isEmpty {
                    changed[numbers.below(numbers.once(in: 2) ? min(12, changed.count) : changed.count)] =
                        UInt8(numbers.below(256))
                }
                if numbers.once(in: 4) { changed.removeLast(min(changed.count, numbers.below(5))) }
                changed.withUnsafeBytes { value in
                    key.withUnsafeBytes { writer.put(tree: tree, key: $0, value: value) }
                }
            }
        }
        _ = try writer.commit(.durable)
    }

    private func use(_ transaction: Transaction) throws {
        let table = try transaction.existing("Item")
        let hubs = try transaction.existing("Hub")
        for id in stride(from: 0, to: 20_000, by: 7) { _ = table.key(for: .int(Int64(id))) }
        for hub in hubs.allKeys {
            _ = hubs.backlinks(to: hub, from: table, 3)
            _ = hubs.backlinks(to: hub, from: table, 4)
            _ = hubs.backlinkCount(to: hub)
        }
        for text in ["group == 1", "group < 2", "text == 'ab'", "text > 'a'", "id < 500", "hub.name == 'hub 1'"] {
            let plan = QueryPlan(
                table, try Predicate.parse(text).bound(to: "Item", in: Self.schema), scanCost: .infinity)
            _ = plan.keys()
            _ = plan.count()
        }
    }
}
