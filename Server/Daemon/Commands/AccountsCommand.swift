import ArgumentParser
import CausewayIdentity
import CausewayTelemetry
import Foundation

struct AccountsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "Looks after the users of a database, whether the server runs or not.",
        discussion: "Every change is in the audit log, where log.audit of the configuration names a file.",
        subcommands: [List.self, ServerKey.self, Disable.self, Enable.self, CustomData.self, Role.self]
    )

    /// The database whose accounts are meant.
    struct Place: ParsableArguments {
        @OptionGroup var place: DatabaseOption

        func read(_ body: (AccountOffice) throws -> Void) throws {
            let office = try place.option.read().accountOffice(of: place.database)
            defer { office.close() }
            try Self.sayingWhy { try body(office) }
        }

        /// Makes a change, and writes it into the audit log.
        ///
        /// - Parameters:
        ///   - call: the command's name.
        ///   - user: whose account it changes; nil for one that the change makes.
        ///   - body: returns the user whose account was changed.
        func change(_ call: String, of user: String? = nil, _ body: (AccountOffice) throws -> String) throws {
            let configuration = try place.option.read()
            let folder = try configuration.folder(of: place.database)
            let audit = OperatorAudit(configuration.log.audit, database: place.database, folder: folder)
            do {
                let office = try configuration.accountOffice(of: place.database)
                defer { office.close() }
                audit.write(.accountChanged, call, of: try Self.sayingWhy { try body(office) })
            } catch let error as IdentityError {
                audit.write(.accountRefused, call, of: user, code: error.code.rawValue)
                throw error
            }
        }

        private static func sayingWhy<Value>(_ body: () throws -> Value) throws -> Value {
            do {
                return try body()
            } catch let error as AccountError {
                throw CommandFailure(error.message)
            }
        }

        /// As `change`, of an account that is there.
        func change(_ call: String, of user: String, _ body: (AccountOffice) throws -> Void) throws {
            try change(call, of: user) { office -> String in
                try body(office)
                return user
            }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints the users, one JSON object a line.")

        @OptionGroup var place: Place

        func run() throws {
            try place.read { office in for line in try office.list() { print(line) } }
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
            try place.change("server-key") { office in
                let made = try office.makeServerKey(named: name)
                print(made.key)
                try? FileHandle.standardError.write(contentsOf: Data("user \(made.user)\n".utf8))
                return made.user
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
            try place.change("disable", of: user) { try $0.setDisabled(true, user: user) }
        }
    }

    struct Enable: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lets a user in again.")

        @OptionGroup var place: Place

        @Option(help: "The user's id.")
        var user: String

        func run() throws {
            try place.change("enable", of: user) { try $0.setDisabled(false, user: user) }
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
            try place.change("custom-data", of: user) { try $0.setCustomData(json, user: user) }
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
            try place.change("role", of: user) { try $0.setRoles(role, user: user) }
        }
    }
}
