import CausewayExactValues
import CausewayFolders
import CausewayModel
import CausewayObjectStore
import CausewayObjectStoreReference
import CausewaySeeds
import CausewayStorage
import Testing

@Suite("Lists of any length")
struct ListTests {
    private static let seeds = SeedList.drawn(for: "list-edits", count: 3)
    private static let targetSeeds = SeedList.drawn(for: "list-targets", count: 6)

    private func prepared(_ name: String) throws -> (store: ObjectStore, transaction: Transaction, key: ObjectKey) {
        try prepare(try openInMemory(name))
    }

    private func prepare(
        _ store: ObjectStore
    ) throws -> (store: ObjectStore, transaction: Transaction, key: ObjectKey) {
        let transaction = try store.write()
        try transaction.extendSchema(ListModels.schema)
        let key = try transaction.existing("Holder").create(.int(1))
        try transaction.commit()
        return (store, transaction, key)
    }

    private func expect(
        _ transaction: Transaction, _ key: ObjectKey, _ column: Int, _ values: [Value], _ when: String
    ) throws {
        let table = try transaction.existing("Holder")
        #expect(table.listCount(key, column) == values.count, "\(when)")
        let found = table.listValues(key, column)
        #expect(found == values, "\(when)")
        // `==` takes all NaNs for one; what is read has the bits of the stored one, also before it is.
        for (found, value) in zip(found, values)
        where value.isNaN && ExactValue(found) != ExactValue(stored: value) {
            Issue.record("\(ExactValue(found)), \(when)")
        }
        // Elements one by one, forwards and back, in steps that cross chunks.
        for index in stride(from: 0, to: values.count, by: 1 + values.count / 500)
        where table.listValue(key, column, index) != values[index] {
            Issue.record("element \(index), \(when)")
        }
        for index in stride(from: values.count - 1, through: 0, by: -(1 + values.count / 50))
        where table.listValue(key, column, index) != values[index] {
            Issue.record("element \(index), \(when)")
        }
        #expect(table.listValue(key, column, values.count) == .null, "\(when)")
    }

    // MARK: - Against an array

    @Test(
        "random edits of lists of every type leave what an array has, through commits, aborts and reopening",
        arguments: seeds)
    func againstArrays(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("lists.realm")
        for column in 1..<ListModels.holder.properties.count {
            let (_, transaction, key) = try prepare(try ObjectStore.open(path: path + "\(column)"))
            try againstArray(transaction, key, column, seed: seed &* 100 &+ UInt64(column))
        }
    }

    private func againstArray(_ transaction: Transaction, _ key: ObjectKey, _ column: Int, seed: UInt64) throws {
        let table = try transaction.existing("Holder")
        try transaction.beginWriting()
        let toys = try (0..<20).map { try transaction.existing("Toy").create(.int(Int64($0))) }
        try transaction.commit(.relaxed)
        var edits = RandomListEdits(column: column, toys: toys, numbers: SeededNumbers(seed: seed))
        var held: [(transaction: Transaction, values: [Value])] = []
        for round in 0..<12 {
            let when = "seed \(seed), \(ListModels.holder.properties[column].name), round \(round)"
            let before = edits.values
            let notesEdits = edits.numbers.once(in: 2)
            try transaction.beginWriting { notesEdits }
            let times = edits.numbers.one(of: [1, 3, 65, 400, 1500])
            edits.edit(table, key, times: times, growth: edits.numbers.one(of: [10, 50, 95, 100]))
            try expect(transaction, key, column, edits.values, "while writing, \(when)")
            let place = ChangedList(key: key, column: column)
            if !notesEdits {
                #expect(transaction.changes.classes["Holder"]?.listEdits.isEmpty != false, "\(when)")
                if edits.numbers.once(in: 2) { transaction.noteReplacements() }
            }
            if transaction.notesEdits {
                let recorded = transaction.changes.classes["Holder"]?.listEdits[place] ?? []
                #expect(ListModels.apply(recorded, to: before) == edits.values, "the record, \(when)")
            }
            if edits.numbers.once(in: 5) {
                transaction.abort()
                edits.values = before
            } else {
                try transaction.commit(.relaxed)
                if column == ListModels.toys { try expectBacklinks(transaction, key, edits.values, when) }
            }
            try expect(transaction, key, column, edits.values, "after, \(when)")
            try expect(try transaction.store.read(), key, column, edits.values, "freshly read, \(when)")
            held.append((try transaction.frozenCopy(), edits.values))
        }
        for (number, old) in held.enumerated() {
            try expect(old.transaction, key, column, old.values, "held since round \(number), seed \(seed)")
        }
    }

