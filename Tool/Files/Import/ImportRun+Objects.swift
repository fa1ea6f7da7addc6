import CausewayJSON
import CausewayModel
import CausewayObjectStore

extension ImportRun {
    /// Which properties of an object are set.
    enum Part {
        case plainCollections, links, all

        func takes(_ property: Property) -> Bool {
            switch self {
            case .plainCollections: property.isPlain && property.collection != .none
            case .links: !property.isPlain
            case .all: !property.isPlain || property.collection != .none
            }
        }
    }

    // MARK: - The first pass

    func make(_ line: Line) throws {
        let imported = line.imported
        let row = try row(of: line.members, imported)
        guard let column = imported.table.schema.primaryKeyIndex else {
            let key = try imported.table.create(nil, row: row)
            if let number = line.number { imported.numbers.add(number, key) }
            imported.place += 1
            report.created += 1
            return try fill(line.members, key, imported, .plainCollections, depth: 0)
        }
        let primaryKey = try primaryKey(of: line, column)
        if let known = imported.table.key(for: primaryKey) {
            return try meet(known, line, primaryKey, row)
        }
        let key = try imported.table.create(primaryKey, row: row)
        if imported.isOlder(key) { imported.named.insert(key) }
        report.created += 1
        try fill(line.members, key, imported, .plainCollections, depth: 0)
    }

    private func primaryKey(of line: Line, _ column: Int) throws -> PrimaryKey {
        let property = line.imported.table.schema.properties[column]
        guard let member = line.members.first(where: { $0.name.string.isSame(as: property.name) }) else {
            throw FileFailure("The object has no '\(property.name)', which is its primary key.")
        }
        do throws(ValueReader.Failure) {
            return try ValueReader.key(member.value, property)
        } catch {
            throw unexpected(error.expected, line.imported.table, column)
        }
    }

    /// The object of a line is there already.
    private func meet(_ key: ObjectKey, _ line: Line, _ primaryKey: PrimaryKey, _ row: [Value]) throws {
        let imported = line.imported
        guard imported.isOlder(key), imported.named.insert(key).inserted else {
            throw FileFailure(
                "The export has the object \(Self.words(primaryKey)) of class '\(imported.name)' twice. Remove one of the two."
            )
        }
        switch existing {
        case .fail:
            throw FileFailure(
                "The file has the object \(Self.words(primaryKey)) of class '\(imported.name)' already. Import with --existing "
                    + "skip to leave such objects as they are, or with --existing replace.")
        case .skip:
            imported.skipped.insert(key)
            report.skipped += 1
        case .replace:
            for (column, property) in imported.table.schema.properties.enumerated() where !property.isPrimaryKey {
                if property.collection != .none {
                    imported.table.clearCollection(key, column)
                } else {
                    imported.table.set(key, column, row[column])
                }
            }
            report.replaced += 1
            try fill(line.members, key, imported, .plainCollections, depth: 0)
        }
    }

    static func words(_ key: PrimaryKey) -> String {
        var writer = JSONWriter()
        writer.write(key)
        return String(String(decoding: writer.bytes, as: UTF8.self).prefix(100))
    }

    /// The plain values of an object, and null for all others.
    func row(of members: [JSON.Member], _ imported: ImportedClass) throws -> [Value] {
        var row = imported.zeros
        for member in members {
            let column = try imported.column(member.name)
            let property = imported.table.schema.properties[column]
            guard property.isPlain, property.collection == .none else { continue }
            row[column] = try plainValue(member.value, imported.table, column)
        }
        return row
    }

    // MARK: - The second pass

    func connect(_ line: Line) throws {
        let imported = line.imported
        let key: ObjectKey?
        if let column = imported.table.schema.primaryKeyIndex {
            key = imported.table.key(for: try primaryKey(of: line, column))
        } else {
            key = ObjectKey(imported.firstRow + imported.place)
            imported.place += 1
        }
        guard imported.hasLinks else { return }
        guard let key, imported.table.exists(key) else {
            throw FileFailure(
                "The object was not there before: the export was changed while it was read. Import again.")
        }
        if imported.skipped.contains(key) { return }
        try fill(line.members, key, imported, .links, depth: 0)
    }

    /// Sets some properties of an object that is here.
    func fill(
        _ members: [JSON.Member], _ key: ObjectKey, _ imported: ImportedClass, _ part: Part, depth: Int
    ) throws {
        let table = imported.table
        for member in members {
            let column = try imported.column(member.name)
            let property = table.schema.properties[column]
            guard part.takes(property) else { continue }
            switch property.collection {
            case .none: table.set(key, column, try value(member.value, table, column, depth: depth) ?? .null)
            case .list: table.listReplace(key, column, try elements(member.value, table, column, depth: depth))
            case .set: table.setReplace(key, column, try elements(member.value, table, column, depth: depth))
            case .map: table.mapReplace(key, column, try entries(member.value, table, column, depth: depth))
            }
        }
    }
}
