import CausewayModel
import CausewayObjectStoreReference
import CausewaySeeds
import CausewayStorage
import Testing

@testable import CausewayObjectStore

@Suite("Rows made value by value")
struct NewRowTests {
    private static let seeds = SeedList.drawn(for: "new-rows", count: 4)

    @Test("they are what rows made in one piece are", arguments: seeds)
    func sameAsWhole(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let stores = try (openInMemory("whole \(seed)"), openInMemory("typed \(seed)"))
        let (whole, typed) = try (stores.0.write(), stores.1.write())
        for transaction in [whole, typed] {
            try transaction.extendSchema(Models.schema)
            try transaction.commit(.relaxed)
        }
        for round in 0..<3 {
            for transaction in [whole, typed] { try transaction.beginWriting() }
            let tables = try (whole.existing("Everything"), typed.existing("Everything"))
            // Some objects come to life as ghosts in leaves that are old by then.
            let ghosts = (0..<20).map { PrimaryKey.int(Int64(round * 2000 + 5000 + $0)) }
            for ghost in ghosts {
                _ = tables.0.ghost(ghost)
                _ = tables.1.ghost(ghost)
            }
            for number in 0..<700 {
                let id = Int64(number < 20 && round > 0 ? (round - 1) * 2000 + 5000 + number : round * 700 + number)
                let row = values(id, &numbers)
                let key = try tables.0.create(.int(id), row: row)
                let typedRow = try tables.1.beginRow(.int(id))
                for column in row.indices { set(tables.1, typedRow, column, row[column]) }
                #expect(key == typedRow.key, "seed \(seed), round \(round), id \(id)")
            }
            #expect(whole.changes == typed.changes, "seed \(seed), round \(round)")
            expectEqual(tables, "seed \(seed), writing, round \(round)")
            if numbers.once(in: 4) {
                whole.abort()
                typed.abort()
                try whole.beginWriting()
                try typed.beginWriting()
            }
            try whole.commit(.relaxed)
            try typed.commit(.relaxed)
            expectEqual(tables, "seed \(seed), committed, round \(round)")
        }
    }

    @Test("rows of leaves that a write has packed already are read and changed like others", arguments: seeds.prefix(1))
    func packedEarly(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let store = try openInMemory("packed early \(seed)")
        let transaction = try store.write()
        try transaction.extendSchema(Models.schema)
        try transaction.commit(.relaxed)
        var expected: [ObjectKey: [Value]] = [:]
        var packed = 0
        for round in 0..<3 {
            try transaction.beginWriting()
            let table = try transaction.existing("Everything")
            let before = expected
            let firstPacked = table.packedEnd
            var keys: [ObjectKey] = []
            for number in 0..<3_200 {
                let id = Int64(round * 10_000 + number)
                let row = values(id, &numbers)
                let new = try table.beginRow(.int(id))
                let passed = new.key.leafNumber - 2
                if new.key.slot == 0, passed >= firstPacked {
                    packed += 1
                    #expect(!table.columns.contains { $0.isWritable(passed) }, "seed \(seed), leaf \(passed)")
                }
                for column in row.indices { set(table, new, column, row[column]) }
                keys.append(new.key)
                expected[new.key] = row
                if numbers.once(in: 6) { change(numbers.one(of: keys), table, &expected, &numbers) }
            }
            expect(table, expected, "seed \(seed), writing, round \(round)")
            if round == 1 {
                transaction.abort()
                expected = before
            } else {
                try transaction.commit(.relaxed)
            }
            expect(table, expected, "seed \(seed), after the write, round \(round)")
        }
        #expect(packed >= 3, "seed \(seed)")
        #expect(try store.verify().problems == [], "seed \(seed)")
    }

    @Test("no leaf is packed twice for ghosts that come to life in any order", arguments: seeds.prefix(1))
    func revivedAnywhere(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let transaction = try openInMemory("revived \(seed)").write()
        try transaction.extendSchema(Models.schema)
        let table = try transaction.existing("Everything")
        let ghosts = 0..<Int64(3_200)
        for ghost in ghosts { _ = table.ghost(.int(ghost)) }
        var expected: [ObjectKey: [Value]] = [:]
        for (number, ghost) in ghosts.shuffled(using: &numbers).enumerated() {
            for id in number.isMultiple(of: 2) ? [ghost, Int64(10_000 + number)] : [ghost] {
                let row = values(id, &numbers)
                let new = try table.beginRow(.int(id))
                for column in row.indices { set(table, new, column, row[column]) }
                expected[new.key] = row
            }
        }
        #expect(transaction.writer.changedBytes < 1 << 20, "seed \(seed)")
        expect(table, expected, "seed \(seed), writing")
        try transaction.commit(.relaxed)
        expect(table, expected, "seed \(seed), committed")
    }

