import CausewayExactValues
import CausewayModel
import CausewayObjectStore
import CausewayObjectStoreReference
import CausewaySeeds
import Testing

/// Sets and maps in the store against Swift's own dictionaries.
@Suite struct KeyedTests {
    private static let seeds = SeedList.drawn(for: "keyed", count: 12)

    private static let schema = Schema([
        ClassSchema(
            name: "Box",
            properties: [
                Property(name: "id", type: .int, isPrimaryKey: true),
                Property(name: "texts", type: .string, collection: .set),
                Property(name: "numbers", type: .double, collection: .set, isOptional: true),
                Property(name: "things", type: .object, collection: .set, target: "Thing"),
                Property(name: "counts", type: .int, collection: .map, isOptional: true),
                Property(name: "links", type: .object, collection: .map, isOptional: true, target: "Thing"),
                Property(name: "labels", type: .object, collection: .map, isOptional: true, target: "Label"),
                Property(name: "amounts", type: .decimal128, collection: .set),
            ]),
        ClassSchema(name: "Thing", properties: [Property(name: "id", type: .int, isPrimaryKey: true)]),
        ClassSchema(name: "Label", kind: .embedded, properties: [Property(name: "text", type: .string)]),
    ])

    private enum Column {
        static let texts = 1
        static let numbers = 2
        static let things = 3
        static let counts = 4
        static let links = 5
        static let labels = 6
        static let amounts = 7
    }

    private func store() throws -> ObjectStore {
        let store = try ObjectStore.open(
            path: "keyed-\(UInt64.random(in: 0 ... .max))", options: .init(inMemory: true))
        let transaction = try store.write()
        try transaction.extendSchema(Self.schema)
        _ = try transaction.commit()
        transaction.end()
        return store
    }

