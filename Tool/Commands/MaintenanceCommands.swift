import ArgumentParser
import CausewayFiles

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Reads a whole file and tells everything in it that is damaged.",
        discussion: "Ends with 1 if anything is found, or if the file cannot be opened. Nothing is written.")

    @OptionGroup var options: FileOptions

    func run() throws {
        try options.inspect { file in
            let report = try FileMaintenance.verify(file)
            for line in report.lines { print(line) }
            if !report.isSound { throw ExitCode.failure }
        }
    }
}

struct CompactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact", abstract: "Gives the unused space of a file back to the system.")

    @OptionGroup var options: FileOptions

    func run() throws {
        let sizes = try FileMaintenance.compact(options.file, key: options.key())
        print("\(sizes.before) bytes before, \(sizes.after) bytes now")
    }
}

struct CopyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Copies a file without its unused space, while an app may have it open.",
        discussion: "The copy has the same key, unless another or none is asked for. It replaces no file.")

    @OptionGroup var options: FileOptions
    @Argument(help: "The path of the copy.") var target: String
    @Option(help: "A file with the key that encrypts the copy.") var newKeyFile: String?
    @Flag(help: "Do not encrypt the copy.") var withoutKey = false

    func validate() throws {
        if newKeyFile != nil, withoutKey {
            throw ValidationError("Give --new-key-file or --without-key, and not both.")
        }
    }

    func run() throws {
        try options.inspect { file in
            let key = withoutKey ? nil : try newKeyFile.map { try FileKey.key(fromFile: $0) } ?? options.key()
            try FileMaintenance.copy(file, to: target, key: key)
        }
    }
}
