import ArgumentParser
import CausewayJSON
import CausewayModel

struct AdminJournal: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Shows where a node is in the journal of a database, and the limits of all nodes.",
        subcommands: [Show.self, TakeLimits.self, SwitchOn.self], defaultSubcommand: Show.self)

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

    struct SwitchOn: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "switch-on",
            abstract: "Switches on what the software of this node brings, once all nodes are of it.",
            discussion: """
                The last step of an upgrade that came with a newer generation of the journal: until then all nodes write as the \
                older ones do. It is refused while a node is there that would stop. There is no way back.
                """)

        @OptionGroup var place: AdminDatabaseOption

        func run() async throws {
            let answer = try await place.options.client().call(.put, place.path + ["journal", "generation"])
            place.options.show(answer) { answer in
                "Generation \(answer["generation"]?.int ?? 0) is switched on: this node knows no newer one."
            }
        }
    }

    private static func sentence(_ answer: JSON) -> String {
        let limits = (answer["limits"]?.members ?? []).compactMap { member in
            member.value.int.map { "\(member.name.string): \($0)" }
        }
        let isSame = answer["hasTheseLimits"] == .bool(true)
        return [
            "entry \(answer["position"]?.int ?? 0)"
                + (answer["answers"] == .bool(true)
                    ? "; \(answer["ageSeconds"]?.int ?? 0) s ago there was nothing newer"
                    : "; the journal does not answer"),
            "webhooks and sinks: " + (answer["carries"] == .bool(true) ? "at work here" : "not at work here"),
            "limits of all nodes: " + limits.joined(separator: ", "),
            generations(answer),
            isSame
                ? "" : "The configuration of this node says other limits. They do not count until: journal take-limits",
        ].filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private static func generations(_ answer: JSON) -> String {
        let (now, newest) = (answer["generation"]?.int ?? 0, answer["newestGeneration"]?.int ?? 0)
        return "generation \(now)"
            + (now < newest ? "; once all nodes are updated, switch \(newest) on: journal switch-on" : "")
    }
}
