import CausewayExactValues
import CausewayFolders
import CausewayModel
import CausewayObjectStore
import CausewayObjectStoreReference
import CausewaySeeds
import CausewayStorage
import Testing

@Suite("Objects against a naive reference")
struct HistoryTests {
    private static let seeds = SeedList.drawn(for: "history", count: 8)
    private static let slotSeeds = SeedList.drawn(for: "many-slots", count: 2)

    @Test("random writes, commits and aborts leave what the reference has", arguments: seeds)
    func randomHistory(seed: UInt64) throws {
        let store = try openInMemory("history \(seed)")
        let transaction = try store.write()
        try transaction.extendSchema(Models.schema)
        try transaction.commit()
        var history = RandomHistory(seed: seed)
        for round in 0..<12 {
            let before = history.reference
            try transaction.beginWriting()
            try history.change(transaction, times: 60)
            try history.expectEqual(transaction, "while writing, round \(round)")
            if history.numbers.once(in: 4) {
                transaction.abort()
                history.reference = before
            } else {
                try transaction.commit(.relaxed)
            }
            try history.expectEqual(transaction, "after round \(round)")
            let fresh = try store.read()
            try history.expectEqual(fresh, "freshly read, round \(round)")
            #expect(try store.verify().problems == [], "seed \(seed), round \(round)")
        }
    }

    @Test("leaves of a thousand slots fill, empty and reopen", arguments: slotSeeds)
    func manyRows(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        var numbers = SeededNumbers(seed: seed)
        var reference: [Int64: [Value]] = [:]
        do {
            let store = try ObjectStore.open(path: folder.file("a.realm"))
            let transaction = try store.write()
            try transaction.extendSchema(Models.schema)
            for round in 0..<4 {
                if round > 0 { try transaction.beginWriting() }
                let table = try transaction.existing("Everything")
                for number in 0..<1300 {
                    let id = Int64(round * 1300 + number) * (seed.isMultiple(of: 2) ? 1 : -3)
                    let row = Models.everything.properties.map { property -> Value in
                        if property.isPrimaryKey { return .int(id) }
                        if property.collection == .list || property.target != nil { return .null }
                        if property.isOptional, numbers.once(in: 5) { return .null }
                        // Ranges that grow from round to round ask for every width.
                        if property.type == .int { return .int(Int64(numbers.below(1 << (6 + 8 * round)))) }
                        return RandomValues.value(of: property.type, &numbers)
                    }
                    _ = try table.create(.int(id), row: row)
                    reference[id] = row
                }
                for key in table.allKeys where numbers.once(in: 7) {
                    if case .int(let id)? = table.primaryKey(of: key)?.value { reference[id] = nil }
                    table.delete(key)
                }
                try transaction.commit(.relaxed)
            }
        }
        let store = try ObjectStore.open(path: folder.file("a.realm"))
        #expect(try store.verify().problems == [], "seed \(seed)")
        let transaction = try store.read()
        let table = try transaction.existing("Everything")
        #expect(table.count == reference.count)
        for (id, row) in reference {
            let key = try #require(table.key(for: .int(id)))
            for (column, value) in row.enumerated() where Models.everything.properties[column].collection == .none {
                let found = ExactValue(table.value(key, column))
                #expect(found == ExactValue(stored: value), "seed \(seed), id \(id), column \(column)")
            }
        }
    }
}
