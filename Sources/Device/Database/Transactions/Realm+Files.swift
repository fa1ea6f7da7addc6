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

    /// Writes a compacted copy of the Realm, as of its snapshot's newest version, to a new file.
    ///
    /// - Throws: `Realm.Error.fileExists` when there is a file already; `outOfDiskSpace` and `fileAccess` as the system
    ///   reports them.
    public func writeCopy(toFile fileURL: URL) throws {
        instance.checkThread()
        guard !FileManager.default.fileExists(atPath: fileURL.path) else {
            throw Error(
                .fileExists, "There is a file at '\(fileURL.path)' already. Delete it, or copy to another place.",
                fileURL: fileURL)
        }
        do {
            try instance.coordinator.store.compact(to: fileURL.path)
        } catch {
            throw Error(error, fileURL: fileURL)
        }
    }
}
