import ArgumentParser
import CausewayJSON

struct AdminSessions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "Lists and ends the sessions of a database.",
        subcommands: [List.self, End.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints who is connected, and where each stands.")

        @OptionGroup var place: AdminDatabaseOption

        @Option(help: "Only this user's.")
        var user: String?

        func run() async throws {
            try await place.options.showList(
                place.path + ["sessions"], "sessions", query: [("user", user)],
                [
                    AdminColumn("CLIENT", "client"), AdminColumn("USER", "user"), AdminColumn("ADDRESS", "address"),
                    AdminColumn("SINCE", "since"), AdminColumn("STATE", "state"), AdminColumn("VERSION", "version"),
                    AdminColumn("QUERIES", "queries"), AdminColumn("PROTOCOL", "protocol"),
                ])
        }
    }

    struct End: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ends the session of a client.", discussion: "The device connects again by itself.")

        @OptionGroup var place: AdminDatabaseOption

        @Option(help: "The client, as `sessions list` prints it.")
        var client: String

        func run() async throws {
            let answer = try await place.options.client().call(.delete, place.path + ["sessions", client])
            place.options.show(answer) { _ in "The session of the client \(client) was ended." }
        }
    }
}