    private func expectBacklinks(
        _ transaction: Transaction, _ key: ObjectKey, _ values: [Value], _ when: String
    ) throws {
        let toys = try transaction.existing("Toy")
        for toy in toys.allKeys {
            #expect(toys.backlinkCount(to: toy) == values.count { $0 == .object(toy) }, "\(when)")
        }
    }

    @Test("lists around the length that one entry holds are stored and read", arguments: [0, 1, 2, 63, 64, 65, 66])
    func edges(count: Int) throws {
        let (store, transaction, key) = try prepared("edges \(count)")
        let table = try transaction.existing("Holder")
        for column in 1..<ListModels.toys {
            var numbers = SeededNumbers(seed: UInt64(count * 100 + column))
            var values = (0..<count).map { _ in ListModels.value(column, [], &numbers) }
            try transaction.beginWriting()
            table.listReplace(key, column, values)
            try transaction.commit(.relaxed)
            try expect(try store.read(), key, column, values, "\(count) in column \(column)")
            // One more and one fewer, across the edge and back.
            for isMore in [true, false, false, true] {
                try transaction.beginWriting()
                if isMore {
                    let value = ListModels.value(column, [], &numbers)
                    table.listInsert(key, column, values.count, value)
                    values.append(value)
                } else if !values.isEmpty {
                    table.listRemove(key, column, 0)
                    values.removeFirst()
                }
                try transaction.commit(.relaxed)
                try expect(try store.read(), key, column, values, "\(count) in column \(column)")
            }
        }
    }

    @Test("a list of 70,000 and more grows at its ends and in the middle, shrinks and goes, commit by commit")
    func large() throws {
        let folder = try TemporaryFolder()
        let (store, transaction, key) = try prepare(try ObjectStore.open(path: folder.file("large.realm")))
        let table = try transaction.existing("Holder")
        let column = ListModels.numbers
        var numbers = SeededNumbers(seed: 7)
        var values: [Value] = []
        for count in [70_000, 300, 300, 5_000] {
            try transaction.beginWriting()
            for number in 0..<count {
                table.listInsert(key, column, values.count, .int(Int64(number)))
                values.append(.int(Int64(number)))
            }
            for number in 0..<300 {
                let index = numbers.below(values.count)
                table.listInsert(key, column, index, .int(Int64(number)))
                values.insert(.int(Int64(number)), at: index)
                table.listInsert(key, column, 0, .int(Int64(-number)))
                values.insert(.int(Int64(-number)), at: 0)
            }
            try transaction.commit(.relaxed)
            try expect(try store.read(), key, column, values, "grown by \(count)")
        }
        while !values.isEmpty {
            try transaction.beginWriting()
            let start = numbers.below(values.count)
            for _ in 0..<min(9_000, values.count - start) { table.listRemove(key, column, start) }
            values.removeSubrange(start..<min(start + 9_000, values.count))
            try transaction.commit(.relaxed)
            try expect(try store.read(), key, column, values, "\(values.count) are left")
        }
    }

    // MARK: - Targets that end

