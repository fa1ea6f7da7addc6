import CausewayFiles
import CausewayModel
import CausewayObjectStore

// The first pass: new rows, column by column, and then what is set object by object.

extension AtlasRun {
    func make(_ reader: DocumentReader, _ imported: AtlasClass) throws {
        try findFields(reader, imported, countsOthers: true)
        let chosen = try documentsToMake(reader, imported)
        guard !chosen.isEmpty else { return }
        let keys = try newKeys(chosen, reader, imported)
        let rows: NewRows
        do throws(NewKeysRefusal) {
            rows = try imported.table.beginRows(keys)
        } catch {
            throw refusal(error, chosen, reader, imported)
        }
        var objects: [ObjectKey] = []
        objects.reserveCapacity(chosen.count)
        while let elements = rows.next() {
            let piece = RowPiece(rows: rows, first: rows.open(), documents: chosen[elements])
            for column in imported.properties.indices { try write(column, piece, reader, imported) }
            rows.close()
            for element in elements { objects.append(rows.key(of: element)) }
        }
        report.counts.created += objects.count
        // Links led to them already, so they have rows from before.
        for key in objects where imported.isOlder(key) { imported.named.insert(key) }
        guard !imported.slowColumns.isEmpty else { return }
        for (document, key) in zip(chosen, objects) { try fillSlowly(key, document, reader, imported) }
    }

    /// Finds the token of each column, for all documents of the tape.
    func findFields(_ reader: DocumentReader, _ imported: AtlasClass, countsOthers: Bool) throws {
        let tape = reader.tape
        cells.reset(documents: tape.documents.count, columns: imported.properties.count)
        for (document, entry) in tape.documents.enumerated() {
            var before = -1
            for place in tape.children(entry.token) {
                let name = tape.tokens[place].name
                guard let column = imported.column(tape.bytes(name), after: before) else {
                    if countsOthers { noteOther(name, document, reader, imported) }
                    continue
                }
                guard cells[document, column] == 0 else {
                    throw FileFailure(
                        "\(reader.words(document)): it has \(imported.path(column)) twice. Remove one of them.")
                }
                cells[document, column] = place
                before = column
            }
        }
    }

    func noteOther(_ name: ByteRange, _ document: Int, _ reader: DocumentReader, _ imported: AtlasClass) {
        let field = reader.tape.text(name).prefix(100)
        report.note("'\(imported.name).\(field)' is no property, and is left out", at: reader.words(document))
    }

    // MARK: - Keys

    /// The documents that become new objects. Those whose objects are there are skipped, or replace them.
    private func documentsToMake(_ reader: DocumentReader, _ imported: AtlasClass) throws -> [Int] {
        let all = reader.tape.documents.indices
        guard options.existing != .fail, let column = imported.primaryKey else { return Array(all) }
        var chosen: [Int] = []
        for document in all {
            let primaryKey = try primaryKey(document, column, reader, imported)
            guard let known = imported.table.key(for: primaryKey) else {
                chosen.append(document)
                continue
            }
            guard imported.isOlder(known), imported.named.insert(known).inserted else {
                throw twice(primaryKey, document, reader, imported)
            }
            if options.existing == .skip {
                imported.skipped.insert(known)
                report.counts.skipped += 1
            } else {
                try replace(known, document, reader, imported)
                report.counts.replaced += 1
            }
        }
        return chosen
    }

    func primaryKey(
        _ document: Int, _ column: Int, _ reader: DocumentReader, _ imported: AtlasClass
    ) throws -> PrimaryKey {
        let place = cells[document, column]
        let property = imported.properties[column]
        guard place > 0 else {
            throw FileFailure(
                "\(reader.words(document)): it has no '\(property.name)', which is the primary key. Add it, or remove the document."
            )
        }
        let token = reader.tape.tokens[place]
        guard let key = reader.tape.primaryKey(token, property.type) else {
            throw FileFailure(
                "\(reader.words(document)): its '\(property.name)' is \(token.words), and the primary key has the type "
                    + "\(property.type). Give the document another one.")
        }
        return key
    }

    private func newKeys(_ chosen: [Int], _ reader: DocumentReader, _ imported: AtlasClass) throws -> NewKeys {
        guard let column = imported.primaryKey else { return .none(chosen.count) }
        guard imported.properties[column].type == .int else {
            return .others(try chosen.map { try primaryKey($0, column, reader, imported) })
        }
        return .integers(
            try chosen.map { document in
                guard case .int(let key) = try primaryKey(document, column, reader, imported) else {
                    preconditionFailure("an int was read as a key of another type")
                }
                return key
            })
    }

