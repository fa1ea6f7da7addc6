import CausewayModel
import CausewayObjectStore
import CausewayObjectStoreReference
import CausewaySeeds
import CausewayStorage
import Testing

@Suite("Change records")
struct ChangeTests {
    private static let seeds = SeedList.drawn(for: "changes", count: 6)

    @Test("edits that nobody asks for are not noted; who asks at the end is told that lists were replaced")
    func withoutEdits() throws {
        let store = try openInMemory("changes")
        let transaction = try store.write()
        try transaction.extendSchema(Models.schema)
        let everything = try transaction.existing("Everything")
        let object = try everything.create(.int(1))
        for index in 0..<3 { everything.listInsert(object, 18, index, .int(Int64(index))) }
        try transaction.commit()

        for isAsked in [false, true] {
            try transaction.beginWriting { false }
            everything.listRemove(object, 18, 0)
            everything.listInsert(object, 18, 2, .int(9))
            let new = try everything.create(.int(isAsked ? 3 : 2))
            everything.listInsert(new, 18, 0, .int(7))
            if isAsked { transaction.noteReplacements() }
            let changes = try #require(transaction.changes.classes["Everything"])
            #expect(changes.modified == [object: ColumnSet([18])])
            let inserted = everything.listValues(object, 18).enumerated().map { ListEdit.insert($0.offset, $0.element) }
            #expect(
                changes.listEdits
                    == (isAsked ? [ChangedList(key: object, column: 18): [.clear(3)] + inserted] : [:]))
            try transaction.commit()
        }
        #expect(everything.listValues(object, 18) == [.int(2), .int(9), .int(9)])

