import CausewayObjectStore
import CausewayOpLog
import CausewayStorage
import CausewaySync
import CausewaySyncedFile
import Dispatch
import Foundation
import Synchronization

extension SyncedFile {
    /// What a copy of a synchronised file is.
    enum CopyKind {
        /// A local file: of the server it knows nothing.
        case local
        /// A synchronised file that any device may open: it stands where this one stands, and belongs to nobody yet.
        case seed
    }

    /// Writes a compacted copy to a path where no file is yet.
    ///
    /// - Throws: `Realm.Error.fail` for a seed while the server lacks something that was written here; `locked` while
    ///   somebody else copies to the path.
    func copy(to path: String, key: [UInt8]?, as kind: CopyKind) throws {
        // The books are changed in a copy that nobody sees, and what is left is copied without the space they took.
        let draft = path + ".copying"
        let lock = try CopyLock(forCopyTo: path)
        // What a copy left that was cut short: nobody else is at it.
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
    /// How long a copy waits for the server's word about what it has confirmed already. The word is on its way; only a
    /// busy machine makes it late.
    private static let settlingSecondsMax = 120

    /// Blocks while the server has everything and the file has not heard of it, which is the very next thing that it is
    /// told. Returns at once when something has still to be sent, or nobody is there who could say it.
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
