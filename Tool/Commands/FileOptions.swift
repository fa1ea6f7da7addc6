import ArgumentParser
import CausewayFiles
import Foundation

/// The file of a command, and its key.
struct FileOptions: ParsableArguments {
    @Argument(help: "The file.")
    var file: String

    @Option(
        help: "A file with the key of an encrypted file. Without one, the variable \(FileKey.variable) is read.")
    var keyFile: String?

    func key() throws -> [UInt8]? {
        if let keyFile { return try FileKey.key(fromFile: keyFile) }
        return try FileKey.key(in: ProcessInfo.processInfo.environment)
    }

    /// Runs a body on the file, which is not written.
    func inspect(_ body: (OpenedFile) throws -> Void) throws {
        let opened = try OpenedFile.inspect(file, key: key())
        defer { opened.close() }
        try body(opened)
    }
}
