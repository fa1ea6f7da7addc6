import ArgumentParser
import Foundation

/// The one file every command that serves or looks needs.
struct ConfigurationOption: ParsableArguments {
    @Option(name: [.short, .customLong("configuration")], help: "The configuration file.")
    var file = "sync-server.yaml"

    /// Reads the file; paths in it come back absolute.
    func read() throws -> Configuration { try ConfigurationFile.read(file) }
}

/// A command's end with a sentence on standard error.
struct CommandFailure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}
