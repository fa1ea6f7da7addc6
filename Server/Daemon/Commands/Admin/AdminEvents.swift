import ArgumentParser
import CausewayJSON

struct AdminEvents: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Prints new versions and numbers of sessions while they come.",
        discussion: """
            A line has the name of the event and its data. It goes on until this command is stopped, or the server ends.
              sync-server admin events
              sync-server admin events --log
            """)

    @OptionGroup var options: AdminOptions

    @Flag(help: "Lines of the log too.")
    var log = false

    func run() async throws {
        try await options.client().follow(["events"], query: [("log", log ? "true" : nil)]) { event in
            guard event.name == "end" else { return try options.tell("\(event.name) \(event.data)") }
            let end = try? JSONReader.read(Array(event.data.utf8))
            throw CommandFailure(end?["message"]?.string ?? "The server has ended the events.")
        }
    }
}
