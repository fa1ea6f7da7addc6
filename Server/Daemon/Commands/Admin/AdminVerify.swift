import ArgumentParser
import CausewayJSON

struct AdminVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Verifies a database while it is served, and prints what is damaged.",
        discussion: """
            It reads the whole file on a snapshot, and waits for the end; the server goes on if this command is stopped. The \
            status is 1 where the database is not sound.
              sync-server admin verify --database flights
              sync-server admin verify --database flights --last
            """)

    @OptionGroup var place: AdminDatabaseOption

    @Flag(help: "Print how the last verification ended, and begin none.")
    var last = false

    func run() async throws {
        let client = try place.options.client()
        let path = place.path + ["verify"]
        var answer: JSON
        if last {
            answer = try await client.call(.get, path)
        } else {
            _ = try await client.call(.post, path)
            let progress = ShownProgress(place.database)
            repeat {
                try await Task.sleep(for: .milliseconds(200))
                answer = try await client.call(.get, path)
                if let running = answer["running"] {
                    progress.show(
                        "verifies the \(running["step"]?.string ?? "file")", Double(running["percent"]?.int ?? 0) / 100)
                }
            } while answer["running"] != nil
        }
        guard let outcome = answer["last"] else {
            throw CommandFailure(
                answer["running"] == nil
                    ? "The database was not verified since the server began. Leave --last out to verify it."
                    : "A verification is under way, and none has ended since the server began.")
        }
        place.options.show(outcome, Self.sentence)
        guard outcome["isSound"] == .bool(true) else { throw ExitCode.failure }
    }

    /// What a person is told of an outcome.
    static func sentence(_ outcome: JSON) -> String {
        let seconds = ShownProgress.seconds(Double(outcome["milliseconds"]?.int ?? 0) / 1_000)
        let count = Int(outcome["problemCount"]?.int ?? 0)
        var lines = (outcome["problems"]?.elements ?? []).compactMap { $0.string.map { "  \($0)" } }
        if lines.count < count { lines.append("  and \(count - lines.count) more") }
        if let failure = outcome["failure"]?.string {
            lines.insert("It could not be verified to its end: \(failure)", at: 0)
        } else if count > 0 {
            lines.insert("It is not sound. Problems: \(count).", at: 0)
        } else {
            lines.insert("It is sound. Objects: \(outcome["objects"]?.int ?? 0). Verified in \(seconds) s.", at: 0)
        }
        return lines.joined(separator: "\n")
    }
}
