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
    }

    /// - Throws: `MigrationFailure` that names the seed and the step, with the first thing that is not as the model says.
    package mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            step += 1
            let which = numbers.below(participants.count)
            switch numbers.below(6) {
            case 0: try migrate(which)
            case 1...3: try write(which)
            default: _ = try move(which, writing: false)
            }
            for number in participants.indices { try compare(number) }
            if numbers.once(in: 4) { try verify(which) }
        }
        for number in participants.indices {
            try verify(number)
            try reopen(number)
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
        let model = participants[which].model
        guard case .shown(let shown) = try perform(which, .show(model.questions)) else {
            throw failure("program \(which) shows nothing")
        }
        let expected = try model.shown()
        for (name, content) in expected where shown[name] != content {
            throw failure(
                "program \(which) shows of \(name) \(shown[name].map { "\($0)" } ?? "nothing"), not \(content)")
        }
    }

    /// What the record of changes says is what observers would be told.
    private func compare(_ record: [String: ShownChanges], _ before: MigrationModel, _ after: MigrationModel) throws {
        for (name, old) in before.classes {
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
        participants[which].model = newest
    }

    /// Moves a program to the newest version, or opens it again where that is no longer the file it knows.
    private mutating func move(_ which: Int, writing: Bool) throws -> Bool {
        let before = participants[which].model
        let mayMove = newest.continues(before)
        switch try perform(which, .move(writing: writing)) {
        case .moved(let record) where mayMove:
            movesMade += 1
            participants[which].model = newest
            if let record { try compare(record, before, newest) }
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
                participants[which].model = newest
                return
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
