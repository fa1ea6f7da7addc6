import CausewayObjectStore
import CausewaySyncedFile
import Foundation
import Synchronization

/// The users of one app on this device, in a file of its own that only its owner may read.
///
/// Tree `app.users`: id → the record as JSON. Tree `app.current`: an empty key → the id of the current user.
///
/// The file is open only during a call: logins are rare, and several processes may use the app.
struct UserFile: Sendable {
    let url: URL

    /// One thread at a time: closing the file would also close it for another thread that has it open.
    private static let turn = Mutex(())

    struct Content: Hashable, Sendable {
        var users: [UserRecord] = []
        var current: String?
    }

    /// The content of the file; empty when there is no file yet, or when it cannot be read.
    func content() -> Content {
        guard FileManager.default.fileExists(atPath: url.path) else { return Content() }
        do {
            return try withStore { store in
                let transaction = try store.read()
                defer { transaction.end() }
                var content = Content()
                transaction.tree("app.users").scan { _, value in
                    // A record from a newer version may be unreadable. That user logs in again.
                    if let user = try? JSONDecoder().decode(UserRecord.self, from: Data(value)) {
                        content.users.append(user)
                    }
                    return true
                }
                content.current = transaction.tree("app.current").get([]).map { String(decoding: $0, as: UTF8.self) }
                try transaction.throwDamage()
                return content
            }
        } catch {
            Logger.shared.log(
                level: .error,
                message: "The users of the app cannot be read from \(url.path): \(SyncedFile.message(of: error)) They "
                    + "have to log in again.")
            return Content()
        }
    }

    /// Stores users and who is the current one. A failure is logged: the users stay logged in for this process.
    func save(_ users: [UserRecord], removing removed: [String] = [], current: String?) {
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try withStore { store in
                let transaction = try store.write()
                defer { transaction.end() }
                let tree = transaction.tree("app.users")
                for user in users { tree.put(Array(user.id.utf8), [UInt8](try JSONEncoder().encode(user))) }
                for id in removed { tree.remove(Array(id.utf8)) }
                if let current {
                    transaction.tree("app.current").put([], Array(current.utf8))
                } else {
                    transaction.tree("app.current").remove([])
                }
                _ = try transaction.commit()
            }
        } catch {
            Logger.shared.log(
                level: .error,
                message: "The users of the app cannot be remembered in \(url.path): "
                    + "\(SyncedFile.message(of: error)) They have to log in again after the next start.")
        }
    }

    private func withStore<Result>(_ body: (ObjectStore) throws -> Result) throws -> Result {
        try Self.turn.withLock { _ in
            let store = try ObjectStore.open(path: url.path)
            defer { store.close() }
            return try body(store)
        }
    }
}
