import ArgumentParser
import CausewayEnvironment

/// The `causeway` program.
@main
struct Causeway: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "causeway",
        abstract: "Looks into the files of apps and servers, checks them, copies them, and moves objects out and in.",
        discussion: """
            An app may have the file open meanwhile. Only compact and import change the file that they are given, and browse \
            if it is told to.
              causeway stat flights.realm
              causeway query flights.realm Flight "origin == 'JFK' SORT(dest ASC) LIMIT(10)"
            """,
        version: Release.version,
        subcommands: [
            StatCommand.self, SchemaCommand.self, QueryCommand.self, ExplainCommand.self, VerifyCommand.self,
            CompactCommand.self, CopyCommand.self, ExportCommand.self, ImportCommand.self, BrowseCommand.self,
        ]
    )
}
