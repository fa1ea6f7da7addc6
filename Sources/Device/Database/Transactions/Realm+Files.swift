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
    /// ```swift
    /// configuration.schemaVersion = 2
    /// try Realm.performMigration(for: configuration)
    /// ```
    ///
    /// - Throws: `Realm.Error` as opening does.
    public static func performMigration(for configuration: Configuration = .defaultConfiguration) throws {
        _ = try Realm(configuration: configuration)
    }

    /// Writes a compacted copy of the Realm, as of its snapshot's newest version, to a new file.
    ///
    /// ```swift
    /// try realm.writeCopy(toFile: URL(filePath: "copy.realm"))
    /// ```
    ///
    /// The copy of a synced Realm is one that any device may open, see `writeCopy(configuration:)`.
    ///
    /// - Parameter encryptionKey: the 64 bytes that encrypt the copy; nil for a plain one. So a key is changed, given or
    ///   taken away: copy, and put the copy in the file's place.
    /// - Throws: `Realm.Error.fileExists` when there is a file already; `fail` while the server lacks something that was
    ///   written to a synced Realm; `outOfDiskSpace` and `fileAccess` as the system reports them.
    public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
        instance.checkThread()
        if let encryptionKey, encryptionKey.count != 64 {
            misuse("Encryption key must be exactly 64 bytes long, and this one has \(encryptionKey.count)")
        }
        try copy(toFile: fileURL, encryptionKey, isSynced: instance.isSynchronised)
    }

    /// Writes a compacted copy of the Realm to the file of another configuration, with its encryption key or without one,
    /// as a local or a synced Realm.
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
    /// | synced | synced, new | a new file that stands where this one stands; it becomes that of the device and user who open it first, or whose `seedFilePath` it is |
    /// | local | synced | the objects as local writes: the file is made if there is none, objects with the same primary keys are updated, none is deleted |
    /// | synced | synced, exists | the same |
    ///
    /// - Throws: `Realm.Error.fileExists` when there is a file already and it is to be a new one; `invalidInput` for a
    ///   configuration without a file, and for objects that a synced Realm cannot take; `fail` while the server lacks
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
        if FileManager.default.fileExists(atPath: fileURL.path) { try refuseExisting(fileURL) }
        let key = encryptionKey.map { [UInt8]($0) }
        do {
            guard let driver = instance.driver else {
                return try instance.coordinator.store.copy(to: fileURL.path, key: key)
            }
            if isSynced { try driver.waitUntilSettled() }
            try driver.file.copy(to: fileURL.path, key: key, as: isSynced ? .seed : .local)
        } catch let error as StoreError {
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
