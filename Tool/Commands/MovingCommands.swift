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
            _ = try Progress.of("objects written") { try export.write(file, to: output, progress: $0) }
            try output.finish()
        }
    }
}

extension ExportFormat: ExpressibleByArgument {}
