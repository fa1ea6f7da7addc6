import CausewayIdentity
import CausewayStoreEmbedded
import Foundation

/// What the folder of a database holds, before it is opened.
struct DatabaseFolder {
    private let path: String

    init(_ path: String) { self.path = path }

    /// Whether opening the database makes a new, empty one.
    var hasNoObjects: Bool { bytes(of: StoreEmbedded.fileName) == 0 }

    var objectsPath: String { path + "/" + StoreEmbedded.fileName }

    /// Whether nothing says that the database was served before.
    var isNew: Bool { hasNoObjects && !hasAccounts }

    private var hasAccounts: Bool { bytes(of: Accounts.fileName) > 0 }

    /// Accounts are made after the objects. Where they are alone, the objects were lost: an empty database would end what the
    /// users' devices have.
    func requireObjects(of name: String) throws(CommandFailure) {
        guard hasNoObjects, hasAccounts else { return }
        throw CommandFailure(
            "The folder \(path) has the accounts of '\(name)' and no objects: \(StoreEmbedded.fileName) is missing or empty. Nothing was "
                + "changed. Put the file back, or restore a backup: sync-server restore --from BACKUP --database \(name) "
                + "--replace. To begin with an empty database, move \(Accounts.fileName) elsewhere.")
    }

    /// Zero for a file that is not there.
    private func bytes(of file: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path + "/" + file)[.size] as? Int) ?? 0
    }
}
