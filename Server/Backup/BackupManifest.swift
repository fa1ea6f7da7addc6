import Foundation

/// What a backup holds: the file `manifest.json` in its folder.
///
/// | Key | |
/// |---|---|
/// | `format` | 1 |
/// | `database` | its name in the configuration |
/// | `epoch` | which database it is: 16 hexadecimal digits |
/// | `version` | the newest version that it holds |
/// | `time` | when the backup began, UTC |
/// | `server` | the version of the program that made it |
/// | `files` | of each its `name`, `bytes` and `sha256` in hexadecimal digits |
package struct BackupManifest: Codable, Hashable, Sendable {
    package struct File: Codable, Hashable, Sendable {
        package var name: String
        package var bytes: Int
        package var sha256: String
    }

    package var format = Self.formatNewest
    package var database: String
    package var epoch: String
    package var version: UInt64
    package var time: String
    package var server: String
    package var files: [File]

    static let fileName = "manifest.json"
    static let formatNewest = 1
    /// No manifest is larger: one of two files has less than a kilobyte.
    static let bytesMax = 64 << 10

    package var bytes: Int { files.reduce(0) { $0 + $1.bytes } }

    /// As a manifest writes it: a number of 64 bits is more than every reader of JSON keeps.
    static func text(epoch: UInt64) -> String {
        let digits = String(epoch, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    func encoded() throws(BackupError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(self) + Data("\n".utf8)
        } catch {
            throw BackupError(.failed, "The manifest cannot be written: \(error).")
        }
    }

    /// Reads the manifest of a backup, which anybody may have written.
    package static func read(in backup: String) throws(BackupError) -> BackupManifest {
        let path = backup + "/" + fileName
        guard let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int else {
            throw BackupError(
                .failed,
                "\(backup) is no backup: there is no \(fileName) in it. Name a folder that sync-server backup has made."
            )
        }
        guard size <= bytesMax, let data = FileManager.default.contents(atPath: path),
            let manifest = try? JSONDecoder().decode(BackupManifest.self, from: data)
        else { throw damaged(path, "it cannot be read") }
        guard manifest.format <= formatNewest else {
            throw BackupError(
                .failed,
                "\(backup) has format \(manifest.format), and this program knows \(formatNewest) at most. Restore it with "
                    + "the program that made it, or a newer one.")
        }
        try manifest.check(path)
        return manifest
    }

    /// Only names that a backup gives to its files: a manifest must not lead anywhere else.
    private func check(_ path: String) throws(BackupError) {
        let names = files.map(\.name)
        guard names.contains(BackupFile.objects.rawValue), Set(names).count == names.count,
            names.allSatisfy({ BackupFile(rawValue: $0) != nil })
        else { throw Self.damaged(path, "it names other files than a backup has") }
        guard files.allSatisfy({ $0.bytes >= 0 && $0.sha256.utf8.count == FileDigest.digits }) else {
            throw Self.damaged(path, "a size or a hash in it cannot be")
        }
        // They are shown on terminals and in logs.
        guard [database, epoch, time, server].allSatisfy(Self.isPlain) else {
            throw Self.damaged(path, "a text in it cannot be")
        }
    }

    private static let textBytesMax = 64

    private static func isPlain(_ text: String) -> Bool {
        (1...textBytesMax).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    private static func damaged(_ path: String, _ how: String) -> BackupError {
        BackupError(.unsound, "The backup is damaged: of \(path), \(how). Use another backup.")
    }
}
