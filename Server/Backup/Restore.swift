import CBackup
package import CausewayEnvironment
import CoreFoundation
import Foundation

/// Puts a backup in the place of a database that nobody serves.
///
/// 1. The backup is copied beside the database's folder, compared with its manifest and verified. Until then nothing
///    else has changed.
/// 2. The two folders change places in one step: a power loss leaves either the old database or the restored one.
/// 3. What was there stays, under a name with the date.
///
/// The database keeps its epoch. Its next opening is a new run of the server, so devices notice which versions were
/// lost, and send again what they still have of their own.
package enum Restore {
    package struct Facts: Hashable, Sendable {
        package var manifest: BackupManifest
        /// Where the database that was there lies now; nil when there was none.
        package var replaced: String?
        package var seconds: Double
        /// Whether there were accounts, and the backup has none.
        package var leavesAccounts = false
    }

    /// - Parameters:
    ///   - database: its folder is there, and locked by the caller so that no server opens it.
    ///   - replaces: whether a database that is there may be put aside.
    ///   - keeps: files in the folder that no backup has, and that stay: those who were shut out stay so.
    package static func run(
        from backup: String, to database: Backup.Source, replaces: Bool, keeps: [String] = [],
        pace: BackupPace = .unhindered,
        clock: any WallClock = SystemClock(), progress: (BackupProgress) -> Void = { _ in }
    ) throws(BackupError) -> Facts {
        let begin = ContinuousClock.now
        let folder = try realPath(database.folder)
        let hasData = BackupFile.allCases.contains {
            FileManager.default.fileExists(atPath: folder + "/" + $0.rawValue)
        }
        guard replaces || !hasData else {
            throw BackupError(
                .taken,
                "There is a database in \(database.folder). With --replace it is put aside, under a name with the date, and "
                    + "nothing of it is deleted.")
        }
        let hasAccounts = FileManager.default.fileExists(atPath: database.path(of: .accounts))
        let stamp = BackupName.stamp(of: clock.now())
        let restored = "\(folder).restoring-\(stamp)"
        let content = try BackupContent.copy(backup, to: restored, pace, progress)
        try keep(keeps, of: folder, in: restored)
        try giveOwner(of: folder, to: restored)
        try swap(restored, with: folder)
        // The folder that was there has the name of the restored one now.
        let replaced = try putAside(restored, hasData: hasData, as: "\(folder).replaced-\(stamp)")
        return Facts(
            manifest: content.manifest, replaced: replaced, seconds: (ContinuousClock.now - begin) / .seconds(1),
            leavesAccounts: hasAccounts && !content.manifest.files.contains { $0.name == BackupFile.accounts.rawValue })
    }

    private static func realPath(_ folder: String) throws(BackupError) -> String {
        guard let real = realpath(folder, nil) else { throw FileDigest.failure("find", folder) }
        defer { free(real) }
        return String(cString: real)
    }

    private static func keep(_ files: [String], of folder: String, in restored: String) throws(BackupError) {
        for file in files where FileManager.default.fileExists(atPath: folder + "/" + file) {
            do {
                try FileManager.default.copyItem(atPath: folder + "/" + file, toPath: restored + "/" + file)
            } catch {
                try? FileManager.default.removeItem(atPath: restored)
                throw BackupError(
                    .failed,
                    "\(folder)/\(file) could not be kept: \(error.localizedDescription). Nothing was changed. Check its owner."
                )
            }
        }
    }

    // MARK: - The change

    private static func swap(_ restored: String, with folder: String) throws(BackupError) {
        let failure = causeway_exchange(restored, folder)
        if failure != 0 {
            try? FileManager.default.removeItem(atPath: restored)
            throw BackupError(
                .failed,
                "\(restored) cannot take the place of \(folder): \(String(cString: strerror(failure))). Nothing was "
                    + (failure == EBUSY
                        ? "changed. The folder is a mount point: configure a folder inside of it."
                        : "changed. The file system must let two folders change places (renameat2)."))
        }
        try FolderNames.synchronize(URL(filePath: folder).deletingLastPathComponent().path)
    }

    /// - Returns: where the old folder lies; nil when it held nothing.
    private static func putAside(_ old: String, hasData: Bool, as name: String) throws(BackupError) -> String? {
        if !hasData {
            for file in lockFiles { unlink(old + "/" + file) }
            if rmdir(old) == 0 { return nil }
        }
        guard rename(old, name) == 0 else {
            throw BackupError(
                .failed,
                "The database was restored. What was there before lies in \(old), and could not be renamed: "
                    + "\(String(cString: strerror(errno))).")
        }
        try FolderNames.synchronize(URL(filePath: name).deletingLastPathComponent().path)
        return name
    }

    /// What a folder holds that was locked, or read, and never served.
    private static let lockFiles = ["server.lock"] + BackupFile.allCases.map { $0.rawValue + "-lock" }

    /// The server's user must be able to open what another one restores.
    private static func giveOwner(of folder: String, to restored: String) throws(BackupError) {
        var status = stat()
        guard stat(folder, &status) == 0 else { throw FileDigest.failure("look at", folder) }
        guard status.st_uid != geteuid() || status.st_gid != getegid() else { return }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: restored)) ?? []
        for path in [restored] + names.map({ restored + "/" + $0 })
        where lchown(path, status.st_uid, status.st_gid) != 0 {
            try? FileManager.default.removeItem(atPath: restored)
            throw BackupError(
                .failed,
                "\(folder) belongs to another user, who could not open what this one restores. Restore as that user.")
        }
    }
}

extension BackupPace {
    /// As fast as the disk goes: nobody is served meanwhile.
    package static let unhindered = BackupPace(bytesPerSecond: nil)
}
