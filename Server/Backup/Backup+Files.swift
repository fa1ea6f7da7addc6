import CausewayObjectStore
import CausewayStorage
import Foundation

// The files of a backup: copied, described, and written to the disk.

extension Backup {
    /// Copies one file at one of its versions.
    ///
    /// The file is not closed here: in the server's own process it is the one that the server uses, and it closes when
    /// nobody has it any more.
    static func copy(
        _ file: BackupFile, of database: Source, to folder: String, _ pace: BackupPace,
        _ progress: (BackupProgress) -> Void
    ) throws(BackupError) {
        let path = folder + "/" + file.rawValue
        do throws(StoreError) {
            try withoutActuallyEscaping(progress) { progress throws(StoreError) in
                var options = ObjectStore.Options()
                options.readOnly = true
                let store = try ObjectStore.open(path: database.path(of: file), options: options)
                try store.copy(to: path, pace: copyPace(file, path, pace, progress))
            }
        } catch {
            try pace.throwIfAbandoned()
            throw BackupError(
                error.code == .damaged ? .unsound : .failed,
                "The database '\(database.name)' could not be copied: \(error.message)")
        }
    }

    private static func copyPace(
        _ file: BackupFile, _ path: String, _ pace: BackupPace, _ progress: @escaping (BackupProgress) -> Void
    ) -> CopyPace {
        let begin = ContinuousClock.now
        return CopyPace { done, total throws(StorageError) in
            progress(BackupProgress(step: .copying, file: file.rawValue, done: Double(done) / Double(max(total, 1))))
            let due = pace.bytesPerSecond.map { begin + .seconds(1) * (Double(done) / Double(max($0, 1))) }
            while !pace.isAbandoned(), let due, ContinuousClock.now < due {
                usleep(useconds_t(min(sleepMicrosecondsMax, (due - .now) / .microseconds(1))))
            }
            if pace.isAbandoned() { throw StorageError(.closed, "The copy was given up.", path: path) }
        }
    }

    /// How long a paced copy sleeps before it looks again whether it was given up.
    private static let sleepMicrosecondsMax = 100_000.0

    /// Reads a file back and says what the manifest says of it.
    static func described(
        _ file: BackupFile, in folder: String, _ pace: BackupPace, _ progress: (BackupProgress) -> Void
    ) throws(BackupError) -> BackupManifest.File {
        let path = folder + "/" + file.rawValue
        let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int ?? 0
        let digest = try FileDigest.read(path) { part, offset throws(BackupError) in
            try pace.throwIfAbandoned()
            progress(
                BackupProgress(
                    step: .hashing, file: file.rawValue, done: Double(offset + part.count) / Double(max(size, 1))))
        }
        return BackupManifest.File(name: file.rawValue, bytes: digest.bytes, sha256: digest.sha256)
    }

    static func write(_ manifest: BackupManifest, in folder: String) throws(BackupError) {
        let path = folder + "/" + BackupManifest.fileName
        let output = try NewFile(path)
        try output.write(try manifest.encoded())
        try output.finish()
    }
}

/// A file that is written once and synced.
struct NewFile: ~Copyable {
    private let path: String
    private let descriptor: Int32

    /// Makes the file, which only its owner may read. Throws when it is there already.
    init(_ path: String) throws(BackupError) {
        self.path = path
        let opened = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(0o600))
        guard opened >= 0 else { throw FileDigest.failure("make", path) }
        descriptor = opened
    }

    deinit { close(descriptor) }

    func write(_ data: Data) throws(BackupError) {
        do {
            try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: data)
        } catch {
            throw BackupError(
                .failed, "Cannot write \(path): \(error.localizedDescription). Check the room on the disk.")
        }
    }

    /// Makes what was written survive a power loss, and leaves the page cache to others.
    func finish() throws(BackupError) {
        guard fsync(descriptor) == 0 else { throw FileDigest.failure("sync", path) }
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    }
}
