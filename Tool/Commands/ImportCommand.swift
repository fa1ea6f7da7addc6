import ArgumentParser
import CausewayAtlas
import CausewayFiles

extension ObjectImport.Existing: ExpressibleByArgument {}
extension ObjectImport.MissingLinks: ExpressibleByArgument {}
extension AtlasImport.Unmapped: ExpressibleByArgument {}

/// What an import can read.
enum ImportFormat: String, CaseIterable, ExpressibleByArgument {
    case jsonl, csv, mongoexport, bson, realm
}

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Reads an export, documents of MongoDB, or a Realm file into a new, local or synced file.",
        discussion: """
            All of it is imported, or nothing. A new file is encrypted if a key is given. A synced file gets the objects as \
            writes of its device, which the app sends to its server.
              causeway import copy.realm --from flights.jsonl
              causeway import airports.realm --format csv --class Airport --from airports.csv --primary-key faa --null NA
              causeway import flights.realm --format realm --from old.realm
              causeway import flights.realm --from dump/flights --format bson --schema data_sources --dry-run
            """)

    @OptionGroup var options: FileOptions
    @Option(help: "The export. For mongoexport and bson: a file of one collection, or a folder of them.")
    var from: String
    @Option(
        help: """
            jsonl: an export of causeway; csv: a table; mongoexport: documents as extended JSON; bson: documents as \
            mongodump writes them; these two may be packed with gzip. realm: a file that Realm wrote, which is not \
            changed.
            """)
    var format = ImportFormat.jsonl
    @Option(
        name: .customLong("class"), help: "The class of the objects of a CSV file, or of the documents of one file.")
    var className: String?
    @Option(help: "What becomes of objects whose primary key the file has already: fail, skip or replace.")
    var existing = ObjectImport.Existing.fail
    @Option(
        help: """
            What becomes of links to objects that are neither in the export nor in the file: fail or null. Without it, \
            null for mongoexport and bson, and fail for the others.
            """)
    var missingLinks: ObjectImport.MissingLinks?
    @Flag(help: "For mongoexport, bson and realm: print what would become of what, and write nothing.")
    var dryRun = false
    @OptionGroup(title: "Options for csv") var table: TableArguments
    @OptionGroup(title: "Options for mongoexport and bson") var atlas: AtlasOptions
    @OptionGroup(title: "Options for realm") var realm: RealmImportOptions

    func validate() throws {
        let isOfDocuments = format == .mongoexport || format == .bson
        if atlas.isGiven, !isOfDocuments {
            throw ValidationError("--schema and --unmapped are for --format mongoexport and bson.")
        }
        if table.isGiven, format != .csv { throw ValidationError("--primary-key and --null are for --format csv.") }
        if dryRun, !isOfDocuments, format != .realm {
            throw ValidationError("--dry-run is for --format mongoexport, bson and realm.")
        }
        if realm.realmKeyFile != nil, format != .realm {
            throw ValidationError("--realm-key-file is for --format realm.")
        }
        if format == .realm, className != nil || missingLinks != nil {
            throw ValidationError("--class and --missing-links are not for --format realm: it has classes and links.")
        }
    }

    func run() throws {
        switch format {
        case .jsonl: try importExport(.jsonl)
        case .csv: try importExport(.csv)
        case .mongoexport: try importDocuments(.mongoexport)
        case .bson: try importDocuments(.bson)
        case .realm: try realm.run(from, to: options, existing: existing, writes: !dryRun)
        }
    }

    private func importExport(_ format: ExportFormat) throws {
        let objects = try ObjectImport(
            format, className: className, table: table.options, existing: existing,
            missingLinks: missingLinks ?? .fail)
        let report = try Progress.of("lines read") {
            try objects.run(from: from, to: options.file, key: options.key(), progress: $0)
        }
        print(report.text)
    }

    private func importDocuments(_ format: DocumentFormat) throws {
        let documents = AtlasImport(
            format, className: className, schemaFolder: atlas.schema, existing: existing,
            missingLinks: missingLinks ?? .null, unmapped: atlas.unmapped ?? .fail)
        let plan = try Progress.of("documents looked at") {
            try documents.plan(from: from, for: options.file, key: options.key(), progress: $0)
        }
        print(plan.text)
        if dryRun {
            print("\nNothing was written. Values, keys and links are looked at by the import itself.")
            return
        }
        let report = try Progress.of("documents read") {
            try documents.run(plan, to: options.file, key: options.key(), progress: $0)
        }
        print("\n" + report.text)
    }
}

/// What only imports of tables have.
struct TableArguments: ParsableArguments {
    @Option(help: "For a class that the file does not have yet: the column of its primary key.")
    var primaryKey: String?
    @Option(help: "What a cell says to be null, besides nothing: NA, for example.")
    var null: String?

    var isGiven: Bool { primaryKey != nil || null != nil }
    var options: TableOptions { TableOptions(primaryKey: primaryKey, nullText: null) }
}

/// What only imports of documents have.
struct AtlasOptions: ParsableArguments {
    @Option(help: "The folder data_sources of the app that App Services exported, or a folder in it.")
    var schema: String?
    @Option(
        help: """
            What becomes of values that their property cannot hold: fail, or null, which counts them in the report. \
            Without it: fail.
            """)
    var unmapped: AtlasImport.Unmapped?

    var isGiven: Bool { schema != nil || unmapped != nil }
}
