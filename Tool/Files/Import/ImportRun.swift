import CausewayJSON
import CausewayModel
import CausewayObjectStore
import CausewayStorage

/// One import. The first pass makes the objects with their plain values. The second one sets what may lead to other objects: links,
/// embedded objects, and mixed values.
final class ImportRun {
    private static let linesPerTransactionMax = 10_000

    /// A line, understood as far as its class is.
    struct Line {
        var imported: ImportedClass
        var number: Int64?
        var members: [JSON.Member]
    }

    private let source: any ImportSource
    private let writing: ImportWriting
    let existing: ObjectImport.Existing
    let filling: ObjectFilling
    /// Without the links, which are counted where they are read.
    var counts = ObjectImport.Report()

    init(
        _ source: any ImportSource, _ writing: ImportWriting, _ existing: ObjectImport.Existing,
        _ missingLinks: ObjectImport.MissingLinks
    ) {
        self.source = source
        self.writing = writing
        self.existing = existing
        filling = ObjectFilling(writing.transaction, missingLinks)
    }

    var report: ObjectImport.Report {
        var report = counts
        report.missingLinks = filling.missingLinkCount
        report.newClass = source.newClass
        report.isForSyncedFile = writing.isForSyncedFile
        return report
    }

    func perform(_ progress: (Int) -> Void) throws {
        var read = 0
        let transaction = writing.transaction
        let header = try located { try source.header(in: transaction.schema) }
        try writing.extendSchema(header.schema)
        // The app that opens the file next migrates it from there.
        if let version = header.schemaVersion, transaction.appSchemaVersion == nil {
            transaction.setAppSchemaVersion(version)
        }
        for classSchema in header.schema.classes { _ = filling.imported(classSchema.name) }
        try forEachObject { line in
            try make(line)
            read += 1
            progress(read)
        }
        if let count = header.objectCount, count != read {
            throw FileFailure(
                "The header of '\(source.path)' tells \(count) objects, and \(read) follow: the export was cut off or changed. "
                    + "Export again, or correct the header.")
        }
        for imported in filling.classes.values {
            guard let number = imported.numbers.sort() else { continue }
            throw FileFailure("Two objects of class '\(imported.name)' have the number \(number). Give each its own.")
        }
        if filling.classes.values.contains(where: \.hasLinks) {
            try forEachObject { line in
                try connect(line)
                read += 1
                progress(read)
            }
        }
        for imported in filling.classes.values where imported.table.schema.kind != .embedded {
            writing.wrote(
                imported.name, from: imported.firstRow, replaced: imported.named.subtracting(imported.skipped))
        }
    }

    // MARK: - Lines

    private func forEachObject(_ body: (Line) throws -> Void) throws {
        try source.rewind()
        for imported in filling.classes.values { imported.place = 0 }
        while let entry = try located({ try source.next() }) {
            try located { try body(try line(entry)) }
            try writing.took(1, bytes: source.lineBytes, objectsMax: Self.linesPerTransactionMax)
        }
    }

    /// Names the line that was read last in a failure.
    private func located<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as FileFailure {
            throw FileFailure("\(source.place): \(failure.description)")
        } catch let error as StoreError {
            throw FileFailure("\(source.place): \(error.message)")
        }
    }

    private func line(_ entry: ImportEntry) throws -> Line {
        guard let imported = filling.imported(entry.className), imported.table.schema.kind != .embedded else {
            throw FileFailure("The header has no class '\(entry.className.prefix(100))' of objects that stand alone.")
        }
        guard entry.number == nil || imported.table.schema.primaryKeyIndex == nil else {
            throw FileFailure("It has a number, and class '\(imported.name)' has a primary key. Remove the number.")
        }
        return Line(imported: imported, number: entry.number, members: entry.members)
    }
}
