import CausewayObjectStore
import CausewaySyncedFile
import Foundation

extension SyncedFile {
    /// Opens the file for a user of an app. Errors are thrown as `Realm.Error`.
    static func open(_ store: ObjectStore, userID: String, appID: String) throws -> SyncedFile {
        do {
            return try SyncedFile(store, owner: Owner(userID: userID, appID: appID))
        } catch Foreign.localFile {
            throw Realm.Error(
                .incompatibleHistories,
                "The file '\(store.path)' holds objects of a local Realm, which no server knows of. Open it without "
                    + "a sync configuration and copy the objects into a synchronised Realm of another file.")
        } catch Foreign.anothersFile {
            throw Realm.Error(
                .incompatibleSession,
                "The file '\(store.path)' belongs to another user or app. Give every user and app a file of its own.")
        } catch let error as StoreError {
            throw Realm.Error(error, fileURL: URL(fileURLWithPath: store.path))
        }
    }
}
