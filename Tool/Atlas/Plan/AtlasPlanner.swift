import CausewayFiles
import CausewayModel

/// Decides which classes the documents get: those of their schema, or inferred from all documents.
struct AtlasPlanner {
    private static let documentsPerPiece = 10_000

    let format: DocumentFormat
    let className: String?
    let schemaFolder: String?

    func plan(_ path: String, progress: (Int) -> Void) throws -> AtlasPlan {
        var notes: [String] = []
        let files = try CollectionFile.files(path, format) {
            notes.append("\($0) is left out: it is none of the app's.")
        }
        guard className == nil || files.count == 1 else {
            throw FileFailure("--class names one class, and '\(path)' has \(files.count) collections. Name one file.")
        }
        let app = try schemaFolder.map { try AppSchema(folder: $0) }
        let appClasses = try app.map { try AppClasses($0) }
        notes += appClasses?.notes ?? []

        var named: [(file: CollectionFile, className: String, hasSchema: Bool)] = []
        for file in files {
            let known = try app.flatMap { try match(file, $0) }
            if let className, app != nil, known == nil {
                throw FileFailure(
                    "No collection of the schema has the title '\(className)'. Correct --class, or leave it out.")
            }
            let name = known?.title ?? className ?? file.collection
            try check(name, file, named.map(\.className))
            if app != nil, known == nil { notes.append("'\(file.path)' has no schema, so its class is inferred.") }
            named.append((file, name, known != nil))
        }

        var names: ExactDictionary<String> = [:]
        for collection in app?.collections ?? [] { names[collection.name] = collection.title }
        for entry in named { names[entry.file.collection] = entry.className }
        var inferred = InferredClasses(collections: names, known: appClasses?.classes ?? [])
        var read = 0
        var collections: [AtlasPlan.Collection] = []
        for entry in named {
            var collection = AtlasPlan.Collection(file: entry.file, className: entry.className)
            if !entry.hasSchema {
                let shape = try shape(entry.file) {
                    read += 1
                    progress(read)
                }
                try inferred.add(shape, named: entry.className, file: entry.file.path)
                collection.inferredFrom = shape.count
            }
            collections.append(collection)
        }
        let schema = Schema(inferred.classes).reached(from: collections.map(\.className))
        return AtlasPlan(
            collections: AtlasPlan.ordered(collections, schema), schema: schema, classNames: names, notes: notes)
    }

    private func match(_ file: CollectionFile, _ app: AppSchema) throws -> AppSchema.Collection? {
        if let className { return app.collections.first { $0.title == className } }
        let same = app.collections.filter { $0.name == file.collection }
        if let found = same.first(where: { $0.database == file.database }) { return found }
        guard same.count < 2 else {
            throw FileFailure(
                "The schema has a collection '\(file.collection)' in the databases "
                    + "\(same.map { "'\($0.database)'" }.joined(separator: ", ")). Give --schema the folder of one of them."
            )
        }
        return same.first ?? app.collections.first { $0.title == file.collection }
    }

    private func check(_ name: String, _ file: CollectionFile, _ others: [String]) throws {
        guard !name.isEmpty, NestedCollection(className: name) == nil else {
            throw FileFailure("'\(name)' is no name for a class. Choose one with --class.")
        }
        guard !others.contains(name) else {
            throw FileFailure(
                "'\(file.path)' is a second collection for class '\(name)'. Import the folder of one database, or one file."
            )
        }
    }

    private func shape(_ file: CollectionFile, _ count: () -> Void) throws -> DocumentShape {
        let reader = try DocumentReader(file.path, format)
        let shape = DocumentShape()
        while try reader.next(documentsMax: Self.documentsPerPiece) {
            for document in reader.tape.documents {
                try shape.add(document.token, reader.tape)
                count()
            }
        }
        return shape
    }
}
