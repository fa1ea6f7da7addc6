import CausewayObjectStore
public import Foundation

extension Realm {
    /// Whether the file of a configuration exists. An in-memory Realm exists while somebody has it open.
    public static func fileExists(for configuration: Configuration) -> Bool {
        configuration.isInMemory
            ? FileCoordinator.existing(path: configuration.path) != nil
            : FileManager.default.fileExists(atPath: configuration.path)
    }

    /// Deletes the file of a configuration and everything beside it that belongs to it.
    ///
    /// - Returns: Whether there was a file.
    /// - Throws: `Realm.Error.alreadyOpen` while somebody in the process has it open; `fileAccess` when the system
    ///   refuses.
    @discardableResult
    public static func deleteFiles(for configuration: Configuration) throws -> Bool {
        guard !configuration.isInMemory else { return false }
        let path = configuration.path
        if FileCoordinator.existing(path: path) != nil {
            throw Error(
                .alreadyOpen,
                "The file '\(path)' is open and cannot be deleted. Let go of every Realm, object and result of it "
                    + "first.", fileURL: configuration.fileURL)
        }
        let files = FileManager.default
        let existed = files.fileExists(atPath: path)
        do {
            for suffix in ["", "-lock", ".lock"] where files.fileExists(atPath: path + suffix) {
                try files.removeItem(atPath: path + suffix)
            }
        } catch {
            throw Error(
                .fileAccess, "The file '\(path)' could not be deleted: \(error.localizedDescription)",
                fileURL: configuration.fileURL, underlyingError: error)
        }
        return existed
    }

    /// Opens the file of a configuration and brings it to the configuration's classes, running the migration block if its
    /// schema version is older.
    ///
    /// - Throws: `Realm.Error` as opening does.
    public static func performMigration(for configuration: Configuration = .defaultConfiguration) throws {
        _ = try Realm(configuration: configuration)
    }

    /// Writes a compacted copy of the Realm, as of its snapshot's newest version, to a new file.
    ///
    /// - Parameter encryptionKey: the 64 bytes that encrypt the copy; nil for a plain one. So a key is changed, given or
    ///   taken away: copy, and put the copy in the file's place.
    /// - Throws: `Realm.Error.fileExists` when there is a file already; `outOfDiskSpace` and `fileAccess` as the system
    ///   reports them.
    public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
        instance.checkThread()
        if let encryptionKey, encryptionKey.count != 64 {
            misuse("Encryption key must be exactly 64 bytes long, and this one has \(encryptionKey.count)")
        }
        guard !FileManager.default.fileExists(atPath: fileURL.path) else {
            throw Error(
                .fileExists, "There is a file at '\(fileURL.path)' already. Delete it, or copy to another place.",
                fileURL: fileURL)
        }
        do {
            try instance.coordinator.store.copy(to: fileURL.path, key: encryptionKey.map { [UInt8]($0) })
        } catch {
            throw Error(error, fileURL: fileURL)
        }
    }
}

/// The schema version that a file was last opened with.
///
/// ```swift
/// let version = try schemaVersionAtURL(url)
/// ```
///
/// - Throws: `Realm.Error.fileNotFound` when there is no file; `invalidDatabase` when it is none or the key is another.
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data? = nil) throws -> UInt64 {
    let configuration = Realm.Configuration(fileURL: fileURL, encryptionKey: encryptionKey, readOnly: true)
    let coordinator = try FileCoordinator.open(configuration)
    do {
        let transaction = try coordinator.store.read()
        defer { transaction.end() }
        return transaction.schemaVersion ?? 0
    } catch {
        throw Realm.Error(error, fileURL: fileURL)
    }
}
