import CausewayObjectStore
import CausewaySync
import CausewaySyncedFile

extension Realm {
    /// The session that synchronises the Realm; nil for a local one.
    ///
    /// ```swift
    /// try await realm.syncSession?.wait(for: .upload)
    /// ```
    public var syncSession: SyncSession? {
        instance.driver.map(SyncSession.init(driver:))
    }

    /// The subscriptions of the Realm. A local Realm has none: reading them stops the program.
    ///
    /// ```swift
    /// print(realm.subscriptions.count, realm.subscriptions.state)
    /// ```
    public var subscriptions: SyncSubscriptionSet {
        guard let driver = instance.driver else {
            misuse("This Realm was not configured with flexible sync")
        }
        do {
            return try SyncSubscriptionSet(driver, of: instance)
        } catch {
            misuse("The subscriptions of the Realm cannot be read: \(SyncedFile.message(of: error))")
        }
    }
}

extension RealmInstance {
    var driver: SyncDriver? {
        (coordinator.participant as? SyncParticipant)?.driver
    }
}
