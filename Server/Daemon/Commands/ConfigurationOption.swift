import ArgumentParser
import Foundation

/// The configuration file, for every command that serves or inspects.
struct ConfigurationOption: ParsableArguments {
    @Option(
        name: [.short, .customLong("configuration")],
        help: "The configuration file; left out: sync-server.yaml here, else that of the package.")
    var configuration: String?

    /// The file that is named, or the one that is found.
    var file: String { configuration ?? Self.found { FileManager.default.fileExists(atPath: $0) } }

    static let here = "sync-server.yaml"
    static let packaged = "/etc/causeway/sync-server.yaml"

    /// Where nothing is named: the file of this folder, or where there is none the package's, if it is installed.
    ///
    /// - Parameter exists: whether there is a file with a name.
    static func found(_ exists: (String) -> Bool) -> String {
        !exists(here) && exists(packaged) ? packaged : here
    }

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
