import ArgumentParser
import Foundation

/// The one file every command that serves or looks needs.
struct ConfigurationOption: ParsableArguments {
    @Option(name: [.short, .customLong("configuration")], help: "The configuration file.")
    var file = "sync-server.yaml"

    /// Reads the file; paths in it come back absolute.
    func read() throws -> Configuration { try ConfigurationFile.read(file) }
}

/// One database of the configuration, for the commands that look after one.
struct DatabaseOption: ParsableArguments {
    @OptionGroup var option: ConfigurationOption

    @Option(help: "The database's name in the configuration.")
    var database: String

    /// Its folder, whether there is anything in it or not.
    func folder() throws -> String {
        let configuration = try option.read()
        guard let found = configuration.databases.first(where: { $0.name == database }) else {
            throw CommandFailure(
                "There is no database '\(database)'. The configuration has: "
                    + configuration.databases.map(\.name).joined(separator: ", ") + ".")
        }
        return found.folder
    }

    /// Its folder, with the file of its objects.
    func servedFolder() throws -> (folder: String, file: String) {
        let folder = try folder()
        let file = folder + "/database.causeway"
        guard FileManager.default.fileExists(atPath: file) else {
            throw CommandFailure("The database '\(database)' was never served: there is no \(file) yet.")
        }
        return (folder, file)
    }
}

/// A command's end with a sentence on standard error.
struct CommandFailure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}
