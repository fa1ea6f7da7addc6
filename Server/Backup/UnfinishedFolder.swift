import CoreFoundation
import Foundation

/// The folder in which a backup is written until it is whole. Its name begins with a dot and ends with `.part`.
///
/// A lock on the folder says that somebody is writing. The system releases it when the process ends, however it ends:
/// so the next backup into the same place can tell what nobody will finish, and removes that.
final class UnfinishedFolder {
    let path: String
    private let parent: String
    private let descriptor: Int32
    private var isFinished = false

    private static let suffix = ".part"
    private static let removedSuffix = ".removed"

    init(in parent: String, database: String, stamp: String) throws(BackupError) {
        self.parent = parent
        path = "\(parent)/.\(database)-\(stamp)\(Self.suffix)"
        guard mkdir(path, 0o700) == 0 else {
            guard errno == EEXIST else { throw FileDigest.failure("make the folder", path) }
            throw BackupError(
                .taken, "Another backup of '\(database)' into \(parent) has just begun. Wait until it is done.")
        }
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileDigest.failure("open", path) }
        // Nobody else can hold it yet, except whoever is just removing what is left over: see `removeLeftovers`.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, Self.isAt(path, descriptor) else {
            throw BackupError(.taken, "Another backup into \(parent) is just beginning. Begin this one again.")
        }
    }

    deinit {
        if !isFinished { try? FileManager.default.removeItem(atPath: path) }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Gives the folder its name, durably. Never replaces anything.
    func finish(as name: String) throws(BackupError) {
        let target = parent + "/" + name
        guard access(target, F_OK) != 0 else { throw Self.taken(target) }
        guard fsync(descriptor) == 0 else { throw FileDigest.failure("sync", path) }
        // A folder that came meanwhile is replaced only if it is empty.
        guard rename(path, target) == 0 else {
            throw [EEXIST, ENOTEMPTY, ENOTDIR].contains(errno)
                ? Self.taken(target) : FileDigest.failure("rename a folder to", target)
        }
        isFinished = true
        try FolderNames.synchronize(parent)
    }

    private static func taken(_ path: String) -> BackupError {
        BackupError(.taken, "\(path) is there already, and backups are never overwritten. Choose another name.")
    }

    private static func isAt(_ path: String, _ descriptor: Int32) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_ino == named.st_ino
            && opened.st_dev == named.st_dev
    }

    // MARK: - What others left

    /// Removes what backups left that were killed, and removals that were.
    static func removeLeftovers(of database: String, in parent: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where isLeftover(name, of: database) {
            let path = parent + "/" + name
            let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { continue }
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    static func isLeftover(_ name: String, of database: String) -> Bool {
        guard name.hasPrefix(".") else { return false }
        if name.hasSuffix(suffix) {
            let middle = name.dropFirst().dropLast(suffix.count)
            guard middle.hasPrefix(database + "-") else { return false }
            return BackupName.time(of: String(middle.dropFirst(database.count + 1))) != nil
        }
        guard name.hasSuffix(removedSuffix) else { return false }
        return BackupName(String(name.dropFirst().dropLast(removedSuffix.count)))?.database == database
    }

    /// Removes a whole backup. It loses its name first: what is half removed must not look like a backup.
    static func remove(_ name: String, in parent: String) throws(BackupError) {
        let (path, aside) = (parent + "/" + name, "\(parent)/.\(name)\(removedSuffix)")
        guard rename(path, aside) == 0 else { throw FileDigest.failure("remove", path) }
        do {
            try FileManager.default.removeItem(atPath: aside)
        } catch {
            throw BackupError(
                .failed, "The old backup \(path) could not be removed: \(error.localizedDescription). Remove \(aside).")
        }
    }
}

/// Names in a folder, made to survive a power loss.
enum FolderNames {
    static func synchronize(_ folder: String) throws(BackupError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileDigest.failure("open", folder) }
        defer { close(descriptor) }
        // Some file systems do not sync folders.
        guard fsync(descriptor) == 0 || [EINVAL, ENOSYS, EOPNOTSUPP].contains(errno) else {
            throw FileDigest.failure("sync", folder)
        }
    }
}
