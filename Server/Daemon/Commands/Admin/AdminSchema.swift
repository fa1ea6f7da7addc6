import ArgumentParser
import CausewayAdmin
import CausewayJSON
import CausewayModel

struct AdminSchema: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Shows the schema of a database, and changes it.",
        subcommands: [Show.self, Drop.self, Convert.self], defaultSubcommand: Show.self)

    /// What a change of the schema takes with it, besides what it changes.
    static let consequence = """
        The history of all classes goes with it: nobody can read any more who changed what, readers of the change feed get \
        historyGone, and every device is compared with the database once. An edit from before a delete that it did not \
        know of may bring the object back.
        """

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the classes and properties, who added them, and when a device last declared them.")

        @OptionGroup var place: AdminDatabaseOption

        func run() async throws {
            let answer = try await place.options.client().call(.get, place.path + ["schema"])
            if place.options.json { return place.options.show(answer) { _ in "" } }
            let rows = (answer["classes"]?.elements ?? []).flatMap { found in
                [found] + (found["properties"]?.elements ?? []).map { $0.named(in: found) }
            }
            AdminTable.print(
                rows,
                [
                    AdminColumn("NAME", "name"), AdminColumn("IS", "is"), AdminColumn("OBJECTS", "objects"),
                    AdminColumn("ADDED BY", "addedBy"), AdminColumn("ADDED", "added"),
                    AdminColumn("DECLARED", "declared"),
                ])
        }
    }

    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Drops a class with all objects, or a property with all values.",
            discussion: """
                Without --confirm nothing is dropped: it says how many objects would lose something, and ends with \
                \(AdminExit.unconfirmed.rawValue).
                """)

        @OptionGroup var place: AdminDatabaseOption

        @Option(name: .customLong("class"), help: "The class.")
        var className: String

        @Option(help: "The property; left out, the class as a whole.")
        var property: String?

        @Option(help: "The name again, as Class or Class.property.")
        var confirm: String?

        @Flag(help: "Also what a device has declared within the last 30 days.")
        var evenIfDeclared = false

        func run() async throws {
            var writer = JSONWriter()
            writer.object { json in
                json.field("class", className)
                if let property { json.field("property", property) }
                if let confirm { json.field("confirm", confirm) }
                if evenIfDeclared { json.field("evenIfDeclared", true) }
            }
            let answer = try await place.options.client().call(
                .post, place.path + ["schema", "drop"], body: writer.bytes, seconds: AdminClient.schemaSeconds)
            place.options.show(answer) { answer in
                let (name, count) = (answer["name"]?.string ?? className, answer["objects"]?.int ?? 0)
                return answer["isDropped"] == .bool(true)
                    ? "\(name) was dropped. Objects that lost something: \(count)."
                    : """
                    \(name) is still there. Objects that would lose something: \(count).
                    \(AdminSchema.consequence)
                    To drop it, add --confirm \(name).
                    """
            }
            if answer["isDropped"] != .bool(true) { throw AdminExit.unconfirmed }
        }
    }
}

extension JSON {
    /// A property's entry under the name of its class and its own.
    fileprivate func named(in owner: JSON) -> JSON {
        let name = "\(owner["name"]?.string ?? "").\(self["name"]?.string ?? "")"
        return .object([Member("name", .string(name))] + (members ?? []).filter { $0.name.string != "name" })
    }
}
