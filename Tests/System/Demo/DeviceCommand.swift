import ArgumentParser
import Causeway
import CausewayFlights
import Foundation

/// One device: reads commands from its standard input, a line each, and answers each with lines on its output.
///
/// The last line of an answer begins with `ok` or `error`; lines before it begin with `progress` or `row`.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "A device of the demo, driven through its standard input.")

    @Option(help: "The server, such as https://localhost:7433.") var url: String
    @Option(help: "The database on the server.") var database: String
    @Option(help: "The certificate authority to trust, in PEM.") var authority: String
    @Option(help: "The file that holds the device's token.") var token: String
    @Option(help: "The device's Realm file.") var file: String

    @MainActor
    func run() async throws {
        let device: Device
        do {
            device = try await Device(self)
        } catch {
            say("error \(error)")
            throw ExitCode.failure
        }
        say("ok ready")
        for await line in Self.commands() {
            let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            if words.first == "quit" { break }
            do {
                say("ok \(try await device.perform(words[0], Array(words.dropFirst())))")
            } catch {
                say("error \(error)")
            }
        }
    }

    /// The lines of standard input, read on a thread of their own so that waiting for one blocks nobody.
    private static func commands() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }
}
