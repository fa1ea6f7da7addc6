import ArgumentParser
import CausewayJSON

struct AdminNodes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nodes",
        abstract:
            "Prints the servers of one PostgreSQL: where each is, its software, and the last entries that it has.",
        discussion: """
            A node says every five seconds that it is here. One that has said nothing for 15 seconds is gone, and stays in the list \
            for a day; one that was stopped in order is not in it.
            """)

    @OptionGroup var options: AdminOptions

    func run() async throws {
        let answer = try await options.client().call(.get, ["nodes"])
        options.show(answer) { answer in
            AdminTable.lines(
                answer["nodes"]?.elements ?? [],
                [
                    AdminColumn("NODE", "place"), AdminColumn("HERE", "isHere"),
                    AdminColumn("SEEN (S AGO)", "seenSecondsAgo"),
                    AdminColumn("STARTED (S AGO)", "startedSecondsAgo"), AdminColumn("PROGRAM", "program"),
                    AdminColumn("GENERATION", "generation"), AdminColumn("DATABASE, OPEN, ENTRY", "databases"),
                ]
            ).joined(separator: "\n")
        }
    }
}
