import CausewayJSON
import CausewayModel
import CausewayRealmFile

/// The objects of a Realm file as those of an export. The number of an object without a primary key is its key in the Realm file.
final class RealmSource: ImportSource {
    let path: String
    private let file: RealmFile
    private let mapping: RealmMapping
    private let line: RealmObjectLine
    /// The tables whose objects stand alone, by their places.
    private let tables: [Int]
    private(set) var lineNumber = 0
    private(set) var lineBytes = 0
    /// The row that comes next.
    private var table = 0
    private var cluster = 0
    private var row = 0
    /// The row that was read last.
    private(set) var place: String

    init(_ file: RealmFile, path: String) throws {
        self.file = file
        self.path = path
        mapping = try RealmMapping(file)
        line = RealmObjectLine(file, mapping)
        tables = file.tables.indices.filter { file.tables[$0].className != nil && file.tables[$0].kind != .embedded }
        place = "The Realm file '\(path)'"
    }

    /// What the rows that were read since the last rewinding hold that is not imported.
    var losses: RealmLosses {
        var losses = line.losses
        losses.orphans = mapping.embeddedCount - line.embeddedRead
        losses.repairedTexts = file.repairedTextCount
        return losses
    }

    func header(in schema: Schema) throws -> ExportHeader {
        do {
            return ExportHeader(schema: mapping.schema, schemaVersion: try file.schemaVersion())
        } catch let failure as RealmFileFailure {
            throw FileFailure(failure.description)
        }
    }

    func rewind() throws {
        file.rewind()
        line.rewind()
        (table, cluster, row, lineNumber) = (0, 0, 0, 0)
    }

    func next() throws -> ImportEntry? {
        do {
            return try found()
        } catch let failure as RealmFileFailure {
            throw FileFailure(failure.description)
        }
    }

    private func found() throws -> ImportEntry? {
        while table < tables.count {
            let current = file.tables[tables[table]]
            guard cluster < current.clusterCount else {
                (table, cluster) = (table + 1, 0)
                continue
            }
            guard row < current.rowCount(ofCluster: cluster) else {
                (cluster, row) = (cluster + 1, 0)
                continue
            }
            lineNumber += 1
            place = "Object \(lineNumber) of '\(path)', of class '\(current.className ?? current.name)'"
            let found = try current.row(row, ofCluster: cluster)
            row += 1
            return try entry(found, current)
        }
        return nil
    }

    private func entry(_ row: RealmRow, _ table: RealmTable) throws -> ImportEntry {
        let bytes = try line.bytes(row, table)
        guard bytes.count <= ObjectExport.lineBytesMax else {
            throw FileFailure("It takes more than \(ObjectExport.lineBytesMax) bytes as JSON, and none may.")
        }
        lineBytes = bytes.count
        let number = table.primaryKey == nil ? row.key : nil
        return ImportEntry(
            className: table.className ?? "", number: number, members: try JSONLinesSource.json(bytes).members ?? [])
    }
}
