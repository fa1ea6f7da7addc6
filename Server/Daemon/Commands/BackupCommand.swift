import ArgumentParser
import CausewayBackup
import Foundation

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies a database with its accounts into a folder, while the server runs or not.",
        discussion: """
            The copy holds one version of the database, without unused space. It is verified, and it has its name only when \
            it is whole and on the disk. Nothing is overwritten. Run it as the server's user.
              sync-server backup --database flights --to /backup
              sync-server backup --database flights --to /backup/before-the-upgrade.backup
              sync-server backup --all --to /backup
            Of a node it is a database of one server, with the accounts that all nodes have; `sync-server journal import` moves \
            it into a journal of another name.
            A path that ends with .backup is the backup's own; any other one is a folder of backups, in which names tell the \
            database, the time and the version.
            """
    )

    @OptionGroup var option: ConfigurationOption

    @Option(help: "The database's name in the configuration.")
    var database: String?

    @Flag(help: "Copy every database of the configuration.")
    var all = false

    @Option(help: "Where to put it: a folder, made when it is missing, or the path of the backup, ending with .backup.")
    var to: String

    @Option(help: "How many megabytes a second are copied at most, so that the server is not slowed down; 0: no limit.")
    var megabytesPerSecond = BackupPace.bytesPerSecondStandard >> 20

    func validate() throws {
        guard all != (database != nil) else { throw ValidationError("Name a database with --database, or say --all.") }
        if all, to.hasSuffix(BackupName.suffix) {
            throw ValidationError(
                "--all makes several backups: name a folder with --to, not a path that ends with .backup.")
        }
        guard (0...1_000_000).contains(megabytesPerSecond) else {
            throw ValidationError("--megabytes-per-second is from 0 to 1000000.")
        }
    }

    func run() throws {
        LowPriority.takeForThisThread()
        var failures: [String] = []
        let configuration = try option.read()
        for source in try sources(configuration) {
            do throws(BackupError) {
                let shown = ShownProgress(source.name)
                let facts = try Backup.run(database: source, to: Backup.Target(to), pace: pace) { folder in
                    try configuration.settleCopy(of: source.name, inFolder: folder)
                } progress: {
                    shown.show($0)
                }
                print(facts.sentence)
            } catch {
                failures.append(error.message)
            }
        }
        guard failures.isEmpty else { throw CommandFailure(failures.joined(separator: "\n")) }
    }

    private var pace: BackupPace {
        BackupPace(bytesPerSecond: megabytesPerSecond == 0 ? nil : megabytesPerSecond << 20)
    }

    private func sources(_ configuration: Configuration) throws -> [Backup.Source] {
        guard let database else {
            return configuration.databases.map { Backup.Source(name: $0.name, folder: $0.folder) }
        }
        return [Backup.Source(name: database, folder: try configuration.folder(of: database))]
    }
}

extension Backup.Facts {
    /// What an operator wants to know, and at the end where it lies.
    var sentence: String {
        "\(manifest.database): version \(manifest.version) of epoch \(manifest.epoch), \(objects) objects, "
            + "\(manifest.bytes) bytes, verified, in \(ShownProgress.seconds(seconds)) s: \(path)"
    }
}
