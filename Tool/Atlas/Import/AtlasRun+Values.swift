import CausewayFiles
import CausewayModel
import CausewayObjectStore

// Values that are set object by object: collections, embedded objects, mixed values, and links of the second pass.

extension AtlasRun {
    // MARK: - The second pass

    /// - Parameter rowsBefore: how many documents of the collection came before those of the tape.
    func connect(_ reader: DocumentReader, _ imported: AtlasClass, _ rowsBefore: Int64) throws {
        try findFields(reader, imported, countsOthers: false)
        let columns = imported.lateColumns.union(imported.waitingColumns).sorted()
        for document in reader.tape.documents.indices {
            let key: ObjectKey?
            if let column = imported.primaryKey {
                key = imported.table.key(for: try primaryKey(document, column, reader, imported))
            } else {
                key = ObjectKey(imported.firstRow + rowsBefore + Int64(document))
            }
            guard let key, imported.table.exists(key) else {
                throw FileFailure(
                    "\(reader.words(document)) was not there before: the file was changed while it was read. Import again."
                )
            }
            if imported.skipped.contains(key) { continue }
            for column in columns {
                let place = cells[document, column]
                guard place > 0, waits(place, column, imported, reader.tape) else { continue }
                try set(key, column, place, imported, document, reader)
            }
        }
    }

    /// Whether a value waits for the second pass.
    private func waits(_ place: Int, _ column: Int, _ imported: AtlasClass, _ tape: DocumentTape) -> Bool {
        if imported.lateColumns.contains(column) { return true }
        guard imported.slowColumns.contains(column), tape.tokens[place].isContainer else { return false }
        return (place..<Int(tape.tokens[place].end)).contains { tape.tokens[$0].kind == .reference }
    }

    // MARK: - The first pass

    func fillSlowly(_ key: ObjectKey, _ document: Int, _ reader: DocumentReader, _ imported: AtlasClass) throws {
        let tape = reader.tape
        for column in imported.slowColumns {
            let place = cells[document, column]
            guard place > 0 else { continue }
            if waits(place, column, imported, tape) {
                imported.waitingColumns.insert(column)
                continue
            }
            let isDone =
                imported.properties[column].type == .mixed && imported.properties[column].collection == .none
                && !tape.tokens[place].isContainer
            if !isDone { try set(key, column, place, imported, document, reader) }
        }
    }

    private func set(
        _ key: ObjectKey, _ column: Int, _ place: Int, _ imported: AtlasClass, _ document: Int,
        _ reader: DocumentReader,
        depth: Int = 0
    ) throws {
        let table = imported.table
        switch imported.properties[column].collection {
        case .none:
            table.set(key, column, try value(place, imported, column, document, reader, depth: depth) ?? .null)
        case .list:
            table.listReplace(key, column, try elements(place, imported, column, document, reader, depth: depth))
        case .set:
            table.setReplace(key, column, try elements(place, imported, column, document, reader, depth: depth))
        case .map:
            table.mapReplace(key, column, try entries(place, imported, column, document, reader, depth: depth))
        }
    }

    // MARK: - Values

    /// A value that is no container. If the property cannot hold it, zero or null; nil for an element.
    func scalar(
        _ place: Int, _ imported: AtlasClass, _ column: Int, _ document: Int, _ reader: DocumentReader
    ) throws -> Value? {
        let token = reader.tape.tokens[place]
        let property = imported.properties[column]
        if let value = reader.tape.value(token, as: property.type), imported.table.accepts(value, column: column) {
            return value
        }
        let isField = property.collection == .none
        if token.kind == .null, imported.table.accepts(.null, column: column) { return .null }
        let isInexact = token.kind == .int && (property.type == .double || property.type == .float)
        try unmapped(
            "\(imported.path(column)) has the type \(property.type), and the document has "
                + (isInexact ? "an int that would lose digits as one" : token.words), document, reader)
        return isField ? imported.zeros[column] : nil
    }

    /// A value of a property or of an element; nil for a link that leads nowhere.
    private func value(
        _ place: Int, _ imported: AtlasClass, _ column: Int, _ document: Int, _ reader: DocumentReader, depth: Int
    ) throws -> Value? {
        let property = imported.properties[column]
        let token = reader.tape.tokens[place]
        switch property.type {
        case .object:
            if token.kind == .null { return .null }
            guard let target = property.target.flatMap({ self.imported($0) }) else { return .null }
            guard target.table.schema.kind == .embedded else {
                return try link(place, imported, column, document, reader).map { .object($0.key) }
            }
            guard token.kind == .document || token.kind == .reference else {
                try unmapped(
                    "\(imported.path(column)) is an embedded object, and the document has \(token.words)", document,
                    reader)
                return nil
            }
            return .object(try embedded(place, target, document, reader, depth: depth + 1))
        case .mixed: return try mixed(place, imported, column, document, reader, depth: depth)
        default: return try scalar(place, imported, column, document, reader)
        }
    }

