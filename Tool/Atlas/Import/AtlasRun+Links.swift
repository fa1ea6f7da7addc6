import CausewayModel
import CausewayObjectStore

extension AtlasRun {
    /// The object that a value links to: by a primary key, or as a DBRef; nil for null, and if there is none.
    func link(
        _ place: Int, _ imported: AtlasClass, _ column: Int, _ document: Int, _ reader: DocumentReader
    ) throws -> (table: Table, key: ObjectKey)? {
        let tape = reader.tape
        let token = tape.tokens[place]
        if token.kind == .null { return nil }
        let wanted = imported.properties[column].target
        let reference = DocumentReference(place, tape)
        if reference != nil { noteFields(ofReference: place, imported, column, document, reader) }
        let target = reference.map { self.imported(collection: $0.collection) } ?? wanted.flatMap { self.imported($0) }
        if let wanted, let target, !target.name.isSame(as: wanted) {
            try unmapped(
                "\(imported.path(column)) links to class '\(wanted)', and the document to another one", document, reader
            )
            return nil
        }
        guard let target, let primaryKey = target.primaryKey else {
            try missing(imported, column, document, reader)
            return nil
        }
        let id = reference.map { tape.tokens[$0.id] } ?? token
        guard let key = tape.primaryKey(id, target.properties[primaryKey].type) else {
            try unmapped(
                "\(imported.path(column)) links by \(target.properties[primaryKey].type), and the document has \(id.words)",
                document, reader)
            return nil
        }
        guard let found = target.table.key(for: key) else {
            try missing(imported, column, document, reader)
            return nil
        }
        return (target.table, found)
    }
}

extension AtlasRun {
    /// A DBRef may have fields of its own, and a link has none.
    private func noteFields(
        ofReference place: Int, _ imported: AtlasClass, _ column: Int, _ document: Int, _ reader: DocumentReader
    ) {
        let tape = reader.tape
        // Nearly all have two, and are looked at no further.
        guard Int(tape.tokens[place].end) > place + 3 else { return }
        for field in tape.children(place)
        where !["$ref", "$id", "$db"].contains(where: { tape.hasName(field, $0) }) {
            report.note(
                "\(imported.path(column)): fields of a DBRef beside $ref, $id and $db are left out",
                at: reader.words(document))
        }
    }
}

extension DocumentTape {
    /// The primary key that a token is; nil if it has another type.
    func primaryKey(_ token: DocumentToken, _ type: PropertyType) -> PrimaryKey? {
        switch (type, token.kind) {
        case (.int, .int): .int(token.int)
        case (.string, .string): .string(text(token.bytes))
        case (.objectId, .objectId): .objectId(token.objectId)
        case (.uuid, .uuid): .uuid(token.uuid)
        default: nil
        }
    }
}
