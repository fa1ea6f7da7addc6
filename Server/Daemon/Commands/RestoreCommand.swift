import ArgumentParser
import CausewayBackup
import CausewayStoreEmbedded
import Foundation

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Puts a backup in the place of a database that is not served, or proves that it could.",
        discussion: """
            The backup is compared with its manifest and verified before anything changes. Then it takes the place of the \
            database in one step. Run it as the server's user, while the server does not run.
              sync-server restore --from /backup/flights-20261127T183000Z-v1234.backup --database flights
              sync-server restore --from /backup/flights-20261127T183000Z-v1234.backup --check
            With --check it is restored into a temporary folder, opened as a server would, counted and removed, whether the \
            server runs or not. Ends with 1 if it cannot be used.
            """
    )

    @OptionGroup var option: ConfigurationOption

    @Option(help: "The backup: a folder that sync-server backup has made.")
    var from: String

    @Option(help: "The database's name in the configuration.")
    var database: String?

    @Flag(help: "Put the database that is there aside, under a name with the date.")
    var replace = false

    @Flag(help: "Take the backup of a database of another name.")
    var renamed = false

    @Flag(help: "Restore into a temporary folder, tell what is in it, and remove it.")
    var check = false

    @Option(help: "With --check: a folder with room for the database, if the one for temporary files has none.")
    var scratch = FileManager.default.temporaryDirectory.path

    func validate() throws {
        guard check != (database != nil) else {
            throw ValidationError("Name the database to restore with --database, or say --check.")
        }
    }

    func run() throws {
        do {
            if let database { try restore(database) } else { try drill() }
        } catch let error as BackupError {
            throw CommandFailure(error.message)
        }
    }

    private func restore(_ name: String) throws {
        let configuration = try option.read()
        let folder = try configuration.folder(of: name)
        guard configuration.journal == nil else {
            throw CommandFailure(
                "The database '\(name)' is in a journal, which a backup does not replace. Take an earlier moment with `sync-server "
                    + "journal restore --at TIME`, or restore into a server without the section 'journal'.")
        }
        let manifest = try BackupManifest.read(in: from)
        guard renamed || manifest.database == name else {
            throw CommandFailure(
                "The backup is of the database '\(manifest.database.prefix(64))', and not of '\(name)'. If that is meant, say "
                    + "--renamed: its users have to log in again, because tokens name their database.")
        }
        let lock = try taken(folder, name)
        let shown = ShownProgress(name)
        let facts = try Restore.run(
            from: from, to: Backup.Source(name: name, folder: folder), replaces: replace, keeps: [ShutOuts.fileName]
        ) {
            shown.show($0)
        }
        _ = consume lock
        print(
            "\(name): version \(facts.manifest.version) of epoch \(facts.manifest.epoch), from \(facts.manifest.time), restored "
                + "in \(ShownProgress.seconds(facts.seconds)) s")
        if let replaced = facts.replaced { print("\(name): what was there before lies in \(replaced)") }
        if facts.leavesAccounts {
            print(
                "\(name): the backup has no accounts. Those that were there lie with what was there before: while the server "
                    + "does not run, copy their file back, or restore a backup that has them.")
        }
    }

    /// Takes the folder, as a server does.
    private func taken(_ folder: String, _ name: String) throws(CommandFailure) -> FolderLock {
        do throws(CommandFailure) {
            return try FolderLock(folder)
        } catch {
            throw CommandFailure(
                "The database '\(name)' is being served, or its folder is not this user's. Nothing was restored: end the "
                    + "server, restore, and start it again. (\(error))")
        }
    }

    private func drill() throws {
        let shown = ShownProgress("drill")
        let facts = try RestoreDrill.run(from: from, scratch: scratch) { shown.show($0) }
        print("database  \(facts.manifest.database)")
        print("version   \(facts.manifest.version) of epoch \(facts.manifest.epoch), from \(facts.manifest.time)")
        for counted in facts.classes { print("class     \(counted.name): \(counted.objects) objects") }
        print("accounts  " + (facts.users.map { "\($0) users" } ?? "none in the backup"))
        print(
            "The backup can be restored: hashes, storage and record are sound, and it opens as on a server. It took "
                + "\(ShownProgress.seconds(facts.seconds)) s, and nothing of it is left.")
    }
}
