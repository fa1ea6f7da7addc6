import ArgumentParser
import CausewayJSON
import CausewayModel

struct AdminJournal: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Shows where a node is in the journal of a database, and the limits of all nodes.",
        subcommands: [Show.self, TakeLimits.self], defaultSubcommand: Show.self)

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints where the node is, whether PostgreSQL answers it, and the limits that count on all nodes."
        )

        @OptionGroup var place: AdminDatabaseOption

        func run() async throws {
            let answer = try await place.options.client().call(.get, place.path + ["journal"])
            place.options.show(answer, AdminJournal.sentence)
        }
    }

    struct TakeLimits: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "take-limits", abstract: "Has the limits of this node's configuration count on all nodes.",
            discussion: """
                After a change of limits that belong to the data, such as historyDays, in the configuration of all nodes. They \
                count from the next entry of the journal on.
                """)

        @OptionGroup var place: AdminDatabaseOption

        func run() async throws {
            let answer = try await place.options.client().call(.put, place.path + ["journal", "limits"])
            place.options.show(answer, AdminJournal.sentence)
        }
    }

    private static func sentence(_ answer: JSON) -> String {
        let limits = (answer["limits"]?.members ?? []).compactMap { member in
            member.value.int.map { "\(member.name.string): \($0)" }
        }
        let isSame = answer["hasTheseLimits"] == .bool(true)
        return [
            "entry \(answer["position"]?.int ?? 0)"
                + (answer["answers"] == .bool(true) ? "" : "; the journal does not answer"),
            "webhooks and sinks: " + (answer["carries"] == .bool(true) ? "at work here" : "not at work here"),
            "limits of all nodes: " + limits.joined(separator: ", "),
            isSame
                ? "" : "The configuration of this node says other limits. They do not count until: journal take-limits",
        ].filter { !$0.isEmpty }.joined(separator: "\n")
    }
}