    private func elements(
        _ place: Int, _ imported: AtlasClass, _ column: Int, _ document: Int, _ reader: DocumentReader, depth: Int
    ) throws -> [Value] {
        let token = reader.tape.tokens[place]
        if token.kind == .null { return [] }
        guard token.kind == .array else {
            try unmapped(
                "\(imported.path(column)) is a list or a set, and the document has \(token.words)", document, reader)
            return []
        }
        var values: [Value] = []
        for element in reader.tape.children(place) {
            guard let value = try value(element, imported, column, document, reader, depth: depth) else { continue }
            guard imported.table.accepts(value, column: column) else {
                try unmapped("\(imported.path(column)) holds no null, and the array has one", document, reader)
                continue
            }
            values.append(value)
        }
        return values
    }

    private func entries(
        _ place: Int, _ imported: AtlasClass, _ column: Int, _ document: Int, _ reader: DocumentReader, depth: Int
    ) throws -> [(key: String, value: Value)] {
        let tape = reader.tape
        let token = tape.tokens[place]
        if token.kind == .null { return [] }
        guard token.kind == .document || token.kind == .reference else {
            try unmapped(
                "\(imported.path(column)) is a dictionary, and the document has \(token.words)", document, reader)
            return []
        }
        var names: Set<ExactString> = []
        var entries: [(key: String, value: Value)] = []
        for entry in tape.children(place) {
            let name = tape.text(tape.tokens[entry].name)
            guard names.insert(ExactString(name)).inserted else {
                throw FileFailure(
                    "\(reader.words(document)): \(imported.path(column)) has a name twice. Remove one of them.")
            }
            let value = try value(entry, imported, column, document, reader, depth: depth)
            if let value {
                entries.append((name, value))
            } else if imported.table.accepts(.null, column: column) {
                entries.append((name, .null))
            }
        }
        return entries
    }

    private func embedded(
        _ place: Int, _ target: AtlasClass, _ document: Int, _ reader: DocumentReader, depth: Int
    ) throws -> ObjectKey {
        let tape = reader.tape
        var places = [Int](repeating: 0, count: target.properties.count)
        var before = -1
        for field in tape.children(place) {
            let name = tape.tokens[field].name
            guard let column = target.column(tape.bytes(name), after: before) else {
                noteOther(name, document, reader, target)
                continue
            }
            guard places[column] == 0 else {
                throw FileFailure("\(reader.words(document)): it has \(target.path(column)) twice. Remove one of them.")
            }
            places[column] = field
            before = column
        }
        var row = target.zeros
        for (column, property) in target.properties.enumerated()
        where property.collection == .none && property.type != .object && property.type != .mixed {
            if places[column] > 0 {
                row[column] = try scalar(places[column], target, column, document, reader) ?? .null
            } else if !target.zeros[column].isNull {
                try missingField(column, document, reader, target)
            }
        }
        let key = try target.table.create(nil, row: row)
        for (column, property) in target.properties.enumerated()
        where places[column] > 0
            && (property.collection != .none || property.type == .object || property.type == .mixed)
        {
            try set(key, column, places[column], target, document, reader, depth: depth)
        }
        return key
    }

    private func mixed(
        _ place: Int, _ imported: AtlasClass, _ column: Int, _ document: Int, _ reader: DocumentReader, depth: Int
    ) throws -> Value? {
        let kind = reader.tape.tokens[place].kind
        if kind == .reference {
            return try link(place, imported, column, document, reader).map {
                .anyObject(ClassedKey($0.table.number, $0.key))
            }
        }
        guard kind == .array || kind == .document else {
            return try scalar(place, imported, column, document, reader)
        }
        let nested: NestedCollection = kind == .array ? .list : .map
        guard imported.properties[column].collection != .set, let rows = self.imported(nested.className) else {
            try unmapped("\(imported.path(column)) is a set, which holds no array and no document", document, reader)
            return nil
        }
        let key = try rows.table.create(nil)
        try set(key, NestedCollection.column, place, rows, document, reader, depth: depth + 1)
        return .anyObject(ClassedKey(rows.table.number, key))
    }
}
