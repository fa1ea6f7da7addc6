import CausewayObjectStore
import CausewayOpLog
import CausewayStorage
import CausewaySync
import CausewaySyncedFile
import Dispatch
import Foundation
import Synchronization

extension SyncedFile {
    /// What a copy of a synchronised file becomes.
    enum CopyKind {
        /// A local file, without any state of synchronisation.
        case local
        /// A synchronised file that any device may open. It has this file's checkpoint, and no owner yet.
        case seed
    }

    /// Writes a compacted copy to a path where no file is yet.
    ///
    /// - Throws: `Realm.Error.fail` for a seed while the server lacks something that was written here; `locked` while
    ///   another copy is being written to the path.
    func copy(to path: String, key: [UInt8]?, as kind: CopyKind) throws {
        // The synchronisation state is removed from a temporary copy. A second copy then leaves out the space it took.
        let draft = path + ".copying"
        let lock = try CopyLock(forCopyTo: path)
        // An interrupted copy may have left a draft. The lock guarantees that nobody else is writing it.
        Self.removeDraft(draft)
        defer { withExtendedLifetime(lock) { Self.removeDraft(draft) } }
        try store.copy(to: draft, key: key)
        var options = ObjectStore.Options()
        options.encryptionKey = key
        let copy = try ObjectStore.open(path: draft, options: options)
        try DamageReporting.throwing {
            let transaction = try copy.write()
            defer { transaction.end() }
            do {
                try change(transaction, to: kind)
                _ = try transaction.commit()
            } catch {
                if transaction.isWritable { transaction.abort() }
                throw error
            }
        }
        try copy.copy(to: path, key: key)
    }

    private func change(_ transaction: Transaction, to kind: CopyKind) throws {
        StagingTree(transaction).clear()
        Owner.remove(from: transaction)
        switch kind {
        case .local:
            SubscriptionTree(transaction).clear()
            Replica.remove(from: transaction)
        case .seed:
            guard try replica.state(in: transaction).isSettled else {
                throw Realm.Error(
                    .fail, "All client changes must be integrated in server before writing copy",
                    fileURL: URL(fileURLWithPath: store.path))
            }
            try Replica.leaveName(in: transaction)
        }
    }

    private static func removeDraft(_ path: String) {
        for suffix in ["", "-lock", ".lock"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
}

extension SyncDriver {
    /// How long a copy waits until the file has stored the confirmation of uploads that the server has already
    /// acknowledged. The confirmation is on its way; only a busy machine delays it.
    private static let settlingSecondsMax = 120

    /// Blocks until the file has stored the server's confirmation of everything written here, which is the next to
    /// arrive. Returns at once when something is still to be sent, or when there is no connection. Gives up after
    /// `settlingSecondsMax`.
    nonisolated func waitUntilSettled() throws {
        let commits = DispatchSemaphore(value: 0)
        let observation = file.store.observeCommits { _ in commits.signal() }
        let deadline = DispatchTime.now() + .seconds(Self.settlingSecondsMax)
        while try !file.isSettled(), published.withLock(\.connection) != .disconnected {
            let uploaded = published.withLock(\.uploaded)
            let logged = try file.standing().logged
            guard uploaded.changesets >= logged.changesets, uploaded.oneWay >= logged.oneWay,
                commits.wait(timeout: deadline) == .success
            else { break }
        }
        withExtendedLifetime(observation) {}
    }
}
