import ArgumentParser
import CausewayIdentity
import Foundation

struct AccountsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "Looks after the users of a database, whether the server runs or not.",
        subcommands: [List.self, ServerKey.self, Disable.self, Enable.self, CustomData.self, Role.self]
    )

    /// The database whose accounts are meant.
    struct Place: ParsableArguments {
        @OptionGroup var place: DatabaseOption

        func open() throws -> AccountOffice { try AccountOffice(folder: place.folder()) }

        func use(_ body: (AccountOffice) throws -> Void) throws {
            let office = try open()
            defer { office.close() }
            try body(office)
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints the users, one JSON object a line.")

        @OptionGroup var place: Place

        func run() throws {
            try place.use { office in for line in try office.list() { print(line) } }
        }
    }

    struct ServerKey: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "server-key",
            abstract: "Makes an API key for a program that logs in as a user of its own, and prints it once.")

        @OptionGroup var place: Place

        @Option(help: "What the key is for.")
        var name: String

        func run() throws {
            try place.use { office in
                let made = try office.makeServerKey(named: name)
                print(made.key)
                try? FileHandle.standardError.write(contentsOf: Data("user \(made.user)\n".utf8))
            }
        }
    }

    struct Disable: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shuts a user out.",
            discussion: "Their logins end at once; an access token works until it expires.")

        @OptionGroup var place: Place

        @Option(help: "The user's id.")
        var user: String

        func run() throws {
            try place.use { try $0.setDisabled(true, user: user) }
        }
    }

    struct Enable: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lets a user in again.")

        @OptionGroup var place: Place

        @Option(help: "The user's id.")
        var user: String

        func run() throws {
            try place.use { try $0.setDisabled(false, user: user) }
        }
    }

    struct CustomData: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "custom-data", abstract: "Notes a JSON object for a user, which their apps can read.",
            discussion:
                "Their tokens carry it from the next one on, so that rules can ask for $user.claims.customData.NAME.")

        @OptionGroup var place: Place

        @Option(help: "The user's id.")
        var user: String

        @Option(help: "The JSON object.")
        var json: String

        func run() throws {
            try place.use { try $0.setCustomData(json, user: user) }
        }
    }

    struct Role: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says what a user is, so that rules can ask for $user.claims.role.",
            discussion: "Replaces what was said before; without --role they are nothing. Their next token says it.")

        @OptionGroup var place: Place

        @Option(help: "The user's id.")
        var user: String

        @Option(help: "The role. Repeat for several.")
        var role: [String] = []

        func run() throws {
            try place.use { try $0.setRoles(role, user: user) }
        }
    }
}
