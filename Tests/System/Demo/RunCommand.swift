import ArgumentParser
import Foundation

/// The whole demo: makes keys, starts the server and two devices, plays the steps, compares, sums up.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "run", abstract: "Plays the whole demo.")

    @Option(help: "The sync-server program.") var server: String
    @Option(help: "The folder with the tables as CSV.") var data: String
    @Option(help: "An empty folder for keys, database and device files.") var work: String

    @Option(help: "Where to draw what the devices did offline and what came of it, as SVG.") var picture: String?

    func run() throws {
        let run = DemoRun(stage: try Stage(server: server, data: data, work: work))
        defer { run.stage.end() }
        do {
            try run.play()
            if let picture { try run.picture.svg.write(toFile: picture, atomically: true, encoding: .utf8) }
        } catch {
            say("\ndemo: FAILED: \(error)")
            say("the logs are in \(work)")
            throw ExitCode.failure
        }
    }
}