        store.tellPlaces()
        try transaction.beginWriting { false }
        everything.listRemove(object, 18, 0)
        #expect(
            transaction.changes.classes["Everything"]?.listEdits == [ChangedList(key: object, column: 18): [.remove(0)]]
        )
        transaction.end()
    }

    @Test("a record names what was inserted, modified and deleted, each once")
    func oneWrite() throws {
        let store = try openInMemory("changes")
        let transaction = try store.write()
        try transaction.extendSchema(Models.schema)
        let tags = try transaction.existing("Tag")
        let everything = try transaction.existing("Everything")
        let keys = try (0..<5).map { try tags.create(.string("tag \($0)")) }
        let object = try everything.create(.int(1))
        everything.listInsert(object, 18, 0, .int(5))
        #expect(transaction.changes.classes["Everything"]?.listEdits.isEmpty == true)
        try transaction.commit()

        try transaction.beginWriting()
        #expect(transaction.changes.isEmpty)
        tags.set(keys[0], 1, .double(3))
        tags.delete(keys[1])
        let made = try tags.create(.string("new"))
        tags.set(made, 1, .double(1))
        let shortLived = try tags.create(.string("short"))
        tags.delete(shortLived)
        tags.set(keys[2], 1, .double(2))
        tags.delete(keys[2])
        everything.listInsert(object, 18, 1, .int(6))
        everything.listMove(object, 18, 0, 1)
        everything.listSet(object, 18, 0, .int(9))
        everything.listRemove(object, 18, 1)
        everything.listClear(object, 18)
        let record = transaction.changes
        let changes = try #require(record.classes["Tag"])
        #expect(changes.inserted == [made])
        #expect(changes.deleted.map(\.primaryKey) == [.string("tag 1"), .string("tag 2")])
        #expect(changes.modified == [keys[0]: ColumnSet([1])])
        #expect(
            record.classes["Everything"]?.listEdits[ChangedList(key: object, column: 18)] == [
                .insert(1, .int(6)), .move(0, 1), .set(0, .int(9)), .remove(1), .clear(1),
            ])
        #expect(record.classes["Everything"]?.modified == [object: ColumnSet([18])])
        let version = try transaction.commit()
        let stored = try #require(try store.changes(after: version - 1, through: version))
        #expect(stored.classes["Tag"] == changes)
        #expect(stored.classes["Everything"]?.listEdits.isEmpty == true)
        #expect(stored.classes["Everything"]?.modified == [object: ColumnSet([18])])
    }

    @Test("a ghost that comes to life is an insertion; deleted and back, it is both")
    func ghosts() throws {
        let store = try openInMemory("ghost changes")
        let transaction = try store.write()
        try transaction.extendSchema(Models.schema)
        let tags = try transaction.existing("Tag")
        let everything = try transaction.existing("Everything")
        let ghost = tags.ghost(.string("ghost"))
        let object = try everything.create(.int(1))
        everything.set(object, 16, .link(.string("ghost")))
        #expect(transaction.changes.classes["Tag"] == nil)
        try transaction.commit()
        #expect(everything.value(object, 16) == .object(ghost))
        try transaction.beginWriting()
        #expect(try tags.create(.string("ghost")) == ghost)
        #expect(transaction.changes.classes["Tag"]?.inserted == [ghost])
        try transaction.commit()
        try transaction.beginWriting()
        tags.delete(ghost, leavingGhost: true)
        #expect(everything.value(object, 16) == .object(ghost))
        _ = try tags.create(.string("ghost"))
        let changes = try #require(transaction.changes.classes["Tag"])
        #expect(changes.inserted == [ghost] && changes.deleted.map(\.key) == [ghost])
        try transaction.commit()
        #expect(tags.exists(ghost))
    }

    @Test("records of many commits merge to the difference of their ends", arguments: seeds)
    func merging(seed: UInt64) throws {
        let store = try openInMemory("merging \(seed)")
        let transaction = try store.write()
        try transaction.extendSchema(Models.schema)
        try transaction.commit()
        var history = RandomHistory(seed: seed)
        var states = [(version: transaction.version, rows: history.reference.rows)]
        for _ in 0..<8 {
            try transaction.beginWriting()
            try history.change(transaction, times: 25)
            try transaction.commit(.relaxed)
            states.append((transaction.version, history.reference.rows))
        }
        for first in states.indices {
            for last in first..<states.count {
                let record = try #require(
                    try store.changes(after: states[first].version, through: states[last].version))
                for (name, rows) in states[last].rows {
                    let before = states[first].rows[name] ?? [:]
                    let changes = record.classes[name] ?? ClassChanges()
                    let place = "seed \(seed), \(first)–\(last), \(name)"
                    let deleted = Set(changes.deleted.map(\.key))
                    let inserted = Set(changes.inserted)
                    #expect(changes.inserted == inserted.sorted(), "\(place)")
                    for key in rows.keys where before[key] == nil { #expect(inserted.contains(key), "\(place)") }
                    for key in before.keys where rows[key] == nil { #expect(deleted.contains(key), "\(place)") }
                    for key in inserted { #expect(before[key] == nil || deleted.contains(key), "\(place)") }
                    for key in deleted { #expect(before[key] != nil, "\(place)") }
                    for (key, row) in rows where before[key] != nil && !inserted.contains(key) {
                        for column in row.values.indices
                        where "\(row.values[column])" != "\(before[key]?.values[column] ?? .null)" {
                            #expect(changes.modified[key]?.contains(column) == true, "\(place) \(key) \(column)")
                        }
                    }
                }
            }
        }
    }

    @Test("the last thousand versions are kept and older ones are said to be gone")
    func trimming() throws {
        let store = try openInMemory("trimming")
        let transaction = try store.write()
        try transaction.extendSchema(Models.schema)
        let tags = try transaction.existing("Tag")
        let key = try tags.create(.string("a"))
        try transaction.commit()
        for number in 0..<1_050 {
            try transaction.beginWriting()
            tags.set(key, 1, .double(Double(number)))
            try transaction.commit(.relaxed)
        }
        let newest = store.newestVersion
        let oldest = newest - ObjectStore.recordedVersions
        #expect(try store.changes(after: oldest - ObjectStore.forgettingInterval, through: newest) == nil)
        #expect(try store.changes(after: oldest, through: newest)?.classes["Tag"]?.modified.count == 1)
        #expect(try store.changes(after: newest, through: newest)?.isEmpty == true)
        #expect(try store.changes(after: newest, through: newest + 1) == nil)
    }

    @Test("long records go sooner than short ones")
    func longRecords() throws {
        let store = try openInMemory("long changes")
        let transaction = try store.write()
        try transaction.extendSchema(Models.schema)
        let tags = try transaction.existing("Tag")
        let keys = try (0..<6000).map { try tags.create(.string("tag \($0)")) }
        try transaction.commit()
        func change(_ keys: some Sequence<ObjectKey>, _ number: Double) throws -> UInt64 {
            try transaction.beginWriting()
            for key in keys { tags.set(key, 1, .double(number)) }
            return try transaction.commit(.relaxed)
        }
        // Every other object: nothing that ranges of keys would shorten.
        let long = try change(stride(from: 0, to: 6000, by: 2).lazy.map { keys[$0] }, 0.5)
        var newest = long
        for number in 1..<Int(ObjectStore.longRecordedVersions) { newest = try change([keys[0]], Double(number)) }
        #expect(try store.changes(after: long - 1, through: newest)?.classes["Tag"]?.modified.count == 3000)
        repeat {
            newest = try change([keys[0]], Double(newest))
        } while newest % ObjectStore.forgettingInterval != 0
        #expect(newest < long + ObjectStore.longRecordedVersions + ObjectStore.forgettingInterval)
        #expect(try store.changes(after: long - 1, through: newest) == nil)
        #expect(try store.changes(after: long, through: newest)?.classes["Tag"]?.modified.count == 1)
    }
}
