package import CausewayEnvironment
import CausewayModel
import CausewayStoreEmbedded
import Foundation

/// Makes backups of databases, while they are served or not.
///
/// A backup is a folder: `database.causeway`, `accounts.causeway` where there are accounts, and `manifest.json`. Each
/// file can be opened where it lies, by `sync-server verify` and by the library. One file around them would have to be
/// written a second time and unpacked before anybody could look into it.
///
/// 1. Each file holds one version of its database, whole and without unused space. Accounts are copied after the
///    objects, so that each user whom the objects name is among them.
/// 2. A backup has its name only when it is whole, verified and on the disk. Until then it lies beside it under a name
///    that begins with a dot; a process that is killed leaves nothing else.
/// 3. Nothing is overwritten.
package enum Backup {
    /// What to copy.
    package struct Source: Hashable, Sendable {
        package var name: String
        package var folder: String

        package init(name: String, folder: String) {
            self.name = name
            self.folder = folder
        }
    }

    /// Where it goes.
    package enum Target: Hashable, Sendable {
        /// Into a folder, under a name that says of which database it is, when it began, and which version it holds.
        case into(String)
        /// Under this path.
        case path(String)

        /// A path that ends with `.backup` is the backup's own; any other one is a folder of backups.
        package init(_ path: String) {
            let path = URL(filePath: path).standardizedFileURL.path
            self = path.hasSuffix(BackupName.suffix) ? .path(path) : .into(path)
        }

        var folder: String {
            switch self {
            case .into(let folder): folder
            case .path(let path): URL(filePath: path).deletingLastPathComponent().path
            }
        }
    }

    /// What was made.
    package struct Facts: Hashable, Sendable {
        package var path: String
        package var manifest: BackupManifest
        package var objects: Int
        package var seconds: Double
    }

    /// Makes a backup. Blocks until it is whole.
    ///
    /// - Parameters:
    ///   - settle: makes of the copied files what the backup is to hold: of a node's replica, a database of one server.
    ///   - progress: told now and then how far it is.
    package static func run(
        database: Source, to target: Target, pace: BackupPace = BackupPace(), clock: any WallClock = SystemClock(),
        settle: (_ folder: String) throws -> Void = { _ in },
        progress: (BackupProgress) -> Void = { _ in }
    ) throws(BackupError) -> Facts {
        let begin = ContinuousClock.now
        let stamp = BackupName.stamp(of: clock.now())
        try requireServed(database)
        if case .path(let path) = target { try requireFree(path) }
        try makeFolder(target.folder)
        UnfinishedFolder.removeLeftovers(of: database.name, in: target.folder)
        let unfinished = try UnfinishedFolder(in: target.folder, database: database.name, stamp: stamp)
        for file in BackupFile.inOrder where FileManager.default.fileExists(atPath: database.path(of: file)) {
            try copy(file, of: database, to: unfinished.path, pace, progress)
        }
        do {
            try settle(unfinished.path)
        } catch {
            throw BackupError(
                .failed, "The copy of '\(database.name)' could not be made a database of its own: \(error)")
        }
        let content = try VerifiedContent.read(unfinished.path, pace, progress) { problem in
            "The copy of '\(database.name)' is not sound and was not kept. \(problem) Read the database with: sync-server "
                + "verify. If it is sound, check the disk of the copy; otherwise restore the newest backup."
        }
        let manifest = BackupManifest(
            database: database.name, epoch: BackupManifest.text(epoch: content.record.epoch),
            version: content.record.version.rawValue, time: time(of: stamp), server: Release.version,
            files: try content.files.map { file throws(BackupError) in
                try described(file, in: unfinished.path, pace, progress)
            })
        try write(manifest, in: unfinished.path)
        let name = finalName(of: target, manifest, stamp)
        try pace.throwIfAbandoned()
        try unfinished.finish(as: name)
        return Facts(
            path: target.folder + "/" + name, manifest: manifest, objects: content.objects,
            seconds: (ContinuousClock.now - begin) / .seconds(1))
    }

    private static func finalName(of target: Target, _ manifest: BackupManifest, _ stamp: String) -> String {
        switch target {
        case .into: BackupName(database: manifest.database, stamp: stamp, version: manifest.version).text
        case .path(let path): URL(filePath: path).lastPathComponent
        }
    }

    private static func requireServed(_ database: Source) throws(BackupError) {
        let path = database.path(of: .objects)
        guard !FileManager.default.fileExists(atPath: path) else { return }
        throw BackupError(
            .failed, "The database '\(database.name)' was never served: there is no \(path) yet. Nothing was copied.")
    }

    private static func requireFree(_ path: String) throws(BackupError) {
        guard FileManager.default.fileExists(atPath: path) else { return }
        throw BackupError(.taken, "\(path) is there already, and backups are never overwritten. Choose another name.")
    }

    private static func makeFolder(_ folder: String) throws(BackupError) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw BackupError(
                .failed,
                "The folder \(folder) could not be made: \(error.localizedDescription). Make it for this user, or name "
                    + "another one.")
        }
    }

    /// `20261127T183000Z` as the manifest writes it: `2026-11-27T18:30:00Z`.
    static func time(of stamp: String) -> String {
        let milliseconds = BackupName.time(of: stamp) ?? 0
        return Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
    }
}

extension Backup.Source {
    func path(of file: BackupFile) -> String { folder + "/" + file.rawValue }
}
