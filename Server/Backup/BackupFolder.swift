import Foundation

/// A folder of backups, as their names describe it.
package enum BackupFolder {
    /// The backups of a database, the oldest first. Only those with a manifest: a folder that merely has such a name is
    /// not counted and never removed.
    package static func backups(of database: String, in folder: String) -> [BackupName] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap(BackupName.init)
            .filter { name in
                name.database == database
                    && FileManager.default.fileExists(
                        atPath: "\(folder)/\(name.text)/\(BackupManifest.fileName)")
            }
            .sorted { ($0.stamp, $0.version) < ($1.stamp, $1.version) }
    }

    /// Removes the oldest backups of a database beyond a number to keep. Call it when a newer one is whole.
    ///
    /// - Parameter now: in milliseconds since 1970. Backups from the future were named by a clock that was wrong: they
    ///   neither count nor go.
    /// - Returns: the names of those that were removed.
    package static func thin(_ database: String, in folder: String, keep: Int, at now: UInt64) throws(BackupError)
        -> [String]
    {
        let past = backups(of: database, in: folder).filter { $0.time <= now }
        let old = past.dropLast(max(1, keep)).map(\.text)
        for name in old { try UnfinishedFolder.remove(name, in: folder) }
        return old
    }
}
