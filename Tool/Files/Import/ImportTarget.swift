import CausewayEnvironment
package import CausewayModel
import CausewayObjectStore
import Glibc

/// The file that an import writes to.
///
/// - A local file is changed in one transaction: an app that has it open sees all of the import or nothing, and a failure leaves
///   nothing behind. The transaction holds in memory what it changes.
/// - A new file is made in a folder beside, in transactions of bounded size, and gets its name when it is whole.
/// - A synced file is told apart, and changed by ``SyncedImport``.
package enum ImportTarget {
    /// Ends the name of the folder in which a new file is made.
    static let unfinishedSuffix = ".importing"

    /// - Parameter progress: told of the objects that a synced file gets.
    package static func change<Result>(
        _ path: String, key: [UInt8]?, progress: (Int) -> Void, _ body: (ImportWriting) throws -> Result
    ) throws -> Result {
        guard access(path, F_OK) == 0 else {
            return try failing { try makeNew(path, key, body) }
        }
        // It is let go in the end and not closed: closing it would close it for an app of this process too.
        let file = try FileFailure.orNothing { try OpenedFile.change(path, key: key) }
        guard try FileFailure.orNothing({ try file.read { FileSummary.role(of: $0) } }) == .synced else {
            return try failing { try changeLocal(file, body) }
        }
        return try SyncedImport(file, key: key).perform(progress, body)
    }

    /// Looks at the file that an import would write to; nil if there is none yet.
    ///
    /// - Throws: for a file that no import writes to.
    package static func look(_ path: String, key: [UInt8]?) throws -> KnownTarget? {
        guard access(path, F_OK) == 0 else { return nil }
        let file = try OpenedFile.inspect(path, key: key)
        return try file.read { transaction in
            let role = FileSummary.role(of: transaction)
            if role == .server { try role.refuseUnlessLocal(path, "an import") }
            return KnownTarget(schema: transaction.schema.withoutNestedCollections, isSynced: role == .synced)
        }
    }

    /// Does an import of which nothing comes if it fails.
    static func failing<Result>(_ body: () throws -> Result) throws -> Result {
        try FileFailure.orNothing {
            do {
                return try body()
            } catch let error as StoreError {
                throw FileFailure(error.message)
            }
        }
    }

    private static func changeLocal<Result>(
        _ file: OpenedFile, _ body: (ImportWriting) throws -> Result
    ) throws -> Result {
        let transaction = try file.store.write()
        defer { transaction.end() }
        try FileSummary.role(of: transaction).refuseUnlessLocal(file.path, "an import")
        let result = try body(ImportWriting(transaction, .localFile))
        try transaction.commit()
        return result
    }

    // MARK: - A new file

    private static func makeNew<Result>(
        _ path: String, _ key: [UInt8]?, _ body: (ImportWriting) throws -> Result
    ) throws -> Result {
        try beside(path) { unfinished in
            let store = try ObjectStore.open(path: unfinished, options: ObjectStore.Options(encryptionKey: key))
            let result: Result
            do {
                defer { store.close() }
                result = try fill(store, for: .newFile, body).result
            }
            try name(unfinished, path)
            return result
        }
    }

    /// Lends a path for a file that nobody else sees, in a folder beside another file.
    static func beside<Result>(_ path: String, _ body: (String) throws -> Result) throws -> Result {
        let folder = path + unfinishedSuffix
        guard mkdir(folder, 0o700) == 0 else {
            throw errno == EEXIST
                ? FileFailure(
                    "There is '\(folder)' already: another import writes this file, or was stopped. Delete it if no other runs."
                )
                : FileFailure("The folder '\(folder)' cannot be made: \(reason). Correct the path or its permissions.")
        }
        defer { removeFolder(folder) }
        return try body(folder + "/file")
    }

    /// Has an import fill a file that nobody else sees, and tells what became of it.
    static func fill<Result>(
        _ store: ObjectStore, for target: ImportWriting.Target, _ body: (ImportWriting) throws -> Result
    ) throws -> (result: Result, rows: ExactDictionary<ImportedRows>) {
        let transaction = try store.write()
        defer { transaction.end() }
        let writing = ImportWriting(transaction, target)
        let result = try body(writing)
        try transaction.commit()
        return (result, writing.rows)
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

/// A file that is there before an import writes to it.
package struct KnownTarget {
    package let schema: Schema
    let isSynced: Bool

    /// - Throws: when the file cannot get the classes of an import.
    package func check(_ wanted: Schema) throws {
        if isSynced { try ImportWriting.refuseNewParts(of: wanted, beside: schema) }
    }
}
