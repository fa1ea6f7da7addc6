import ArgumentParser
import CausewayJSON

/// The calls for what can be shut out: users, or clients.
private struct ShutOutCalls {
    let place: AdminDatabaseOption
    /// `users` or `clients`.
    let kind: String

    private var path: [String] { place.path + ["shut-out", kind] }

    func list() async throws {
        try await place.options.showList(
            path, "entries", [AdminColumn("NAME", "name"), AdminColumn("SINCE", "since"), AdminColumn("NOTE", "note")])
    }

    func shutOut(_ name: String, _ note: String?) async throws {
        var writer = JSONWriter()
        writer.object { json in if let note { json.field("note", note) } }
        let answer = try await place.options.client().call(.put, path + [name], body: writer.bytes)
        place.options.show(answer) { "\(name) was shut out. Sessions ended on this server: \($0["ended"]?.int ?? 0)." }
    }

    func letIn(_ name: String) async throws {
        let answer = try await place.options.client().call(.delete, path + [name])
        place.options.show(answer) { answer in
            answer["wasShutOut"] == .bool(true) ? "\(name) may come in again." : "\(name) was not shut out."
        }
    }
}

struct AdminUsers: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users", abstract: "Shuts users out of a database, lets them in again, and counts their objects.",
        subcommands: [Objects.self, OutList.self, ShutOut.self, LetIn.self], defaultSubcommand: Objects.self)

    struct OutList: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "shut-out-list", abstract: "Prints the users that are shut out.")

        @OptionGroup var place: AdminDatabaseOption

        func run() async throws { try await ShutOutCalls(place: place, kind: "users").list() }
    }

    struct ShutOut: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "shut-out", abstract: "Shuts a user out, and ends their sessions.",
            discussion: "Takes effect at once, also for tokens that are still good, and outlasts a restart.")

        @OptionGroup var place: AdminDatabaseOption

        @Option(help: "The user, as `sessions list` prints it.")
        var user: String

        @Option(help: "Why; for you alone.")
        var note: String?

        func run() async throws { try await ShutOutCalls(place: place, kind: "users").shutOut(user, note) }
    }

    struct LetIn: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "let-in", abstract: "Lets a user in again.")

        @OptionGroup var place: AdminDatabaseOption

        @Option(help: "The user.")
        var user: String

        func run() async throws { try await ShutOutCalls(place: place, kind: "users").letIn(user) }
    }
}

extension AdminUsers {
    struct Objects: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints how many objects that exist each user created, those with most first.",
            discussion: "The limit on them is limits.objectsOfUser of the configuration.")

        @OptionGroup var place: AdminDatabaseOption

        func run() async throws {
            try await place.options.showList(
                place.path + ["users"], "users", [AdminColumn("USER", "user"), AdminColumn("OBJECTS", "objects")])
        }
    }
}

struct AdminClients: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clients", abstract: "Lists the clients of a database, forgets them, and shuts them out.",
        subcommands: [List.self, Forget.self, OutList.self, ShutOut.self, LetIn.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints the clients that the database knows.")

        @OptionGroup var place: AdminDatabaseOption

        @Option(help: "Only this user's.")
        var user: String?

        func run() async throws {
            try await place.options.showList(
                place.path + ["clients"], "clients", query: [("user", user)],
                [
                    AdminColumn("CLIENT", "client"), AdminColumn("USER", "user"),
                    AdminColumn("CHANGESETS", "changesets"), AdminColumn("ONE-WAY", "oneWayEntries"),
                    AdminColumn("LAST HEARD (DAY)", "lastHeard"),
                ])
        }
    }

    struct Forget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forgets of a client what may be forgotten.",
            discussion: "Of one that has written, its numbers stay, so that nothing it sends again is applied twice.")

        @OptionGroup var place: AdminDatabaseOption

        @Option(help: "The client.")
        var client: String

        func run() async throws {
            let answer = try await place.options.client().call(.delete, place.path + ["clients", client])
            place.options.show(answer) { answer in
                answer["isKnown"] == .bool(true)
                    ? "What may be forgotten of the client \(client) was forgotten. Its numbers stay, for it has written."
                    : "The client \(client) was forgotten."
            }
        }
    }

    struct OutList: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "shut-out-list", abstract: "Prints the clients that are shut out.")

        @OptionGroup var place: AdminDatabaseOption

        func run() async throws { try await ShutOutCalls(place: place, kind: "clients").list() }
    }

    struct ShutOut: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "shut-out", abstract: "Shuts a client out, and ends its session.")

        @OptionGroup var place: AdminDatabaseOption

        @Option(help: "The client, as `sessions list` prints it.")
        var client: String

        @Option(help: "Why; for you alone.")
        var note: String?

        func run() async throws { try await ShutOutCalls(place: place, kind: "clients").shutOut(client, note) }
    }

    struct LetIn: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "let-in", abstract: "Lets a client in again.")

        @OptionGroup var place: AdminDatabaseOption

        @Option(help: "The client.")
        var client: String

        func run() async throws { try await ShutOutCalls(place: place, kind: "clients").letIn(client) }
    }
}
