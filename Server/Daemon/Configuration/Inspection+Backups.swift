import CausewayBackup
import CoreFoundation
import Foundation

// What can be said about the folder of backups before the first one is made.

extension Inspection {
    mutating func inspectBackups(_ backups: Configuration.Backups, _ databases: [Configuration.Database]) {
        let key = "backups.folder"
        inspectFolder(backups.folder, key: key)
        warnOfMissing(databases, backups)
        guard let device = Self.device(of: backups.folder),
            let database = databases.first(where: { Self.device(of: $0.folder) == device })
        else { return }
        warnings.append(
            ConfigurationProblem(
                key,
                "The backups lie on the same file system as '\(database.name)', and are lost with it. Name a folder on another "
                    + "disk, or copy them elsewhere."))
    }

    /// A database that was backed up has data, unless it was dropped on purpose.
    private mutating func warnOfMissing(_ databases: [Configuration.Database], _ backups: Configuration.Backups) {
        for database in databases where DatabaseFolder(database.folder).isNew {
            guard let newest = BackupFolder.backups(of: database.name, in: backups.folder).last else { continue }
            warnings.append(
                ConfigurationProblem(
                    "databases.\(database.name)",
                    "There is no database in \(database.folder), and \(backups.folder) has backups of '\(database.name)'. The "
                        + "server makes a new, empty one. If that is not meant, do not start it: mount the disk that is missing, "
                        + "or restore the newest backup: sync-server restore --from "
                        + "\(backups.folder)/\(newest.name.text) --database \(database.name)"))
        }
    }

    /// The file system of a folder, or of the nearest one that exists.
    private static func device(of path: String) -> dev_t? {
        var status = stat()
        return stat(nearestExisting(path), &status) == 0 ? status.st_dev : nil
    }
}
