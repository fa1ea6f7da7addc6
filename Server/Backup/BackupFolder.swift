import Foundation

/// A folder of backups, as their names describe it.
package enum BackupFolder {
    /// A backup, and of which database it is.
    package struct Entry: Hashable, Sendable {
        package var name: BackupName
        /// As the manifest writes it.
        package var epoch: String
        package var bytes: Int

        /// Two databases can have one name, one after the other.
        package func isOf(epoch: UInt64) -> Bool { self.epoch == BackupManifest.text(epoch: epoch) }
    }

    /// The backups under the name of a database, the oldest first. Only those whose manifest can be read: a folder that merely
    /// has such a name is not counted and never removed.
    package static func backups(of database: String, in folder: String) -> [Entry] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap(BackupName.init)
            .filter { $0.database == database }
            .sorted { ($0.stamp, $0.version) < ($1.stamp, $1.version) }
            .compactMap { name in
                guard let manifest = try? BackupManifest.read(in: "\(folder)/\(name.text)") else { return nil }
                return Entry(name: name, epoch: manifest.epoch, bytes: manifest.bytes)
            }
    }

    /// Those of one database, and not of others that had its name.
    package static func backups(of database: String, epoch: UInt64, in folder: String) -> [Entry] {
        backups(of: database, in: folder).filter { $0.isOf(epoch: epoch) }
    }

    /// Removes the oldest backups of a database beyond a number to keep. Call it when a newer one is whole. Those of an earlier
    /// database with the same name stay: they may be all that is left of it.
    ///
    /// - Parameter now: in milliseconds since 1970. Backups from the future were named by a clock that was wrong: they
    ///   neither count nor go.
    /// - Returns: the names of those that were removed.
    package static func thin(
        _ database: String, epoch: UInt64, in folder: String, keep: Int, at now: UInt64
    ) throws(BackupError) -> [String] {
        let past = backups(of: database, epoch: epoch, in: folder).filter { $0.name.time <= now }
        let old = past.dropLast(max(1, keep)).map(\.name.text)
        for name in old { try UnfinishedFolder.remove(name, in: folder) }
        return old
    }
}
