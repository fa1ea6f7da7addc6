import CausewayModel
package import CausewayObjectStore
import CausewaySeeds

/// Drawn writes and migrations of two programs with one file: whoever may go on reads and writes what the model says, and
/// all others are told that the classes have changed.
package struct MigrationSequence {
    private struct Participant {
        let program: any MigratingProgram
        /// What its open transaction shows.
        var model: MigrationModel
        /// The classes whose tables it has.
        var tables: Set<String> = []
        /// What it has been asked since it opened the file.
        var queries: Set<MigrationModel.LinkQuery> = []

        /// The classes whose columns it knows by their places.
        var known: Set<String> { tables.union(queries.map(\.target)) }
    }

    private let seed: UInt64
    private var numbers: SeededNumbers
    /// What the file holds.
    private var newest = MigrationModel()
    private var participants: [Participant] = []
    private var nextID: Int64 = 0
    /// Where the sequence is, for what it says of a problem.
    private var step = 0
    package private(set) var (movesRefused, movesMade, deaths) = (0, 0, 0)
    package private(set) var queriesAsked = 0

    /// - Parameter store: a new file, which gets two classes.
    /// - Parameter programs: who opens it, each called once the classes are there.
    package init(seed: UInt64, _ store: ObjectStore, programs: [() throws -> any MigratingProgram]) throws {
        self.seed = seed
        numbers = SeededNumbers(seed: seed)
        for name in ["A", "B"] { newest.addClass(name) }
        let transaction = try store.write()
        try transaction.extendSchema(newest.schema)
        try transaction.commit()
        transaction.end()
        participants = try programs.map { Participant(program: try $0(), model: newest) }
        for number in participants.indices { try begin(number) }
    }

    /// - Throws: `MigrationFailure` that names the seed and the step, with the first thing that is not as the model says.
    package mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            step += 1
            let which = numbers.below(participants.count)
            switch numbers.below(6) {
            case 0: try migrate(which)
            case 1...2: try write(which)
            case 3: try learn(which)
            default: _ = try move(which, writing: false)
            }
            for number in participants.indices { try compare(number) }
            if numbers.once(in: 4) { try verify(which) }
        }
        for number in participants.indices {
            try verify(number)
            try reopen(number)
            try take(number, participants[number].model.classes.keys.sorted())
            try compare(number)
        }
    }

    private func failure(_ text: String) -> MigrationFailure {
        MigrationFailure("seed \(seed), step \(step): \(text)")
    }

    private func perform(_ which: Int, _ step: MigrationStep) throws -> MigrationAnswer {
        let answer = try participants[which].program.perform(step)
        if case .failed(let text) = answer { throw failure("program \(which) at \(step): \(text)") }
        return answer
    }

    private func verify(_ which: Int) throws {
        guard case .problems(let problems) = try perform(which, .verify), problems.isEmpty else {
            throw failure("program \(which) finds the file unsound")
        }
    }

    // MARK: - Comparing

    private func compare(_ which: Int) throws {
        let (model, tables, queries) = (
            participants[which].model, participants[which].tables, participants[which].queries
        )
        guard case .shown(let shown) = try perform(which, .show(model.questions(tables, queries))) else {
            throw failure("program \(which) shows nothing")
        }
        let expected = try model.shown(tables, queries)
        for (name, content) in expected where shown[name] != content {
            throw failure(
                "program \(which) shows of \(name) \(shown[name].map { "\($0)" } ?? "nothing"), not \(content)")
        }
    }

    /// What the record of changes says of the program's tables is what observers would be told.
    private func compare(
        _ which: Int, _ record: [String: ShownChanges], _ before: MigrationModel, _ after: MigrationModel
    ) throws {
        for (name, old) in before.classes where participants[which].tables.contains(name) {
            guard let new = after.classes[name] else { continue }
            let changes = record[name] ?? ShownChanges()
            guard
                Set(changes.inserted) == Set(new.rows.keys.map(\.rawValue)).subtracting(old.rows.keys.map(\.rawValue)),
                Set(changes.deleted) == Set(old.rows.keys.map(\.rawValue)).subtracting(new.rows.keys.map(\.rawValue))
            else { throw failure("the record of changes has other objects of \(name): \(changes)") }
            for (key, row) in old.rows where new.rows[key] != nil {
                for property in old.schema.map(\.name) {
                    let isSame =
                        try scalars([row[property]]) == scalars([new.rows[key]?[property]])
                        && scalars(old.lists[key]?[property] ?? []) == scalars(new.lists[key]?[property] ?? [])
                    guard isSame || changes.modified[key.rawValue]?.contains(property) == true else {
                        throw failure("the record of changes leaves out \(name).\(property) of \(key)")
                    }
                }
            }
        }
    }

    private func scalars(_ values: [Value?]) throws -> [Scalar?] {
        try values.map { value in try value.map { try Scalar(stored: $0) } }
    }

    // MARK: - Moving

    private mutating func reopen(_ which: Int) throws {
        _ = try perform(which, .reopen)
        try begin(which)
    }

    /// The program has just opened the file: it asks for some of the classes.
    private mutating func begin(_ which: Int) throws {
        participants[which].model = newest
        (participants[which].tables, participants[which].queries) = ([], [])
        var names: [String] = []
        for name in newest.classes.keys.sorted() where numbers.once(in: 2) { names.append(name) }
        try take(which, names)
    }

    private mutating func take(_ which: Int, _ names: [String]) throws {
        _ = try perform(which, .take(names))
        participants[which].tables.formUnion(names)
    }

    /// The program gets to know another class, or is asked something through a link, maybe to a class it has no table of.
    private mutating func learn(_ which: Int) throws {
        let model = participants[which].model
        let name = numbers.one(of: model.classes.keys.sorted())
        if !participants[which].tables.contains(name), numbers.once(in: 2) { return try take(which, [name]) }
        guard let from = participants[which].tables.sorted().randomElement(using: &numbers),
            let query = model.drawnQuery(from, &numbers)
        else { return }
        // It is asked with the next comparison, and bound then.
        participants[which].queries.insert(query)
        queriesAsked += 1
    }

    /// Moves a program to the newest version, or opens it again where that is no longer the file it knows.
    private mutating func move(_ which: Int, writing: Bool) throws -> Bool {
        let before = participants[which].model
        let mayMove = newest.continues(before, for: participants[which].known)
        switch try perform(which, .move(writing: writing)) {
        case .moved(let record) where mayMove:
            movesMade += 1
            participants[which].model = newest
            if let record { try compare(which, record, before, newest) }
            return true
        case .refused where !mayMove:
            movesRefused += 1
            // It still shows what it showed.
            try compare(which)
            try reopen(which)
            return false
        case let answer:
            throw failure("program \(which) \(mayMove ? "may" : "may not") move, and says \(answer)")
        }
    }

    // MARK: - Migrating and writing

    private mutating func migrate(_ which: Int) throws {
        var wanted = newest
        var removed: String?
        if numbers.once(in: 6), newest.classes["C"] == nil {
            wanted.addClass("C")
            wanted.restructure("C", wanted.drawnProperties("C", &numbers))
        } else if numbers.once(in: 4), newest.classes["C"] != nil, !isLinked("C") {
            removed = "C"
            wanted.classes["C"] = nil
        } else {
            let name = numbers.one(of: newest.classes.keys.sorted())
            wanted.restructure(name, newest.drawnProperties(name, &numbers))
        }
        let commits = !numbers.once(in: 8)
        let classes = wanted.classes.mapValues { $0.schema.map { PropertyRecord($0) } }
        _ = try perform(which, .migrate(Migration(wanted: classes, removed: removed, commits: commits)))
        if commits { newest = wanted }
    }

    private func isLinked(_ name: String) -> Bool {
        newest.classes.contains { $0.key != name && $0.value.schema.contains { $0.target == name } }
    }

    private mutating func write(_ which: Int) throws {
        guard try move(which, writing: true) else { return }
        var model = newest
        for _ in 0..<numbers.number(1...6) { try change(which, &model) }
        if numbers.once(in: 6) {
            let dies = numbers.once(in: 2)
            if dies, try participants[which].program.die() {
                deaths += 1
                return try begin(which)
            }
            _ = try perform(which, .abort)
        } else {
            _ = try perform(which, .commit)
            newest = model
            participants[which].model = model
        }
    }

    private mutating func change(_ which: Int, _ model: inout MigrationModel) throws {
        let name = numbers.one(of: model.classes.keys.sorted())
        if !participants[which].tables.contains(name) { try take(which, [name]) }
        guard let content = model.classes[name] else { return }
        guard let key = content.rows.keys.sorted().randomElement(using: &numbers), !numbers.once(in: 3) else {
            nextID += 1
            guard case .made(let key) = try perform(which, .create(name, id: nextID)) else {
                throw failure("program \(which) made no object of \(name)")
            }
            model.create(name, ObjectKey(key), id: nextID)
            return
        }
        if numbers.once(in: 8) {
            _ = try perform(which, .delete(name, key.rawValue))
            model.delete(name, key)
            return
        }
        guard let property = content.schema.dropFirst().randomElement(using: &numbers) else { return }
        let value = model.drawnValue(property, &numbers)
        let scalar = try Scalar(value)
        if property.collection == .none {
            _ = try perform(which, .set(name, key.rawValue, property.name, scalar))
            model.classes[name]?.rows[key]?[property.name] = value
        } else if !value.isNull {
            _ = try perform(which, .append(name, key.rawValue, property.name, scalar))
            model.classes[name]?.lists[key]?[property.name, default: []].append(value)
        }
    }
}
