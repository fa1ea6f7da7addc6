import ArgumentParser
import CausewayJSON

struct AdminLog: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Prints the newest lines of the server's log.",
        discussion: """
            The server keeps the newest 2,000 lines in memory, those of log.level and above.
              sync-server admin log --level warning
              sync-server admin log --follow
            """)

    @OptionGroup var options: AdminOptions

    @Option(help: "Only lines of this level and above, such as warning.")
    var level: String?

    @Option(help: "How many lines, at most 1,000.")
    var lines = 100

    @Flag(help: "Go on with the lines that come, until this command is stopped.")
    var follow = false

    func run() async throws {
        let client = try options.client()
        var after: String?
        repeat {
            let page = try await client.call(
                .get, ["log"],
                query: [("level", level), ("limit", String(after == nil ? lines : 1_000)), ("after", after)])
            for line in page["lines"]?.elements ?? [] {
                try options.tell(options.json ? line.line : Self.sentence(line))
            }
            after = page["next"]?.int.map(String.init)
            if follow { try await Task.sleep(for: .seconds(1)) }
        } while follow
    }

    /// A line as the server's text log writes it: the time, the level, the message, and the fields by their names.
    static func sentence(_ line: JSON) -> String {
        let fields = (line["fields"]?.members ?? []).map { "\($0.name)=\($0.value.string ?? $0.value.line)" }
        return
            ([line["time"]?.string ?? "", line["level"]?.string ?? "", line["message"]?.string ?? ""] + fields)
            .joined(separator: " ").plain
    }
}
