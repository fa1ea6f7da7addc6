import ArgumentParser
import CausewayJSON
import Foundation

struct AdminDatabases: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "databases", abstract: "Lists, adds and drops databases.",
        subcommands: [List.self, Show.self, Add.self, Drop.self], defaultSubcommand: List.self)

    fileprivate static let columns = [
        AdminColumn("DATABASE", "name"), AdminColumn("VERSION", "version"), AdminColumn("ANSWERS", "answers"),
        AdminColumn("BYTES", "file", "bytes"), AdminColumn("USED", "file", "usedBytes"),
        AdminColumn("HISTORY", "history", "versions"), AdminColumn("LIVE", "sessions", "live"),
    ]

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints the databases with their statistics.")

        @OptionGroup var options: AdminOptions

        func run() async throws {
            try await options.showList(["databases"], "databases", AdminDatabases.columns) { page in
                (page["notOpen"]?.elements ?? []).map { outage in
                    "\nNot open, and not served: \(outage["name"]?.string ?? "")\n  \(outage["reason"]?.string ?? "")"
                }
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints one database with its classes.")

        @OptionGroup var place: AdminDatabaseOption

        func run() async throws {
            let answer = try await place.options.client().call(.get, place.path)
            if place.options.json { return place.options.show(answer) { _ in "" } }
            AdminTable.print([answer], AdminDatabases.columns)
            print("")
            AdminTable.print(
                answer["classes"]?.elements ?? [],
                [AdminColumn("CLASS", "name"), AdminColumn("KIND", "kind"), AdminColumn("OBJECTS", "objects")])
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds a database, and serves it at once.",
            discussion:
                "It gets a file in databasesFolder of the configuration, so that it is there after a restart too.")

        @OptionGroup var options: AdminOptions

        @Option(help: "Its name.")
        var name: String

        @Option(help: "The folder for its data; left out: one beside its file in databasesFolder.")
        var folder: String?

        @Option(
            help: "A JSON file with the rest of what the configuration says of a database: permissions, tokens, sinks.")
        var settings: String?

        func run() async throws {
            let answer = try await options.client().call(.post, ["databases"], body: try body())
            options.show(answer) { _ in "The database '\(name)' was added." }
        }

        private func body() throws -> [UInt8] {
            var members: [JSON.Member] = []
            if let settings {
                guard let data = FileManager.default.contents(atPath: settings),
                    let read = try? JSONReader.read(Array(data)),
                    let found = read.members
                else { throw CommandFailure("\(settings) cannot be read as a JSON object.") }
                members = found
            }
            members.append(JSON.Member("name", .string(name)))
            if let folder { members.append(JSON.Member("folder", .string(folder))) }
            var writer = JSONWriter()
            writer.write(.object(members))
            return writer.bytes
        }
    }

    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes a database off the server. Its files stay, unless --delete-files is given.",
            discussion: "Devices keep their data and their unsent changes, and are told that the database is not there."
        )

        @OptionGroup var place: AdminDatabaseOption

        @Option(help: "The database's name again: deletes its files, for good.")
        var deleteFiles: String?

        func run() async throws {
            let answer = try await place.options.client().call(
                .delete, place.path, query: [("deleteFiles", deleteFiles)])
            place.options.show(answer) { _ in
                "The database '\(place.database)' was dropped. "
                    + (deleteFiles == nil ? "Its files stay." : "Its files were deleted.")
            }
        }
    }
}
