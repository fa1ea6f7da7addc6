import ArgumentParser
import Foundation

/// The configuration file, for every command that serves or inspects.
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

    /// Its folder, whether or not there is anything in it.
    func folder() throws -> String {
        try option.read().folder(of: database)
    }

    /// Its folder, and the file of its objects. Throws when the database was never served.
    func servedFolder() throws -> (folder: String, file: String) {
        let folder = try folder()
        let file = DatabaseFolder(folder).objectsPath
        guard FileManager.default.fileExists(atPath: file) else {
            throw CommandFailure("The database '\(database)' was never served: there is no \(file) yet.")
        }
        return (folder, file)
    }
}

extension Configuration {
    /// The folder of a database, whether or not there is anything in it.
    func folder(of database: String) throws(CommandFailure) -> String {
        guard let found = databases.first(where: { $0.name == database }) else {
            throw CommandFailure(
                "There is no database '\(database)'. The configuration has: "
                    + databases.map(\.name).joined(separator: ", ") + ".")
        }
        return found.folder
    }
}

/// Ends a command with a sentence on standard error.
struct CommandFailure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}
