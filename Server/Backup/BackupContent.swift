import CausewayModel
package import CausewayStoreEmbedded
import Foundation

/// A backup that was copied into a folder of its own and found whole and sound there.
package struct BackupContent {
    package var manifest: BackupManifest
    package var record: RecordReport

    /// Copies the files of a backup into a new folder, compares them with the manifest, and verifies them.
    ///
    /// The folder is removed again when anything is wrong. Until this returns nothing else has changed.
    ///
    /// - Parameter folder: made here; nobody uses it.
    static func copy(
        _ backup: String, to folder: String, _ pace: BackupPace, _ progress: (BackupProgress) -> Void
    ) throws(BackupError) -> BackupContent {
        let manifest = try BackupManifest.read(in: backup)
        guard mkdir(folder, 0o700) == 0 else { throw FileDigest.failure("make the folder", folder) }
        do throws(BackupError) {
            for file in manifest.files { try copy(file, of: backup, to: folder, pace, progress) }
            let content = try VerifiedContent.read(folder, pace, progress) { problem in
                "The backup \(backup) is not sound, although its hashes fit. \(problem) Use another backup."
            }
            try compare(content.record, with: manifest, backup)
            try FolderNames.synchronize(folder)
            return BackupContent(manifest: manifest, record: content.record)
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw error
        }
    }

    private static func copy(
        _ file: BackupManifest.File, of backup: String, to folder: String, _ pace: BackupPace,
        _ progress: (BackupProgress) -> Void
    ) throws(BackupError) {
        let path = backup + "/" + file.name
        let output = try NewFile(folder + "/" + file.name)
        let digest = try FileDigest.read(path) { part, offset throws(BackupError) in
            try pace.throwIfAbandoned()
            guard offset + part.count <= file.bytes else {
                throw damaged(path, "has more bytes than its manifest says")
            }
            try output.write(part)
            progress(
                BackupProgress(
                    step: .copying, file: file.name, done: Double(offset + part.count) / Double(max(file.bytes, 1))))
        }
        try output.finish()
        guard digest.bytes == file.bytes else {
            throw damaged(path, "has \(digest.bytes) bytes, and \(file.bytes) by its manifest")
        }
        guard digest.sha256 == file.sha256 else { throw damaged(path, "has another SHA-256 than its manifest says") }
    }

    private static func compare(
        _ record: RecordReport, with manifest: BackupManifest, _ backup: String
    ) throws(BackupError) {
        guard BackupManifest.text(epoch: record.epoch) == manifest.epoch, record.version.rawValue == manifest.version
        else {
            throw damaged(backup, "holds version \(record.version.rawValue), and \(manifest.version) by its manifest")
        }
    }

    private static func damaged(_ path: String, _ how: String) -> BackupError {
        BackupError(.unsound, "The backup is damaged: \(path) \(how). Use another backup.")
    }
}
