import CausewayObjectStore
public import Foundation

extension Realm {
    /// Whether the file of a configuration exists. An in-memory Realm exists while somebody has it open.
    ///
    /// ```swift
    /// if !Realm.fileExists(for: configuration) { log("The first launch.") }
    /// ```
    public static func fileExists(for configuration: Configuration) -> Bool {
        configuration.isInMemory
            ? FileCoordinator.existing(path: configuration.path) != nil
            : FileManager.default.fileExists(atPath: configuration.path)
    }

    /// Deletes the file of a configuration and everything beside it that belongs to it.
    ///
    /// ```swift
    /// try Realm.deleteFiles(for: configuration)
    /// ```
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
                "Cannot delete files of an open Realm: '\(path)' is still in use. Let go of every Realm, object and "
                    + "result of it first.", fileURL: configuration.fileURL)
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

    /// Opens the file of a configuration and adapts it to the configuration's classes. Runs the migration block if the
    /// file's schema version is older.
    ///
    /// ```swift
    /// configuration.schemaVersion = 2
    /// try Realm.performMigration(for: configuration)
    /// ```
    ///
    /// - Throws: `Realm.Error` as opening does.
    public static func performMigration(for configuration: Configuration = .defaultConfiguration) throws {
        _ = try Realm(configuration: configuration)
    }

    /// Writes a compacted copy of the newest version of the Realm's file to a new file.
    ///
    /// ```swift
    /// try realm.writeCopy(toFile: URL(filePath: "copy.realm"))
    /// ```
    ///
    /// The copy of a synced Realm can be opened by any device, see `writeCopy(configuration:)`.
    ///
    /// - Parameter encryptionKey: the 64 bytes that encrypt the copy; nil for a plain one. To change, add or remove a
    ///   key, write a copy and put it in the file's place.
    /// - Throws: `Realm.Error.fileExists` when there is a file already; `fail` while the server lacks something that
    ///   was written to a synced Realm; `incompatibleLockFile` while another copy to the same path is being written;
    ///   `outOfDiskSpace` and `fileAccess` as the system reports them.
    public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
        instance.checkThread()
        if let encryptionKey, encryptionKey.count != 64 {
            misuse("Encryption key must be exactly 64 bytes long, and this one has \(encryptionKey.count)")
        }
        try copy(toFile: fileURL, encryptionKey, isSynced: instance.isSynchronised)
    }

    /// Writes a copy of the Realm to the file of another configuration, with that configuration's encryption key, as a
    /// local or a synced Realm.
    ///
    /// ```swift
    /// var seed = user.flexibleSyncConfiguration()
    /// seed.fileURL = folder.appending(path: "seed.realm")
    /// try await realm.syncSession?.wait(for: .upload)
    /// try realm.writeCopy(configuration: seed)
    /// ```
    ///
    /// | From | To | What is written |
    /// |---|---|---|
    /// | local | local | a new file |
    /// | synced | local | a new file, without anything that only the server needs |
    /// | synced | synced, new | a new file with the same sync state; it belongs to the device and user who open it first, or whose `seedFilePath` it is |
    /// | local | synced | the objects as local writes: the file is created if there is none, objects with the same primary keys are updated, none is deleted |
    /// | synced | synced, exists | the same |
    ///
    /// - Throws: `Realm.Error.fileExists` when a new file is to be written and there is one already; `invalidInput` for
    ///   a configuration without a file, and for objects that a synced Realm cannot take; `fail` while the server lacks
    ///   something that was written to the Realm whose copy is synced; `outOfDiskSpace` and `fileAccess` as the system
    ///   reports them.
    public func writeCopy(configuration: Configuration) throws {
        instance.checkThread()
        guard let fileURL = configuration.fileURL else {
            throw Error(
                .invalidInput, "A copy needs a file. Set the fileURL of the configuration to copy to.", fileURL: nil)
        }
        let isSynced = configuration.syncSettings != nil
        if isSynced, !instance.isSynchronised || Self.fileExists(for: configuration) {
            let other = try RealmInstance.open(configuration, at: instance.confinement)
            guard other.coordinator !== instance.coordinator else { try refuseExisting(fileURL) }
            try instance.copyObjects(to: other)
        } else {
            try copy(toFile: fileURL, configuration.encryptionKey, isSynced: isSynced)
        }
    }

    private func refuseExisting(_ fileURL: URL) throws(Error) -> Never {
        throw Error(
            .fileExists, "There is a file at '\(fileURL.path)' already. Delete it, or copy to another place.",
            fileURL: fileURL)
    }

    private func copy(toFile fileURL: URL, _ encryptionKey: Data?, isSynced: Bool) throws {
        let path = Configuration.path(of: fileURL)
        if FileManager.default.fileExists(atPath: path) { try refuseExisting(fileURL) }
        let key = encryptionKey.map { [UInt8]($0) }
        do {
            guard let driver = instance.driver else {
                return try instance.coordinator.store.copy(to: path, key: key)
            }
            if isSynced { try driver.waitUntilSettled() }
            try driver.file.copy(to: path, key: key, as: isSynced ? .seed : .local)
        } catch let error as StoreError {
            throw Error(error, fileURL: fileURL)
        }
    }
}

/// The schema version that a file was last opened with; zero when it has none.
///
/// ```swift
/// let version = try schemaVersionAtURL(url)
/// ```
///
/// - Throws: `Realm.Error.fileNotFound` when there is no file; `invalidDatabase` when it is not a Realm or the key is
///   wrong.
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data? = nil) throws -> UInt64 {
    let configuration = Realm.Configuration(fileURL: fileURL, encryptionKey: encryptionKey, readOnly: true)
    let coordinator = try FileCoordinator.open(configuration, at: configuration.path)
    do {
        let transaction = try coordinator.store.read()
        defer { transaction.end() }
        return transaction.appSchemaVersion ?? 0
    } catch {
        throw Realm.Error(error, fileURL: fileURL)
    }
}
