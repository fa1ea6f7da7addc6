import CausewayJSON
import CausewayModel
import CausewayObjectStore

extension ImportRun {
    // MARK: - The first pass

    func make(_ line: Line) throws {
        let imported = line.imported
        let row = try filling.row(of: line.members, imported)
        guard let column = imported.table.schema.primaryKeyIndex else {
            let key = try imported.table.create(nil, row: row)
            if let number = line.number { imported.numbers.add(number, key) }
            imported.place += 1
            counts.created += 1
            return try filling.fill(line.members, key, imported, .plainCollections, depth: 0)
        }
        let primaryKey = try filling.primaryKey(line.members, imported, column)
        if let known = imported.table.key(for: primaryKey) {
            return try meet(known, line, primaryKey, row)
        }
        let key = try imported.table.create(primaryKey, row: row)
        if imported.isOlder(key) { imported.named.insert(key) }
        counts.created += 1
        try filling.fill(line.members, key, imported, .plainCollections, depth: 0)
    }

    /// The object of a line is there already.
    private func meet(_ key: ObjectKey, _ line: Line, _ primaryKey: PrimaryKey, _ row: [Value]) throws {
        let imported = line.imported
        guard imported.isOlder(key), imported.named.insert(key).inserted else {
            throw FileFailure(
                "The export has the object \(ObjectFilling.words(primaryKey)) of class '\(imported.name)' twice. Remove one of the two."
            )
        }
        switch existing {
        case .fail:
            throw FileFailure(
                "The file has the object \(ObjectFilling.words(primaryKey)) of class '\(imported.name)' already. Import with --existing "
                    + "skip to leave such objects as they are, or with --existing replace.")
        case .skip:
            imported.skipped.insert(key)
            counts.skipped += 1
        case .replace:
            imported.table.replace(key, by: row)
            counts.replaced += 1
            try filling.fill(line.members, key, imported, .plainCollections, depth: 0)
        }
    }

    // MARK: - The second pass

    func connect(_ line: Line) throws {
        let imported = line.imported
        let key: ObjectKey?
        if let column = imported.table.schema.primaryKeyIndex {
            key = imported.table.key(for: try filling.primaryKey(line.members, imported, column))
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
        try filling.fill(line.members, key, imported, .links, depth: 0)
    }
}

extension Table {
    /// Gives an object that is here the plain values of a row, and empties its collections.
    func replace(_ key: ObjectKey, by row: [Value]) {
        for (column, property) in schema.properties.enumerated() where !property.isPrimaryKey {
            if property.collection != .none {
                clearCollection(key, column)
            } else {
                set(key, column, row[column])
            }
        }
    }
}
