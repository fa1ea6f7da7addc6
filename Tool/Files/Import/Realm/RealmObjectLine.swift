import CausewayJSON
import CausewayModel
import CausewayRealmFile

/// An object of a Realm file as the line of an export.
final class RealmObjectLine {
    private let file: RealmFile
    private let mapping: RealmMapping
    private(set) var losses = RealmLosses()
    /// How many embedded objects were read inside of others.
    private(set) var embeddedRead = 0

    init(_ file: RealmFile, _ mapping: RealmMapping) {
        self.file = file
        self.mapping = mapping
    }

    func rewind() { (losses, embeddedRead) = (RealmLosses(), 0) }

    /// The properties of an object, in braces.
    func bytes(_ row: RealmRow, _ table: RealmTable) throws -> [UInt8] {
        guard let place = file.tables.firstIndex(where: { $0 === table }) else { return [] }
        var writer = JSONWriter()
        writer.open(UInt8(ascii: "{"))
        try writeProperties(row, table: place, depth: 0, to: &writer)
        writer.close(UInt8(ascii: "}"))
        return writer.bytes
    }

    private func writeProperties(_ row: RealmRow, table: Int, depth: Int, to writer: inout JSONWriter) throws {
        guard depth <= ObjectLine.depthMax else {
            throw FileFailure(
                "It nests more than \(ObjectLine.depthMax) levels deep. Keep deeper data in objects of its own.")
        }
        let columns = file.tables[table].columns
        for (index, value) in row.values.enumerated() where mapping.taken[table][index] {
            writer.name(columns[index].name)
            try write(value, columns[index], depth, to: &writer)
        }
    }

    private func write(
        _ value: RealmValue, _ column: RealmColumn, _ depth: Int, to writer: inout JSONWriter
    ) throws {
        guard writer.bytes.count <= ObjectExport.lineBytesMax else {
            throw FileFailure("It takes more than \(ObjectExport.lineBytesMax) bytes as JSON, and none may.")
        }
        switch value {
        case .plain(let value):
            if column.propertyType == .mixed { writer.write(mixed: value) } else { writer.write(typed: value) }
        case .link(let link): try write(link, depth, to: &writer)
        case .list(let elements):
            writer.open(UInt8(ascii: "["))
            for element in elements where try isKept(element, column) { try write(element, column, depth, to: &writer) }
            writer.close(UInt8(ascii: "]"))
        case .dictionary(let entries):
            let hasTags = entries.contains { $0.name.isTag }
            writer.openMap(hasTags: hasTags)
            for entry in entries {
                writer.name(entry.name)
                try write(entry.value, column, depth, to: &writer)
            }
            writer.closeMap(hasTags: hasTags)
        }
    }

    // MARK: - Links

    /// Lists and sets of links hold no null.
    private func isKept(_ element: RealmValue, _ column: RealmColumn) throws -> Bool {
        guard column.propertyType == .object, case .link(let link) = element else { return true }
        let table = file.tables[link.table]
        guard table.kind != .embedded, try !table.hasRow(ofKey: link.key) else { return true }
        losses.danglingLinks += 1
        return false
    }

    private func write(_ link: RealmLink, _ depth: Int, to writer: inout JSONWriter) throws {
        let table = file.tables[link.table]
        guard let className = table.className else { return lose(to: &writer) }
        if table.kind == .embedded { return try writeEmbedded(link, depth, to: &writer) }
        guard table.primaryKey != nil else {
            guard try table.hasRow(ofKey: link.key) else { return lose(to: &writer) }
            return writer.object { json in
                json.field("$ref", className)
                json.field("$number", link.key)
            }
        }
        guard let key = try table.primaryKey(ofKey: link.key).flatMap({ PrimaryKey($0) }) else {
            return lose(to: &writer)
        }
        writer.write(link: ClassedLink(className, key))
    }

    private func lose(to writer: inout JSONWriter) {
        losses.danglingLinks += 1
        writer.null()
    }

    private func writeEmbedded(_ link: RealmLink, _ depth: Int, to writer: inout JSONWriter) throws {
        guard let row = try file.row(link) else {
            throw RealmFileFailure("The Realm file is damaged: it lacks an embedded object that another one holds.")
        }
        embeddedRead += 1
        guard embeddedRead <= mapping.embeddedCount else {
            throw RealmFileFailure("The Realm file is damaged: several objects hold one embedded object.")
        }
        let hasTags = file.tables[link.table].columns.first?.name.isTag ?? false
        writer.openMap(hasTags: hasTags)
        try writeProperties(row, table: link.table, depth: depth + 1, to: &writer)
        writer.closeMap(hasTags: hasTags)
    }
}
