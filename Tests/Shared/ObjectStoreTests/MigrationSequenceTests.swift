import CausewayModel
import CausewayQuery
import CausewaySeeds
import CausewayStorage
import Testing

@testable import CausewayObjectStore

/// Two programs with one file: each keeps its transaction, its tables and the places of its columns while the other
/// writes and migrates.
private struct Program {
    let transaction: Transaction
    /// What the transaction shows.
    var model: MigrationModel
    private var tables: [String: Table] = [:]
    private var places: [String: [String: Int]] = [:]

    init(_ transaction: Transaction, _ model: MigrationModel) {
        self.transaction = transaction
        self.model = model
        remember()
    }

    /// Finds what it does not know by name. Nothing that it knows is looked up again.
    mutating func remember() {
        for (name, content) in model.classes {
            if tables[name] == nil { tables[name] = transaction.table(name) }
            for property in content.schema where places[name]?[property.name] == nil {
                places[name, default: [:]][property.name] = tables[name]?.schema.index(of: property.name)
            }
        }
    }

    func table(_ name: String) throws -> Table { try #require(tables[name]) }

    func place(_ name: String, _ property: String) throws -> Int { try #require(places[name]?[property]) }

    func expectModel(_ place: String) throws {
        for (name, content) in model.classes {
            let table = try table(name)
            #expect(Set(table.allKeys) == Set(content.rows.keys) && table.count == content.rows.count, "\(place)")
            for (key, row) in content.rows {
                for property in content.schema {
                    let column = try self.place(name, property.name)
                    if property.collection == .list {
                        let list = content.lists[key]?[property.name] ?? []
                        #expect(table.listValues(key, column) == list, "\(name).\(property.name) \(key), \(place)")
                    } else {
                        let value = row[property.name] ?? .null
                        #expect(table.value(key, column) == value, "\(name).\(property.name) \(key), \(place)")
                    }
                }
            }
            for property in content.schema where property.isIndexed || property.isFullTextIndexed {
                try expectAnswers(name, content, property, place)
            }
        }
    }

    private func expectAnswers(
        _ name: String, _ content: MigrationModel.Class, _ property: Property, _ place: String
    ) throws {
        let text: String
        let isRight: (Value) -> Bool
        if property.isFullTextIndexed {
            text = "\(property.name) TEXT 'red'"
            isRight = { if case .string(let text) = $0 { text.hasPrefix("red") } else { false } }
        } else if property.type == .int {
            text = "\(property.name) == 3"
            isRight = { $0 == .int(3) }
        } else {
            text = "\(property.name) == 'red dog'"
            isRight = { $0 == .string("red dog") }
        }
        let predicate = try Predicate.parse(text).bound(to: name, in: transaction.schema)
        let expected = content.rows.filter { isRight($0.value[property.name] ?? .null) }.keys.sorted()
        #expect(try transaction.keys(name, matching: predicate) == expected, "\(name) \(text), \(place)")
    }
}

private struct MigrationSequence {
    let seed: UInt64
    let store: ObjectStore
    var numbers: SeededNumbers
    /// What the file holds.
    var newest = MigrationModel()
    var programs: [Program] = []
    var nextID: Int64 = 0
    var (movesRefused, movesMade) = (0, 0)

    init(seed: UInt64) throws {
        self.seed = seed
        numbers = SeededNumbers(seed: seed)
        store = try openInMemory("migrations \(seed)")
        for name in ["A", "B"] { newest.addClass(name) }
        let transaction = try store.write()
        try transaction.extendSchema(newest.schema)
        try transaction.commit()
        transaction.end()
        programs = [Program(try store.read(), newest), Program(try store.read(), newest)]
    }

    mutating func run(steps: Int) throws {
        for step in 0..<steps {
            let which = numbers.below(programs.count)
            switch numbers.below(6) {
            case 0: try migrate()
            case 1...3: try write(which)
            default: _ = try move(which) { _ = try $0.transaction.advance() }
            }
            for (number, program) in programs.enumerated() {
                try program.expectModel("seed \(seed), step \(step), program \(number)")
            }
            if numbers.once(in: 4) { try verify(step) }
        }
        try verify(steps)
        let fresh = Program(try store.read(), newest)
        try fresh.expectModel("seed \(seed), at the end")
    }

    private func verify(_ step: Int) throws {
        let problems = try store.verify().problems
        #expect(problems == [], "seed \(seed), step \(step)")
    }

    /// Moves a program to the newest version, or opens it again where that is no longer the file it knows.
    private mutating func move(_ which: Int, _ body: (Program) throws -> Void) throws -> Bool {
        var program = programs[which]
        let mayMove = newest.continues(program.model)
        let before = (version: program.transaction.version, model: program.model)
        do {
            try body(program)
            #expect(mayMove, "seed \(seed): went on with other classes")
            movesMade += 1
            program.model = newest
            program.remember()
            try expectChanges(before, program)
            programs[which] = program
        } catch let error as StoreError {
            #expect(error.code == .schemaChanged && !mayMove, "seed \(seed): \(error)")
            movesRefused += 1
            try program.expectModel("seed \(seed), refused")
            program.transaction.end()
            programs[which] = Program(try store.read(), newest)
            return false
        }
        return true
    }

    /// What the record of changes says is what observers would be told.
    private func expectChanges(_ before: (version: UInt64, model: MigrationModel), _ program: Program) throws {
        guard let record = try store.changes(after: before.version, through: program.transaction.version) else {
            return
        }
        for (name, old) in before.model.classes {
            guard let new = program.model.classes[name] else { continue }
            let changes = record.classes[name] ?? ClassChanges()
            #expect(Set(changes.inserted) == Set(new.rows.keys).subtracting(old.rows.keys), "seed \(seed)")
            #expect(Set(changes.deleted.map(\.key)) == Set(old.rows.keys).subtracting(new.rows.keys), "seed \(seed)")
            for (key, row) in old.rows where new.rows[key] != nil {
                for property in old.schema {
                    let isSame =
                        row[property.name] == new.rows[key]?[property.name]
                        && old.lists[key]?[property.name] == new.lists[key]?[property.name]
                    let column = try program.place(name, property.name)
                    if !isSame {
                        #expect(
                            changes.modified[key]?.contains(column) == true, "seed \(seed), \(name).\(property.name)")
                    }
                }
            }
        }
    }

    private mutating func migrate() throws {
        let transaction = try store.write()
        let before = try transaction.frozenCopy()
        var wanted = newest
        if numbers.once(in: 6), newest.classes["C"] == nil {
            wanted.addClass("C")
            wanted.restructure("C", wanted.drawnProperties("C", &numbers))
        } else if numbers.once(in: 4), newest.classes["C"] != nil, !isLinked("C") {
            transaction.removeClass("C")
            wanted.classes["C"] = nil
        } else {
            let name = numbers.one(of: newest.classes.keys.sorted())
            wanted.restructure(name, newest.drawnProperties(name, &numbers))
        }
        if wanted.classes["C"] != nil || newest.classes["C"] == nil {
            try transaction.restructure(to: wanted.schema, before: before)
            try transaction.finishRestructuring(to: wanted.schema)
        }
        before.end()
        if numbers.once(in: 8) {
            transaction.abort()
        } else {
            try transaction.commit(.relaxed)
            newest = wanted
        }
        transaction.end()
    }

    private func isLinked(_ name: String) -> Bool {
        newest.classes.contains { $0.key != name && $0.value.schema.contains { $0.target == name } }
    }

    private mutating func write(_ which: Int) throws {
        guard try move(which, { try $0.transaction.beginWriting() }) else { return }
        let program = programs[which]
        var model = newest
        for _ in 0..<numbers.number(1...6) { try change(program, &model) }
        if numbers.once(in: 6) {
            program.transaction.abort()
        } else {
            try program.transaction.commit(.relaxed)
            newest = model
            programs[which].model = model
        }
    }

    private mutating func change(_ program: Program, _ model: inout MigrationModel) throws {
        let name = numbers.one(of: model.classes.keys.sorted())
        let table = try program.table(name)
        guard let content = model.classes[name] else { return }
        guard let key = content.rows.keys.sorted().randomElement(using: &numbers), !numbers.once(in: 3) else {
            nextID += 1
            let key = try table.create(.int(nextID))
            var row: [String: Value] = [:]
            for property in content.schema where property.collection == .none {
                row[property.name] = property.isPrimaryKey ? .int(nextID) : MigrationModel.zero(property)
            }
            model.classes[name]?.rows[key] = row
            model.classes[name]?.lists[key] = Dictionary(
                uniqueKeysWithValues: content.schema.filter { $0.collection == .list }.map { ($0.name, []) })
            return
        }
        if numbers.once(in: 8) {
            table.delete(key)
            model.delete(name, key)
            return
        }
        guard let property = content.schema.dropFirst().randomElement(using: &numbers) else { return }
        let column = try program.place(name, property.name)
        let value = model.drawnValue(property, &numbers)
        if property.collection == .none {
            table.set(key, column, value)
            model.classes[name]?.rows[key]?[property.name] = value
        } else if !value.isNull {
            table.listAppend(key, column, value)
            model.classes[name]?.lists[key]?[property.name, default: []].append(value)
        }
    }
}

@Suite("Two programs, two schemas, one file")
struct MigrationSequenceTests {
    /// Drawn anew for each run. A failure names its seed; put that in their place to see it again.
    private static let seeds = (0..<24).map { _ in UInt64.random(in: 0..<1 << 32) }

    @Test("whoever may go on reads and writes what the model says, and all others are told", arguments: seeds)
    func randomMigrations(seed: UInt64) throws {
        var sequence = try MigrationSequence(seed: seed)
        try sequence.run(steps: 80)
    }

    /// One drawn sequence may well have no refusal. These seeds are the same in each run, so that the check is too.
    @Test("the sequences come to both answers many times")
    func bothAnswersAreDrawn() throws {
        var made = 0
        var refused = 0
        for seed in 0..<UInt64(16) {
            var sequence = try MigrationSequence(seed: seed)
            try sequence.run(steps: 80)
            made += sequence.movesMade
            refused += sequence.movesRefused
        }
        #expect(made > 16 && refused > 16, "\(made) moves, \(refused) refusals")
    }
}
