import ArgumentParser
import CausewayJSON

struct AdminAccounts: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts", abstract: "Lists, disables and enables the users that the server itself keeps.",
        discussion: "`sync-server accounts` does more, on the server's machine.",
        subcommands: [List.self, Disable.self, Enable.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints the accounts by their ids.")

        @OptionGroup var place: AdminDatabaseOption

        func run() async throws {
            try await place.options.showList(
                place.path + ["accounts"], "accounts",
                [
                    AdminColumn("USER", "user"), AdminColumn("NAME", "name"), AdminColumn("LOGS IN AS", "logins"),
                    AdminColumn("PROVIDERS", "providers"), AdminColumn("ROLES", "roles"),
                    AdminColumn("DISABLED", "isDisabled"), AdminColumn("CREATED", "created"),
                ])
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Disables an account, and ends its logins.",
            discussion: "An access token works until it expires. `users shut-out` ends that at once.")

        @OptionGroup var account: AdminAccountOption

        func run() async throws {
            try await account.change(.put, wasDisabled: "was disabled already", wasEnabled: "is disabled")
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Enables an account again.")

        @OptionGroup var account: AdminAccountOption

        func run() async throws {
            try await account.change(.delete, wasDisabled: "is enabled", wasEnabled: "was not disabled")
        }
    }
}

/// An account of a database.
struct AdminAccountOption: ParsableArguments {
    @OptionGroup var place: AdminDatabaseOption

    @Option(help: "The account's id, as `accounts list` prints it.")
    var user: String

    /// Disables or enables the account, and says what became of it, depending on what it was before.
    func change(_ method: AdminClient.Method, wasDisabled: String, wasEnabled: String) async throws {
        let answer = try await place.options.client().call(method, place.path + ["accounts", user, "disabled"])
        place.options.show(answer) { answer in
            "The account \(user) \(answer["wasDisabled"] == .bool(true) ? wasDisabled : wasEnabled)."
        }
    }
}
