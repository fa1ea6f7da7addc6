import ArgumentParser
import CausewayJournal
import CausewayJournalPostgreSQL
import CausewayPostgreSQL
import Foundation

struct JournalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Prepares a PostgreSQL for the journals of many nodes, and shows what is in it.",
        subcommands: [Initialize.self, Status.self, Import.self, Restore.self, Remove.self],
        defaultSubcommand: Status.self)

    struct Initialize: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "init", abstract: "Makes the tables in the schema 'causeway', or brings them up to date.",
            discussion: """
                Once for all nodes, with a role that may create a schema. The nodes need less:
                  GRANT USAGE ON SCHEMA causeway TO ROLE;
                  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA causeway TO ROLE;
                """)

        @OptionGroup var option: ConfigurationOption

        func run() throws {
            let making = try JournalCommand.asking(try option.read()) { connection throws(PostgreSQLFailure) in
                try JournalTables.make(connection)
            }
            switch making {
            case .made: print("The tables were made.")
            case .updated(let version): print("The tables were of version \(version), and are up to date now.")
            case .unchanged: print("The tables were there already.")
            }
        }
    }

    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Prints the journals: their last entry, how many entries and bytes they keep, and of which time.")

        @OptionGroup var option: ConfigurationOption

        func run() throws {
            let journals = try JournalCommand.asking(try option.read()) { connection throws(PostgreSQLFailure) in
                try JournalTables.summaries(connection)
            }
            let rows = journals.map {
                ["\($0.name)", "\($0.position)", "\($0.entries)", "\($0.bytes)"]
                    + [$0.oldest, $0.newest].map { $0.isEmpty ? "-" : $0 }
            }
            for row in [["DATABASE", "POSITION", "ENTRIES", "BYTES", "OLDEST", "NEWEST"]] + rows {
                print(row.joined(separator: "\t"))
            }
        }
    }

    static func asking<Answer>(
        _ configuration: Configuration, _ body: (PostgreSQLConnection) throws(PostgreSQLFailure) -> Answer
    ) throws(CommandFailure) -> Answer {
        let journal = try journal(of: configuration)
        do throws(PostgreSQLFailure) {
            return try body(try PostgreSQLConnection(try journal.settings()))
        } catch {
            guard error.code != .refused(state: "42501") else {
                throw CommandFailure(
                    "The role of journal.connectionFile may not do this (SQLSTATE 42501). `journal init` needs one that may create a "
                        + "schema. \(JournalTables.rights)")
            }
            throw CommandFailure(error.message)
        }
    }

    static func journal(of configuration: Configuration) throws(CommandFailure) -> Configuration.Journal {
        guard let journal = configuration.journal else {
            throw CommandFailure(
                "The configuration has no section 'journal'. Name there the file with the connection to PostgreSQL: "
                    + "journal: {connectionFile: FILE}")
        }
        return journal
    }
}
