import CausewayModel
package import CausewayObjectStore
import CausewayQuery
import CausewayStorage

/// A program that keeps its transaction, the tables that it was told to take, the places of their columns and the queries
/// that it was asked, while others write and migrate.
package final class StoreProgram: MigratingProgram {
    private let store: ObjectStore
    private var transaction: Transaction
    private var tables: [String: Table] = [:]
    private var places: [String: [String: Int]] = [:]
    /// By class and text.
    private var predicates: [[String]: BoundPredicate] = [:]

    package init(_ store: ObjectStore) throws {
        self.store = store
        transaction = try store.read()
    }

    package func die() throws -> Bool { false }

    package func perform(_ step: MigrationStep) throws -> MigrationAnswer {
        switch step {
        case .reopen: try reopen()
        case .take(let names):
            for name in names { tables[name] = transaction.table(name) }
            remember()
        case .move(let writing): return try move(writing: writing)
        case .create(let name, let id): return .made(try table(name).create(.int(id)).rawValue)
        case .delete(let name, let key): try table(name).delete(ObjectKey(key))
        case .set(let name, let key, let property, let value):
            try table(name).set(ObjectKey(key), place(name, property), value.value)
        case .append(let name, let key, let property, let value):
            try table(name).listAppend(ObjectKey(key), place(name, property), value.value)
        case .commit: try transaction.commit(.relaxed)
        case .abort: transaction.abort()
        case .migrate(let migration): try migrate(migration)
        case .show(let questions): return .shown(try show(questions))
        case .verify: return .problems(try store.verify().problems.map { "\($0)" })
        }
        return .done
    }

    // MARK: - Moving

    private func reopen() throws {
        transaction.end()
        transaction = try store.read()
        (tables, places, predicates) = ([:], [:], [:])
    }

    /// Finds the properties that it does not know by name. Nothing that it knows is looked up again.
    private func remember() {
        for (name, table) in tables {
            for property in table.schema.properties where places[name]?[property.name] == nil {
                places[name, default: [:]][property.name] = table.schema.index(of: property.name)
            }
        }
    }

    private func move(writing: Bool) throws -> MigrationAnswer {
        let before = transaction.version
        do {
            if writing { try transaction.beginWriting() } else { _ = try transaction.advance() }
        } catch  where error.code == .schemaChanged {
            return .refused
        }
        let known = places
        remember()
        return .moved(try changes(after: before, known))
    }

    /// What observers would be told, in the names that this program knew.
    private func changes(after version: UInt64, _ known: [String: [String: Int]]) throws -> [String: ShownChanges]? {
        guard let record = try store.changes(after: version, through: transaction.version) else { return nil }
        return Dictionary(
            uniqueKeysWithValues: record.classes.map { name, changes in
                var shown = ShownChanges(
                    inserted: changes.inserted.map(\.rawValue), deleted: changes.deleted.map(\.key.rawValue))
                for (key, columns) in changes.modified {
                    shown.modified[key.rawValue] = (known[name] ?? [:]).filter { columns.contains($0.value) }.keys
                        .sorted()
                }
                return (name, shown)
            })
    }

    private func table(_ name: String) throws -> Table {
        guard let table = tables[name] else { throw MigrationFailure("the program knows no class \(name)") }
        return table
    }

    private func place(_ name: String, _ property: String) throws -> Int {
        guard let place = places[name]?[property] else {
            throw MigrationFailure("the program knows no property \(name).\(property)")
        }
        return place
    }

    // MARK: - Migrating

    private func migrate(_ migration: Migration) throws {
        let writing = try store.write()
        defer { writing.end() }
        let before = try writing.frozenCopy()
        if let removed = migration.removed {
            writing.removeClass(removed)
        } else {
            let wanted = Schema(
                try migration.wanted.sorted { $0.key < $1.key }.map { name, properties in
                    ClassSchema(name: name, properties: try properties.map { try $0.property() })
                })
            try writing.restructure(to: wanted, before: before)
            try writing.finishRestructuring(to: wanted)
        }
        before.end()
        if migration.commits { try writing.commit(.relaxed) } else { writing.abort() }
    }

    // MARK: - Showing

    private func show(_ questions: [String: Questions]) throws -> [String: ShownClass] {
        var result: [String: ShownClass] = [:]
        for (name, asked) in questions {
            let table = try table(name)
            var shown = ShownClass(count: table.count)
            let (properties, lists) = (
                try asked.properties.map { ($0, try place(name, $0)) },
                try asked.lists.map { ($0, try place(name, $0)) }
            )
            for key in table.allKeys {
                var row: [String: [Scalar]] = [:]
                for (property, place) in properties { row[property] = [try Scalar(table.value(key, place))] }
                for (list, place) in lists { row[list] = try table.listValues(key, place).map { try Scalar($0) } }
                shown.rows[key.rawValue] = row
            }
            for text in asked.queries {
                shown.found[text] = try transaction.keys(name, matching: predicate(name, text)).map(\.rawValue)
            }
            result[name] = shown
        }
        return result
    }

    private func predicate(_ name: String, _ text: String) throws -> BoundPredicate {
        if let known = predicates[[name, text]] { return known }
        let bound = try transaction.bound(try Predicate.parse(text), to: name)
        predicates[[name, text]] = bound
        return bound
    }
}
