import CoreFoundation
import Foundation

// What can be said about the folder of backups before the first one is made.

extension Inspection {
    mutating func inspectBackups(_ backups: Configuration.Backups, _ databases: [Configuration.Database]) {
        let key = "backups.folder"
        inspectFolder(backups.folder, key: key)
        let folder = Self.realPath(backups.folder)
        for database in databases {
            let data = Self.realPath(database.folder)
            guard folder == data || folder.hasPrefix(data + "/") else { continue }
            problems.append(
                ConfigurationProblem(
                    key,
                    "The backups would lie in the folder of '\(database.name)', and be put aside with it by a restore. Name "
                        + "another folder."))
        }
        guard let device = Self.device(of: backups.folder),
            let database = databases.first(where: { Self.device(of: $0.folder) == device })
        else { return }
        warnings.append(
            ConfigurationProblem(
                key,
                "The backups lie on the same file system as '\(database.name)', and are lost with it. Name a folder on another "
                    + "disk, or copy them elsewhere."))
    }

    /// The file system of a folder, or of the nearest one that exists.
    private static func device(of path: String) -> dev_t? {
        var status = stat()
        return stat(nearestExisting(path), &status) == 0 ? status.st_dev : nil
    }
}