    private func refusal(
        _ refusal: NewKeysRefusal, _ chosen: [Int], _ reader: DocumentReader, _ imported: AtlasClass
    ) -> FileFailure {
        guard refusal.error.code == .duplicatePrimaryKey, let column = imported.primaryKey else {
            return FileFailure("\(reader.words(chosen[0])) or one of those behind it: \(refusal.error.message)")
        }
        let isSame = { (document: Int) in
            (try? self.primaryKey(document, column, reader, imported)) == refusal.primaryKey
        }
        return twice(refusal.primaryKey, chosen.last(where: isSame) ?? chosen[0], reader, imported)
    }

    private func twice(
        _ key: PrimaryKey, _ document: Int, _ reader: DocumentReader, _ imported: AtlasClass
    ) -> FileFailure {
        let words = "\(reader.words(document)): the object of class '\(imported.name)' with its primary key is"
        let isOlder = imported.table.key(for: key).map(imported.isOlder) ?? false
        return isOlder && options.existing == .fail
            ? FileFailure("\(words) in the file already. Import with --existing skip or --existing replace.")
            : FileFailure("\(words) in the import twice. Remove one of the two documents.")
    }

    // MARK: - Columns

    /// Some documents that become rows of one leaf.
    struct RowPiece {
        var rows: NewRows
        var first: NewRow
        var documents: ArraySlice<Int>
    }

    private func write(
        _ column: Int, _ piece: RowPiece, _ reader: DocumentReader, _ imported: AtlasClass
    ) throws {
        let property = imported.properties[column]
        guard property.collection == .none else { return }
        let tape = reader.tape
        let isNullable = imported.zeros[column].isNull
        let isLinkLater =
            property.type == .object
            && (imported.lateColumns.contains(column) || imported.slowColumns.contains(column))
        let waits = isLinkLater || property.isText
        for (position, document) in piece.documents.enumerated() {
            let row = piece.first.advanced(by: position)
            let place = cells[document, column]
            guard place > 0, !waits else {
                if place == 0, !isNullable { try missingField(column, document, reader, imported) }
                setNull(position, column, piece, isNullable)
                continue
            }
            let token = tape.tokens[place]
            switch (property.type, token.kind) {
            case (.int, .int): row.set(column, token.int)
            case (.string, .string): row.set(column, tape.bytes(token.bytes))
            case (.double, .double): row.set(column, token.double)
            case (.bool, .bool): row.set(column, token.high != 0)
            case (.date, .date): row.set(column, token.timestamp)
            case (.objectId, .objectId): row.set(column, token.objectId)
            case (.uuid, .uuid): row.set(column, token.uuid)
            case (.data, .data): row.set(column, tape.bytes(token.bytes))
            case (.object, _):
                if let key = try link(place, imported, column, document, reader)?.key {
                    row.set(column, key.rawValue)
                } else {
                    row.setNull(column)
                }
            case (.mixed, .array), (.mixed, .document), (.mixed, .reference):
                piece.rows.set(position, column, .null)
            default:
                let value = try scalar(place, imported, column, document, reader) ?? .null
                if value.isNull {
                    setNull(position, column, piece, isNullable)
                } else {
                    piece.rows.set(position, column, value)
                }
            }
        }
    }

    private func setNull(_ position: Int, _ column: Int, _ piece: RowPiece, _ isNullable: Bool) {
        if isNullable {
            piece.first.advanced(by: position).setNull(column)
        } else {
            piece.rows.set(position, column, .null)
        }
    }

    func missingField(_ column: Int, _ document: Int, _ reader: DocumentReader, _ imported: AtlasClass) throws {
        try unmapped("\(imported.path(column)) is missing, and cannot be null", document, reader)
    }

    // MARK: - Objects that are there

    private func replace(
        _ key: ObjectKey, _ document: Int, _ reader: DocumentReader, _ imported: AtlasClass
    ) throws {
        let table = imported.table
        for (column, property) in imported.properties.enumerated() where !property.isPrimaryKey {
            if property.collection != .none {
                table.clearCollection(key, column)
                continue
            }
            let place = cells[document, column]
            let isSetLater =
                property.type == .object || property.type == .mixed && reader.tape.tokens[place].isContainer
            if place == 0 || isSetLater {
                if place == 0, !imported.zeros[column].isNull { try missingField(column, document, reader, imported) }
                table.set(key, column, imported.zeros[column])
            } else {
                table.set(key, column, try scalar(place, imported, column, document, reader) ?? .null)
            }
        }
        for (column, property) in imported.properties.enumerated()
        where !imported.slowColumns.contains(column) && property.type == .object
            && !imported.lateColumns.contains(column) && cells[document, column] > 0
        {
            let linked = try link(cells[document, column], imported, column, document, reader)
            table.set(key, column, linked.map { .object($0.key) } ?? .null)
        }
        try fillSlowly(key, document, reader, imported)
    }
}
