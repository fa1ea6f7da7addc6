import CausewayModel
package import CausewayObjectStore
import CausewayRealmFile
import Foundation

/// A file of objects that a command looks at. It needs no Swift classes: the schema is the file's own.
///
/// An app may have the file open meanwhile. What is read is one snapshot.
package struct OpenedFile {
    package let path: String
    package let store: ObjectStore

    /// Opens a file without ever writing to it.
    package static func inspect(_ path: String, key: [UInt8]?) throws -> OpenedFile {
        try open(path, key: key, readOnly: true)
    }

    /// Opens a file that is there, to change it.
    package static func change(_ path: String, key: [UInt8]?) throws -> OpenedFile {
        try open(path, key: key, readOnly: false)
    }

    private static func open(_ path: String, key: [UInt8]?, readOnly: Bool) throws -> OpenedFile {
        guard FileManager.default.fileExists(atPath: path) else {
            throw FileFailure("There is no file '\(path)'. Correct the path.")
        }
        guard !RealmFile.isThere(path) else {
            throw FileFailure(
                "'\(path)' is a file that Realm wrote. Bring its objects into a new one: causeway import NEW --format realm --from "
                    + "'\(path)'")
        }
        do throws(StoreError) {
            let options = ObjectStore.Options(readOnly: readOnly, encryptionKey: key)
            return OpenedFile(path: path, store: try ObjectStore.open(path: path, options: options))
        } catch {
            throw FileFailure(error.message)
        }
    }

    package func close() { store.close() }

    /// Reads one snapshot, and throws the damage that was met.
    package func read<Result>(_ body: (Transaction) throws -> Result) throws -> Result {
        do {
            let transaction = try store.read()
            defer { transaction.end() }
            let result = try body(transaction)
            try transaction.throwDamage()
            return result
        } catch let error as StoreError {
            throw FileFailure(error.message)
        }
    }

    /// Runs a call on the whole file.
    package func whole<Result>(_ body: (ObjectStore) throws(StoreError) -> Result) throws -> Result {
        do throws(StoreError) {
            return try body(store)
        } catch {
            throw FileFailure(error.message)
        }
    }
}

extension Transaction {
    /// The table of a class that queries can name. One of one-way objects is empty in the file of a device, and full in a server's.
    func namedTable(_ className: String) throws -> Table {
        if let table = table(className), NestedCollection(className: className) == nil { return table }
        let names = schema.withoutNestedCollections.classes.map(\.name).joined(separator: ", ")
        throw FileFailure("There is no class '\(className)'. The file has: \(names.isEmpty ? "none" : names).")
    }
}