    @Test("a set is in canonical order with every element once, and a map is what a dictionary is, across commits")
    func random() throws {
        for seed in Self.seeds {
            var numbers = SeededNumbers(seed: seed)
            let store = try store()
            var texts: Set<ExactString> = []
            var counts: [ExactString: Value] = [:]
            // Some seeds make collections that need chunks.
            let universe = seed % 3 == 0 ? 3_000 : 20
            var key = ObjectKey(0)
            for round in 0..<6 {
                let transaction = try store.write()
                let table = try #require(transaction.table("Box"))
                if round == 0 { key = try table.create(.int(1)) }
                for _ in 0..<universe {
                    let name = Self.name(numbers.below(universe))
                    let text = name.string
                    switch numbers.below(20) {
                    case 0..<7:
                        #expect(table.setInsert(key, Column.texts, .string(text)) == texts.insert(name).inserted)
                    case 7..<10:
                        #expect(table.setRemove(key, Column.texts, .string(text)) == (texts.remove(name) != nil))
                    case 10..<17:
                        let value: Value = numbers.once(in: 5) ? .null : .int(Int64(numbers.below(100)))
                        table.mapPut(key, Column.counts, text, value)
                        counts[name] = value
                    case 17 where numbers.once(in: universe):
                        table.mapClear(key, Column.counts)
                        counts = [:]
                    default:
                        #expect(table.mapRemove(key, Column.counts, text) == (counts.removeValue(forKey: name) != nil))
                    }
                }
                _ = try transaction.commit()
                transaction.end()
                let reader = try store.read()
                let stored = try #require(reader.table("Box"))
                let ascending = Self.inOrderOfBytes(texts)
                #expect(
                    stored.listValues(key, Column.texts).map { ExactValue($0) }
                        == ascending.map { ExactValue(.string($0.string)) }, "seed \(seed)")
                let keys = Self.inOrderOfBytes(counts.keys)
                #expect(stored.mapKeys(key, Column.counts).map { ExactString($0) } == keys, "seed \(seed)")
                #expect(stored.listValues(key, Column.counts) == keys.map { counts[$0] }, "seed \(seed)")
                for name in keys.prefix(20) {
                    #expect(stored.mapValue(key, Column.counts, name.string) == counts[name], "seed \(seed)")
                }
                #expect(stored.mapValue(key, Column.counts, "missing") == nil)
                reader.end()
            }
        }
    }

    /// Pairs that are one text to Unicode, and two by their bytes; look-alikes; long ones that differ at the end only; the
    /// empty one.
    private static func name(_ number: Int) -> ExactString {
        let beginnings = [
            "text ", "\u{E9}", "e\u{301}", "K", "\u{212A}", "\u{FB01}", "fi", "\u{FF21}", "A",
            String(repeating: "d", count: 400),
        ]
        let (group, place) = number.quotientAndRemainder(dividingBy: beginnings.count)
        return ExactString(number == 0 ? "" : beginnings[place] + "\(group)")
    }

    private static func inOrderOfBytes(_ names: some Sequence<ExactString>) -> [ExactString] {
        names.sorted { $0.string.utf8.lexicographicallyPrecedes($1.string.utf8) }
    }

    @Test("of numbers that are equal the one that stands in a set stays, bit by bit, until it is removed")
    func standingNumbers() throws {
        let doubles: [Value] = [
            .double(0), .double(-0.0), .double(.nan), .double(Double(nan: 3, signaling: false)), .double(-.nan),
            .double(1),
            .double(-3), .double(.infinity),
        ]
        let decimals = ["1", "1.0", "1.00", "0", "-0", "0.00", "NaN", "1E+1", "10", "-1", "-1.0", "Infinity"].map {
            Value.decimal(DecimalNumber($0) ?? .zero)
        }
        for seed in Self.seeds {
            var numbers = SeededNumbers(seed: seed)
            let store = try store()
            var sets: [Int: [SetIdentity: ExactValue]] = [Column.numbers: [:], Column.amounts: [:]]
            var key = ObjectKey(0)
            for round in 0..<6 {
                let transaction = try store.write()
                let table = try #require(transaction.table("Box"))
                if round == 0 { key = try table.create(.int(1)) }
                for _ in 0..<20 {
                    let column = numbers.one(of: [Column.numbers, Column.amounts])
                    let value = numbers.one(of: column == Column.numbers ? doubles : decimals)
                    let isThere = sets[column]?[SetIdentity(value)] != nil
                    if numbers.once(in: 3) {
                        #expect(table.setRemove(key, column, value) == isThere, "seed \(seed)")
                        sets[column]?[SetIdentity(value)] = nil
                    } else {
                        #expect(table.setInsert(key, column, value) == !isThere, "seed \(seed)")
                        if !isThere { sets[column]?[SetIdentity(value)] = ExactValue(stored: value) }
                    }
                }
                _ = try transaction.commit()
                transaction.end()
                let reader = try store.read()
                let stored = try #require(reader.table("Box"))
                for (column, expected) in sets {
                    let found = stored.listValues(key, column).map { ExactValue($0) }
                    #expect(found.count == expected.count, "seed \(seed)")
                    #expect(Set(found) == Set(expected.values), "seed \(seed), column \(column)")
                }
                reader.end()
            }
        }
    }

    @Test("0 and -0 are one element of a set, and so are NaNs and nulls")
    func sameElements() throws {
        let store = try store()
        let transaction = try store.write()
        defer { transaction.end() }
        let table = try #require(transaction.table("Box"))
        let key = try table.create(.int(1))
        for value: Value in [.double(0), .double(-0.0), .double(.nan), .double(-.nan), .null, .null, .double(-3)] {
            table.setInsert(key, Column.numbers, value)
        }
        #expect(table.listCount(key, Column.numbers) == 4)
        #expect(table.listValue(key, Column.numbers, 0) == .null)
        #expect(table.setRemove(key, Column.numbers, .double(.nan)))
        #expect(table.listValues(key, Column.numbers) == [.null, .double(-3), .double(0)])
    }

    @Test("what a set links to leaves it when it ends, a map keeps the key and shows null")
    func endedTargets() throws {
        let store = try store()
        let transaction = try store.write()
        defer { transaction.end() }
        let boxes = try #require(transaction.table("Box"))
        let things = try #require(transaction.table("Thing"))
        let box = try boxes.create(.int(1))
        let rows = try (0..<200).map { try things.create(.int(Int64($0))) }
        for row in rows {
            boxes.setInsert(box, Column.things, .object(row))
            boxes.mapPut(box, Column.links, "key \(row.rawValue)", .object(row))
        }
        #expect(things.backlinkCount(to: rows[3]) == 2)
        for row in rows where row.rawValue % 2 == 0 { things.delete(row) }
        #expect(boxes.listCount(box, Column.things) == 100)
        #expect(boxes.listCount(box, Column.links) == 200)
        #expect(boxes.mapValue(box, Column.links, "key 4") == .null)
        #expect(boxes.mapValue(box, Column.links, "key 5") == .object(rows[5]))
        boxes.mapRemove(box, Column.links, "key 5")
        boxes.setRemove(box, Column.things, .object(rows[5]))
        #expect(things.backlinkCount(to: rows[5]) == 0)
        boxes.delete(box)
        #expect(things.backlinkCount(to: rows[7]) == 0)
        _ = try transaction.commit()
    }

    @Test("an embedded object ends with its key, with its place, and with its map")
    func embedded() throws {
        let store = try store()
        let transaction = try store.write()
        defer { transaction.end() }
        let boxes = try #require(transaction.table("Box"))
        let labels = try #require(transaction.table("Label"))
        let box = try boxes.create(.int(1))
        let rows = try (1...4).map {
            try labels.create(.container(ElementID(client: ClientID(1), counter: UInt64($0))))
        }
        for (row, name) in zip(rows, ["a", "b", "c", "d"]) { boxes.mapPut(box, Column.labels, name, .object(row)) }
        boxes.mapRemove(box, Column.labels, "a")
        boxes.mapPut(box, Column.labels, "b", .null)
        #expect(!labels.exists(rows[0]) && !labels.exists(rows[1]))
        boxes.mapReplace(box, Column.labels, [("d", .object(rows[3])), ("e", .null)])
        #expect(!labels.exists(rows[2]) && labels.exists(rows[3]))
        #expect(boxes.mapKeys(box, Column.labels) == ["d", "e"])
        boxes.delete(box)
        #expect(labels.allKeys.isEmpty)
        _ = try transaction.commit()
    }

    @Test("replacing writes only what differs")
    func replacing() throws {
        let store = try store()
        var transaction = try store.write()
        var table = try #require(transaction.table("Box"))
        let key = try table.create(.int(1))
        table.setReplace(key, Column.texts, ["c", "a", "b", "a"].map { .string($0) })
        table.mapReplace(key, Column.counts, [("x", .int(1)), ("y", .int(2)), ("x", .int(3))])
        #expect(table.listValues(key, Column.texts) == ["a", "b", "c"].map { .string($0) })
        #expect(table.mapValue(key, Column.counts, "x") == .int(3))
        _ = try transaction.commit()
        transaction.end()

        transaction = try store.write()
        defer { transaction.end() }
        table = try #require(transaction.table("Box"))
        table.setReplace(key, Column.texts, ["c", "b", "a"].map { .string($0) })
        #expect(transaction.changes.isEmpty)
        table.setReplace(key, Column.texts, ["c", "d"].map { .string($0) })
        table.mapReplace(key, Column.counts, [("y", .int(5)), ("z", .null)])
        let changes = try #require(transaction.changes.classes["Box"])
        #expect(
            changes.listEdits[ChangedList(key: key, column: Column.texts)] == [
                .remove(0), .remove(0), .insert(1, .string("d")),
            ])
        #expect(changes.listEdits[ChangedList(key: key, column: Table.keys(of: Column.counts))] == nil)
        #expect(changes.modified[key]?.columns == [Column.texts, Column.counts])
        #expect(table.mapKeys(key, Column.counts) == ["y", "z"])
    }
}
