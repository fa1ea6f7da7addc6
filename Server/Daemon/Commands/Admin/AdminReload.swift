import ArgumentParser
import CausewayJSON

struct AdminReload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Has the server read its configuration, keys and certificates anew.",
        discussion: "Prints of each part what became of it. Ends with 1 if a part was refused.")

    @OptionGroup var options: AdminOptions

    func run() async throws {
        let answer = try await options.client().call(.post, ["reload"])
        let parts = answer["parts"]?.elements ?? []
        if options.json {
            options.show(answer) { _ in "" }
        } else {
            AdminTable.print(
                parts,
                [AdminColumn("PART", "part"), AdminColumn("OUTCOME", "outcome"), AdminColumn("REASON", "reason")])
        }
        if parts.contains(where: { $0["outcome"]?.string == "refused" }) { throw ExitCode.failure }
    }
}

struct AdminConfiguration: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "configuration", abstract: "Prints the configuration that is in force, without secrets, as JSON.")

    @OptionGroup var options: AdminOptions

    func run() async throws {
        let answer = try await options.client().call(.get, ["configuration"])
        var writer = JSONWriter()
        writer.write(answer)
        print(String(decoding: writer.bytes, as: UTF8.self))
    }
}

struct AdminBackups: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backups", abstract: "Lists the backups of a database, and begins one.",
        subcommands: [List.self, Start.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints the backups, and the one that is under way.")

        @OptionGroup var place: AdminDatabaseOption

        func run() async throws {
            let answer = try await place.options.client().call(.get, place.path + ["backups"])
            if place.options.json { return place.options.show(answer) { _ in "" } }
            AdminTable.print(
                answer["backups"]?.elements ?? [],
                [
                    AdminColumn("BACKUP", "name"), AdminColumn("TIME", "time"), AdminColumn("VERSION", "version"),
                    AdminColumn("OF AN EARLIER DATABASE", "isOfEarlier"),
                ])
            if let running = answer["running"] {
                AdminTable.print(
                    [running],
                    [
                        AdminColumn("UNDER WAY SINCE", "since"), AdminColumn("STEP", "step"),
                        AdminColumn("PERCENT", "percent"),
                    ])
            }
            if let failure = answer["failure"]?.string { print("The last one failed: \(failure)") }
        }
    }

    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Begins a backup into the folder of the section backups.")

        @OptionGroup var place: AdminDatabaseOption

        func run() async throws {
            let answer = try await place.options.client().call(.post, place.path + ["backups"])
            place.options.show(answer) { _ in
                "A backup of '\(place.database)' has begun. `backups list` says how far it is."
            }
        }
    }
}