    /// Changes some values of a row, one of them to a long text now and then, or deletes it.
    private func change(
        _ key: ObjectKey, _ table: Table, _ expected: inout [ObjectKey: [Value]], _ numbers: inout SeededNumbers
    ) {
        guard table.exists(key) else { return }
        if numbers.once(in: 8) {
            table.delete(key)
            expected[key] = nil
            return
        }
        var row = values(0, &numbers)
        for column in plainColumns where column % 4 == key.slot % 4 {
            let property = Models.everything.properties[column]
            if property.type == .string, !property.isIndexed, numbers.once(in: 3) {
                row[column] = .string(String(repeating: "long", count: 3_000))
            }
            table.set(key, column, row[column])
            expected[key]?[column] = row[column]
        }
    }

    private func expect(_ table: Table, _ expected: [ObjectKey: [Value]], _ comment: String) {
        #expect(Set(table.allKeys) == Set(expected.keys), "\(comment)")
        let columns = plainColumns
        let wrong = expected.first { key, row in
            columns.contains { column in
                let (found, wanted) = (table.value(key, column), stored(row[column]))
                // Equality tells no NaN from another value, and texts tell them apart slowly.
                return found != wanted && "\(found)" != "\(wanted)"
            }
        }
        #expect(wrong == nil, "\(comment)")
    }

    /// A NaN is stored as one of them.
    private func stored(_ value: Value) -> Value {
        switch value {
        case .float(let number) where number.isNaN: .float(.nan)
        case .double(let number) where number.isNaN: .double(.nan)
        default: value
        }
    }

    /// Those of values that are no keys and no links.
    private var plainColumns: [Int] {
        Models.everything.properties.indices.filter { column in
            let property = Models.everything.properties[column]
            return !property.isPrimaryKey && property.collection == .none && property.target == nil
        }
    }

    @Test("a primary key that exists is refused, and the row that has it keeps its values")
    func duplicates() throws {
        let transaction = try openInMemory("duplicate row").write()
        try transaction.extendSchema(Models.schema)
        let tags = try transaction.existing("Tag")
        let row = try tags.beginRow(.string("a"))
        tags.set(row, 0, .string("a"))
        row.set(1, 2.5)
        #expect(code { _ = try tags.beginRow(.string("a")) } == .duplicatePrimaryKey)
        #expect(tags.count == 1 && tags.value(row.key, 1) == .double(2.5))
    }

    @Test("columns added in the middle of a write are reached")
    func addedColumns() throws {
        let transaction = try openInMemory("added column").write()
        try transaction.extendSchema(Models.schema)
        let tags = try transaction.existing("Tag")
        let first = try tags.beginRow(.string("a"))
        tags.set(first, 0, .string("a"))
        first.set(1, 1.0)
        var wider = Models.tag
        wider.properties.append(Property(name: "count", type: .int, isIndexed: true))
        try transaction.extendSchema(Schema([Models.everything, Models.address, wider]))
        let second = try tags.beginRow(.string("b"))
        tags.set(second, 0, .string("b"))
        second.set(1, 2.0)
        tags.set(second, 2, .int(7))
        #expect(second.isIndexed(2) && tags.value(first.key, 2) == .int(0) && tags.value(second.key, 2) == .int(7))
    }

    private func values(_ id: Int64, _ numbers: inout SeededNumbers) -> [Value] {
        Models.everything.properties.map { property -> Value in
            if property.isPrimaryKey { return .int(id) }
            if property.collection == .list || property.target != nil { return .null }
            if property.isOptional, numbers.once(in: 4) { return .null }
            return RandomValues.value(of: property.type, &numbers)
        }
    }

    private func set(_ table: Table, _ row: NewRow, _ column: Int, _ value: Value) {
        if row.isIndexed(column) {
            table.set(row, column, value)
            return
        }
        switch value {
        case .null: row.setNull(column)
        case .bool(let value): row.set(column, value)
        case .int(let value): row.set(column, value)
        case .float(let value): row.set(column, value)
        case .double(let value): row.set(column, value)
        case .string(var value): value.withUTF8 { row.set(column, UnsafeRawBufferPointer($0)) }
        case .bytes(let value): value.withUnsafeBytes { row.set(column, $0) }
        case .timestamp(let value): row.set(column, value)
        case .objectId(let value): row.set(column, value)
        case .uuid(let value): row.set(column, value)
        case .object, .link: table.set(row, column, value)
        case .decimal, .anyObject, .anyLink: table.set(row, column, value)
        }
    }

    private func expectEqual(_ tables: (Table, Table), _ comment: String) {
        #expect(tables.0.allKeys == tables.1.allKeys, "\(comment)")
        for key in tables.0.allKeys {
            for (column, property) in Models.everything.properties.enumerated() where property.collection == .none {
                let (one, other) = (tables.0.value(key, column), tables.1.value(key, column))
                #expect("\(one)" == "\(other)", "\(comment), \(property.name) of \(key)")
            }
        }
    }
}
