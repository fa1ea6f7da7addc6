import ArgumentParser
import CausewayJSON

struct AdminRefusals: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refusals", abstract: "Says what was refused of which client.",
        subcommands: [List.self, Show.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the clients of which operations were refused.")

        @OptionGroup var place: AdminDatabaseOption

        @Option(help: "Only this user's.")
        var user: String?

        func run() async throws {
            try await place.options.showList(
                place.path + ["refusals"], "clients", query: [("user", user)],
                [
                    AdminColumn("CLIENT", "client"), AdminColumn("USER", "user"),
                    AdminColumn("LAST HEARD (DAY)", "heard"),
                    AdminColumn("CHANGESETS", "changesets"), AdminColumn("OPERATIONS", "operations"),
                ])
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints what was refused of one client, by changeset.",
            discussion: "Their classes, codes and numbers; never keys or values.")

        @OptionGroup var place: AdminDatabaseOption

        @Option(help: "The client, as `refusals list` prints it.")
        var client: String

        func run() async throws {
            try await place.options.showList(
                place.path + ["refusals", client], "changesets",
                [
                    AdminColumn("CHANGESET", "sequence"), AdminColumn("VERSION", "version"),
                    AdminColumn("RECEIVED", "received"), AdminColumn("TOLD", "isTold"),
                    AdminColumn("CLASS, CODE, NUMBER", "operations"),
                ])
        }
    }
}
