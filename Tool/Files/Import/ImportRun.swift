import CausewayJSON
import CausewayModel
import CausewayObjectStore
import CausewayStorage

/// One import. The first pass makes the objects with their plain values. The second one sets what may lead to other objects: links,
/// embedded objects, and mixed values.
final class ImportRun {
    /// A transaction of a new file ends after so many lines or bytes of them, so that memory stays bounded.
    private static let linesPerTransactionMax = 10_000
    private static let bytesPerTransactionMax = 64 << 20

    private static let bounds: JSONReader.Bounds = {
        var bounds = JSONReader.Bounds()
        // `$map` makes two levels of one.
        bounds.depth = 2 * ObjectLine.depthMax + 16
        bounds.values = ObjectExport.lineBytesMax
        return bounds
    }()

    /// A line, understood as far as its class is.
    struct Line {
        var imported: ImportedClass
        var number: Int64?
        var members: [JSON.Member]
    }

    private let lines: LineReader
    let transaction: Transaction
    private let isNew: Bool
    let existing: ObjectImport.Existing
    let missingLinks: ObjectImport.MissingLinks
    var report = ObjectImport.Report()
    private var classes: ExactDictionary<ImportedClass> = [:]

    init(
        _ lines: LineReader, _ transaction: Transaction, isNew: Bool, _ existing: ObjectImport.Existing,
        _ missingLinks: ObjectImport.MissingLinks
    ) {
        self.lines = lines
        self.transaction = transaction
        self.isNew = isNew
        self.existing = existing
        self.missingLinks = missingLinks
    }

    func perform(_ progress: (Int) -> Void) throws {
        var read = 0
        let header = try header()
        try transaction.extendSchema(wanted(header.schema).withNestedCollections)
        for classSchema in header.schema.classes { _ = imported(classSchema.name) }
        try forEachObject { line in
            try make(line)
            read += 1
            progress(read)
        }
        if let count = header.objectCount, count != read {
            throw FileFailure(
                "The header of '\(lines.path)' tells \(count) objects, and \(read) follow: the export was cut off or changed. "
                    + "Export again, or correct the header.")
        }
        for imported in classes.values {
            guard let number = imported.numbers.sort() else { continue }
            throw FileFailure("Two objects of class '\(imported.name)' have the number \(number). Give each its own.")
        }
        guard classes.values.contains(where: \.hasLinks) else { return }
        try forEachObject { line in
            try connect(line)
            read += 1
            progress(read)
        }
    }

    /// The plan of a class of the file; nil if it has none of this name.
    func imported(_ name: String) -> ImportedClass? {
        if let known = classes[name] { return known }
        guard NestedCollection(className: name) == nil, let table = transaction.table(name) else { return nil }
        let imported = ImportedClass(table)
        classes[name] = imported
        return imported
    }

    // MARK: - Lines

    private func header() throws -> ExportHeader {
        try lines.rewind()
        guard let bytes = try lines.next() else { throw FileFailure("'\(lines.path)' is empty.") }
        return try located { try ExportHeader(try json(bytes)) }
    }

    /// What the file gets of the export's schema: rules that it has for deletions stay.
    private func wanted(_ schema: Schema) -> Schema {
        Schema(
            schema.classes.map { classSchema in
                var result = classSchema
                for (index, property) in classSchema.properties.enumerated() {
                    guard let stored = transaction.schema[classSchema.name],
                        let column = stored.index(of: property.name)
                    else { continue }
                    result.properties[index].deletionRule = stored.properties[column].deletionRule
                }
                return result
            })
    }

    private func forEachObject(_ body: (Line) throws -> Void) throws {
        try lines.rewind()
        _ = try lines.next()
        for imported in classes.values { imported.place = 0 }
        var (waitingLines, waitingBytes) = (0, 0)
        while let bytes = try lines.next() {
            if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
            try located { try body(try line(bytes)) }
            waitingLines += 1
            waitingBytes += bytes.count
            guard isNew, waitingLines >= Self.linesPerTransactionMax || waitingBytes >= Self.bytesPerTransactionMax
            else { continue }
            (waitingLines, waitingBytes) = (0, 0)
            try transaction.commit(.relaxed)
            try transaction.beginWriting()
        }
    }

    /// Names the line that was read last in a failure.
    private func located<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as FileFailure {
            throw FileFailure("Line \(lines.number) of '\(lines.path)': \(failure.description)")
        } catch let error as StoreError {
            throw FileFailure("Line \(lines.number) of '\(lines.path)': \(error.message)")
        }
    }

    private func json(_ bytes: [UInt8]) throws -> JSON {
        do throws(JSONReader.Failure) {
            return try JSONReader.read(bytes, bounds: Self.bounds)
        } catch {
            throw FileFailure("It is not JSON at byte \(error.offset + 1): \(error.reason).")
        }
    }

    private func line(_ bytes: [UInt8]) throws -> Line {
        let json = try json(bytes)
        guard let name = json["class"]?.string, let members = json["object"]?.members else {
            throw FileFailure("It is no object. Expected: {\"class\": \"…\", \"object\": {…}}.")
        }
        guard let imported = imported(name), imported.table.schema.kind != .embedded else {
            throw FileFailure("The header has no class '\(name.prefix(100))' of objects that stand alone.")
        }
        var number: Int64?
        if let given = json["number"] {
            guard imported.table.schema.primaryKeyIndex == nil, let value = given.int, value >= 0, value < .max else {
                throw FileFailure(
                    "Its number is not one. Expected: a whole number from 0 on, and none in a class with a primary key."
                )
            }
            number = value
        }
        return Line(imported: imported, number: number, members: members)
    }
}
