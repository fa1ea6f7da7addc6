import ArgumentParser
import CausewayFiles

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes the objects of a file as lines of JSON or as a table, which import reads.",
        discussion: "What is written is one snapshot. An app may write to the file meanwhile.")

    @OptionGroup var options: FileOptions
    @Option(help: "jsonl: everything, in lines of JSON; csv: one class as a table.")
    var format = ExportFormat.jsonl
    @Option(
        name: .customLong("class"), help: "A class to export; may come several times. Without it, all are exported.")
    var classNames: [String] = []
    @Option(help: "Which objects of the one class; SORT(…) and LIMIT(…) may follow the predicate.")
    var query: String?
    @Option(help: "The file to write, which must be new. Without it, standard output is written.")
    var to: String?

    func run() throws {
        let export = try ObjectExport(format, classNames: classNames, query: query)
        try options.inspect { file in
            let output = try ExportOutput(path: to)
            let progress = Progress("objects written")
            defer { progress.end() }
            try export.write(file, to: output, progress: progress.tell)
            try output.finish()
        }
    }
}

extension ExportFormat: ExpressibleByArgument {}
extension ObjectImport.Existing: ExpressibleByArgument {}
extension ObjectImport.MissingLinks: ExpressibleByArgument {}

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Reads an export or a Realm file into a new file, or into a local one that is there.",
        discussion: "All of it is imported, or nothing. A new file is encrypted if a key is given.")

    @OptionGroup var options: FileOptions
    @Option(help: "The export.") var from: String?
    @OptionGroup var realm: RealmImportOptions
    @Option(help: "The format of the export: jsonl or csv.")
    var format = ExportFormat.jsonl
    @Option(name: .customLong("class"), help: "The class of the objects of a CSV file.")
    var className: String?
    @Option(help: "What becomes of objects whose primary key the file has already: fail, skip or replace.")
    var existing = ObjectImport.Existing.fail
    @Option(help: "What becomes of links to objects that are neither in the export nor in the file: fail or null.")
    var missingLinks = ObjectImport.MissingLinks.fail

    func validate() throws {
        guard (from == nil) != (realm.fromRealm == nil) else {
            throw ValidationError("Give --from EXPORT or --from-realm FILE, and not both.")
        }
        if realm.fromRealm != nil, format != .jsonl || className != nil {
            throw ValidationError("--format and --class belong to --from.")
        }
    }

    func run() throws {
        if let source = realm.fromRealm { return try realm.run(source, to: options, existing: existing) }
        guard let from else { return }
        let objects = try ObjectImport(format, className: className, existing: existing, missingLinks: missingLinks)
        let progress = Progress("lines read")
        let report = try {
            defer { progress.end() }
            return try objects.run(from: from, to: options.file, key: options.key(), progress: progress.tell)
        }()
        print(report.text)
    }
}