    @Test("objects that end leave the lists that hold them, whenever these are looked at", arguments: targetSeeds)
    func targetsEnd(seed: UInt64) throws {
        let (store, transaction, key) = try prepared("targets \(seed)")
        let table = try transaction.existing("Holder")
        let toyTable = try transaction.existing("Toy")
        var numbers = SeededNumbers(seed: seed)
        try transaction.beginWriting()
        var toys = try (0..<900).map { try toyTable.create(.int(Int64($0))) }
        var values: [Value] = []
        for _ in 0..<(seed % 2 == 0 ? 3_000 : 50) {
            values.append(.object(numbers.one(of: toys)))
            table.listInsert(key, ListModels.toys, values.count - 1, values[values.count - 1])
        }
        try transaction.commit(.relaxed)
        for round in 0..<6 {
            let before = values
            try transaction.beginWriting { round % 2 == 0 }
            for _ in 0..<numbers.one(of: [1, 2, 140]) {
                let toy = toys.remove(at: numbers.below(toys.count))
                toyTable.delete(toy)
                values.removeAll { $0 == .object(toy) }
                if numbers.once(in: 30) {
                    // An edit in between counts positions without those that ended.
                    let added = Value.object(numbers.one(of: toys))
                    let index = numbers.below(values.count + 1)
                    table.listInsert(key, ListModels.toys, index, added)
                    values.insert(added, at: index)
                }
            }
            transaction.noteReplacements()
            let recorded = transaction.changes.classes["Holder"]
            let place = ChangedList(key: key, column: ListModels.toys)
            #expect(ListModels.apply(recorded?.listEdits[place] ?? [], to: before) == values, "seed \(seed)")
            if round % 2 == 0 { try expect(transaction, key, ListModels.toys, values, "writing, seed \(seed)") }
            try transaction.commit(.relaxed)
            try expect(try store.read(), key, ListModels.toys, values, "round \(round), seed \(seed)")
            try expectBacklinks(transaction, key, values, "round \(round), seed \(seed)")
        }
        try transaction.beginWriting()
        for toy in toys { toyTable.delete(toy) }
        try transaction.commit(.relaxed)
        try expect(try store.read(), key, ListModels.toys, [], "all ended, seed \(seed)")
    }

    @Test("a list ends with its object, and its parts leave the file")
    func ownerEnds() throws {
        let (store, transaction, key) = try prepared("owner ends")
        let storage = try StorageRegistry.shared.open(path: "owner ends", options: StorageOptions(inMemory: true))
        let table = try transaction.existing("Holder")
        try transaction.beginWriting()
        for number in 0..<100_000 { table.listInsert(key, ListModels.numbers, number, .int(5)) }
        try transaction.commit()
        #expect(try listEntries(storage.snapshot()) > 200)
        try transaction.beginWriting()
        table.listInsert(key, ListModels.numbers, 0, .int(5))
        table.delete(key)
        #expect(transaction.changes.classes["Holder"]?.listEdits.isEmpty == true)
        try transaction.commit()
        #expect(try listEntries(storage.snapshot()) == 0)
        try expect(try store.read(), key, ListModels.numbers, [], "after the end")
    }

    @Test("a list that shrinks is one entry again")
    func shrinks() throws {
        let (_, transaction, key) = try prepared("shrinks")
        let storage = try StorageRegistry.shared.open(path: "shrinks", options: StorageOptions(inMemory: true))
        let table = try transaction.existing("Holder")
        try transaction.beginWriting()
        for number in 0..<70_000 { table.listInsert(key, ListModels.numbers, number, .int(5)) }
        try transaction.commit()
        try transaction.beginWriting()
        for _ in 0..<(70_000 - 64) { table.listRemove(key, ListModels.numbers, 0) }
        try transaction.commit()
        #expect(try listEntries(storage.snapshot()) == 1)
        try expect(transaction, key, ListModels.numbers, Array(repeating: .int(5), count: 64), "shrunk")
    }

    /// Entries of the trees of lists: those of the first class that are no index and no primary key.
    private func listEntries(_ snapshot: any StorageSnapshot) throws -> Int {
        ListFile.trees(snapshot).reduce(0) { $0 + snapshot.count(tree: $1, from: [], upTo: nil) }
    }
}
