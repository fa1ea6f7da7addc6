import CausewayEnvironment
package import CausewayObjectStore
import Glibc

/// The file that an import writes to.
///
/// - A file that is there is changed in one transaction: an app that has it open sees all of the import or nothing, and a failure
///   leaves nothing behind. The transaction holds in memory what it changes.
/// - A new file is made in a folder beside, in transactions of bounded size, and gets its name when it is whole.
package enum ImportTarget {
    /// Ends the name of the folder in which a new file is made.
    static let unfinishedSuffix = ".importing"

    package static func change<Result>(
        _ path: String, key: [UInt8]?, _ body: (Transaction, _ isNew: Bool) throws -> Result
    ) throws -> Result {
        do {
            return access(path, F_OK) == 0
                ? try changeExisting(path, key, body) : try makeNew(path, key, body)
        } catch let error as StoreError {
            throw FileFailure(error.message)
        }
    }

    private static func changeExisting<Result>(
        _ path: String, _ key: [UInt8]?, _ body: (Transaction, Bool) throws -> Result
    ) throws -> Result {
        let file = try OpenedFile.change(path, key: key)
        defer { file.close() }
        let transaction = try file.store.write()
        defer { transaction.end() }
        try FileSummary.role(of: transaction).refuseUnlessLocal(path, "an import")
        let result = try body(transaction, false)
        try transaction.commit()
        return result
    }

    // MARK: - A new file

    private static func makeNew<Result>(
        _ path: String, _ key: [UInt8]?, _ body: (Transaction, Bool) throws -> Result
    ) throws -> Result {
        let folder = path + unfinishedSuffix
        guard mkdir(folder, 0o700) == 0 else {
            throw errno == EEXIST
                ? FileFailure(
                    "There is '\(folder)' already: another import makes this file, or was stopped. Delete it if no other runs."
                )
                : FileFailure("The folder '\(folder)' cannot be made: \(reason). Correct the path or its permissions.")
        }
        let unfinished = folder + "/file"
        defer { removeFolder(folder) }
        let store = try ObjectStore.open(path: unfinished, options: ObjectStore.Options(encryptionKey: key))
        let result = try fill(store, body)
        try name(unfinished, path)
        return result
    }

    private static func fill<Result>(_ store: ObjectStore, _ body: (Transaction, Bool) throws -> Result) throws
        -> Result
    {
        defer { store.close() }
        let transaction = try store.write()
        defer { transaction.end() }
        let result = try body(transaction, true)
        try transaction.commit()
        return result
    }

    /// Gives the finished file its name, unless another has it by now.
    private static func name(_ unfinished: String, _ path: String) throws {
        var isNamed = link(unfinished, path) == 0
        // A file system without hard links. There a file that is made at this very moment is replaced.
        if !isNamed, [EPERM, ENOSYS, EOPNOTSUPP].contains(errno), access(path, F_OK) != 0 {
            isNamed = rename(unfinished, path) == 0
        }
        guard isNamed else {
            throw FileFailure("The file cannot get its name '\(path)': \(reason). Choose another one.")
        }
        let answer = synchronizeFolder(of: path)
        guard answer == 0 else {
            unlink(path)
            throw FileFailure(
                "The name '\(path)' cannot be written to the disk: \(String(cString: strerror(Int32(-answer)))). Check the disk."
            )
        }
    }

    private static func removeFolder(_ folder: String) {
        for name in ["file", "file-lock"] { unlink(folder + "/" + name) }
        rmdir(folder)
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
