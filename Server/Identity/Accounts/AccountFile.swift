import CausewayObjectStore
import Foundation

/// The accounts of a server alone: a file beside the database.
package final class AccountFile: AccountHome {
    private let store: ObjectStore

    /// Opens the file in a database's folder, or makes it.
    package init(folder: String) throws {
        store = try ObjectStore.open(path: folder + "/" + Accounts.fileName)
    }

    /// - Throws: `keyUnusable` with the database's name in it.
    package static func opened(
        inFolder folder: String, of database: String
    ) throws(IdentityError) -> AccountFile {
        do {
            return try AccountFile(folder: folder)
        } catch {
            throw .unusable("The accounts of '\(database)' in \(folder) cannot be opened: \(error)")
        }
    }

    package static func exists(inFolder folder: String) -> Bool {
        FileManager.default.fileExists(atPath: folder + "/" + Accounts.fileName)
    }

    package func read<Outcome>(_ body: (any AccountTrees) throws -> Outcome) throws -> Outcome {
        let transaction = try store.read()
        defer { transaction.end() }
        let outcome = try body(FileTrees(transaction: transaction))
        try transaction.throwDamage()
        return outcome
    }

    package func write<Outcome>(_ body: (any AccountTrees) throws -> Outcome) throws -> Outcome {
        let transaction = try store.write()
        defer { transaction.end() }
        do {
            let outcome = try body(FileTrees(transaction: transaction))
            _ = try transaction.commit()
            return outcome
        } catch {
            if transaction.isWritable { transaction.abort() }
            throw error
        }
    }

    package func close() { store.close() }
}

private struct FileTrees: AccountTrees {
    let transaction: Transaction

    private func tree(_ name: String) -> Tree { transaction.tree("accounts." + name) }

    func get(_ key: [UInt8], in tree: String) -> [UInt8]? { self.tree(tree).get(key) }

    func values(of keys: [[UInt8]], in tree: String) -> [[UInt8]?] { keys.map { get($0, in: tree) } }

    func put(_ value: [UInt8], _ key: [UInt8], in tree: String) { self.tree(tree).put(key, value) }

    func remove(_ key: [UInt8], in tree: String) { self.tree(tree).remove(key) }

    func keys(in tree: String, from: [UInt8], upTo: [UInt8]?, countMax: Int) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        self.tree(tree).scan(from: from, upTo: upTo) { key, _ in
            keys.append(Array(key))
            return keys.count < countMax
        }
        return keys
    }
}
