import CausewayFiles
import CausewayModel
import CausewayObjectStore
import CausewayStorage

/// One import. The documents of a class become rows column by column. Links to documents that come later are set in a second
/// pass over the collections that have some.
final class AtlasRun {
    private static let documentsPerTransactionMax = 50_000

    let plan: AtlasPlan
    private let format: DocumentFormat
    private let writing: ImportWriting
    let options: AtlasImport
    var report = AtlasReport()
    var cells = FieldCells()
    private var classes: ExactDictionary<AtlasClass> = [:]

    init(
        _ plan: AtlasPlan, _ format: DocumentFormat, _ writing: ImportWriting, _ options: AtlasImport
    ) {
        // Once more: the file may have changed since the plan was shown.
        self.plan = plan.fitted(to: writing.transaction.schema.withoutNestedCollections)
        self.format = format
        self.writing = writing
        self.options = options
    }

    private var transaction: Transaction { writing.transaction }

    func perform(_ progress: (Int) -> Void) throws {
        report.isForSyncedFile = writing.isForSyncedFile
        try writing.extendSchema(plan.schema)
        try makeClasses()
        var read = 0
        for collection in plan.collections {
            guard let imported = classes[collection.className] else { continue }
            let before = report.counts
            defer { report.classes.append((collection.className, report.counts - before)) }
            try forEachPiece(collection, imported) { reader in
                try make(reader, imported)
                report.counts.documents += reader.tape.documents.count
                for _ in reader.tape.documents {
                    read += 1
                    progress(read)
                }
            }
        }
        for collection in plan.collections {
            guard let imported = classes[collection.className], imported.hasLateValues else { continue }
            var documents = 0
            try forEachPiece(collection, imported) { reader in
                try connect(reader, imported, Int64(documents))
                documents += reader.tape.documents.count
                for _ in reader.tape.documents {
                    read += 1
                    progress(read)
                }
            }
            guard documents == report.classes.first(where: { $0.name == collection.className })?.counts.documents else {
                throw FileFailure("'\(collection.file.path)' was changed while it was read. Import again.")
            }
        }
        for collection in plan.collections {
            guard let imported = classes[collection.className] else { continue }
            writing.wrote(
                collection.className, from: imported.firstRow,
                replaced: imported.named.subtracting(imported.skipped))
        }
    }

    /// The class of a name that the file has.
    func imported(_ name: String) -> AtlasClass? {
        if let known = classes[name] { return known }
        guard let table = transaction.table(name) else { return nil }
        let imported = AtlasClass(table, transaction.schema) { _ in false }
        classes[name] = imported
        return imported
    }

    /// The class of a collection of the import or of its schema, or one of the file that has its name.
    func imported(collection name: String) -> AtlasClass? {
        let found = imported(plan.classNames[name] ?? name)
        return found?.table.schema.kind == .object && NestedCollection(className: name) == nil ? found : nil
    }

    private func makeClasses() throws {
        let places = ExactDictionary(
            uniqueKeysWithValues: plan.collections.enumerated().map { ($1.className, $0) })
        let nested = NestedCollection.allCases.map(\.className)
        for name in plan.schema.classes.map(\.name) + nested {
            guard let table = transaction.table(name) else { continue }
            // Only documents of collections have links of their own to wait for.
            let place = places[name] ?? .max
            classes[name] = AtlasClass(table, transaction.schema) { target in
                places[target].map { $0 >= place } ?? false
            }
        }
    }

    private func forEachPiece(
        _ collection: AtlasPlan.Collection, _ imported: AtlasClass, _ body: (DocumentReader) throws -> Void
    ) throws {
        let reader = try DocumentReader(collection.file.path, format)
        let documentsMax = FieldCells.documentsMax(columns: imported.properties.count)
        while try reader.next(documentsMax: documentsMax) {
            do {
                try body(reader)
            } catch let error as StoreError {
                throw FileFailure("\(reader.words(0)) or one of those behind it: \(error.message)")
            }
            try writing.took(
                reader.tape.documents.count, bytes: reader.byteCount, objectsMax: Self.documentsPerTransactionMax)
        }
    }

    // MARK: - What is not mapped

    /// Tells of a value that its property cannot hold.
    func unmapped(_ reason: @autoclosure () -> String, _ document: Int, _ reader: DocumentReader) throws {
        guard options.unmapped == .null else {
            throw FileFailure(
                "\(reader.words(document)): \(reason()). Correct the documents or their schema, or import with --unmapped null."
            )
        }
        report.note(reason(), at: reader.words(document))
    }

    /// Tells of a link to a document that is nowhere.
    func missing(_ imported: AtlasClass, _ column: Int, _ document: Int, _ reader: DocumentReader) throws {
        let reason = "\(imported.path(column)) leads to a document that is neither in the import nor in the file"
        guard options.missingLinks == .null else {
            throw FileFailure(
                "\(reader.words(document)): \(reason). Import that collection too, or with --missing-links null.")
        }
        report.note(reason, at: reader.words(document))
    }
}
