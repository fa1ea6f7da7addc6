import ArgumentParser
import CausewayFiles

struct StatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stat", abstract: "Says how large a file is, what kind it is, and how many objects it holds.")

    @OptionGroup var options: FileOptions
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
        try options.inspect { file in
            let summary = try FileSummary(file)
            print(json ? summary.json : summary.text)
        }
    }
}

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Lists the classes and their properties.")

    @OptionGroup var options: FileOptions
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
        try options.inspect { file in
            print(try json ? SchemaText.json(of: file) : SchemaText.text(of: file))
        }
    }
}

struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Prints the objects that a query selects, one line of JSON each.")

    @OptionGroup var options: FileOptions
    @Argument(help: "The class.") var className: String
    @Argument(help: "The query; SORT(…) and LIMIT(…) may follow the predicate.") var text = "TRUEPREDICATE"
    @Flag(help: "Print only how many there are.") var count = false

    func run() throws {
        let query = try ObjectQuery(className, text)
        try options.inspect { file in
            try file.read { transaction in
                let rows = try query.rows(in: transaction)
                if count { return print(rows.count) }
                let line = ObjectLine(transaction)
                for row in rows { print(try line.text(row, className)) }
            }
        }
    }
}

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Says how a query would be answered: by which index, with which scans.")

    @OptionGroup var options: FileOptions
    @Argument(help: "The class.") var className: String
    @Argument(help: "The query.") var text: String

    func run() throws {
        let query = try ObjectQuery(className, text)
        try options.inspect { file in print(try file.read { try query.explanation(in: $0) }) }
    }
}
