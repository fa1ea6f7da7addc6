import CausewayIdentity
package import CausewayModel
import CausewayStore
package import CausewayStoreEmbedded
import Foundation

/// Restores a backup into a folder of its own, opens it as a server would, and removes it again: the proof that a backup
/// can be used, without touching any database.
package enum RestoreDrill {
    package struct Facts: Sendable {
        package var manifest: BackupManifest
        package var version: ServerVersion
        /// The classes that devices see, with the number of their objects.
        package var classes: [RecordReport.ClassCount]
        /// Nil when the backup has no accounts.
        package var users: Int?
        package var seconds: Double
    }

    /// - Parameter scratch: a folder with room for the restored database.
    package static func run(
        from backup: String, scratch: String, pace: BackupPace = .unhindered,
        progress: (BackupProgress) -> Void = { _ in }
    ) throws(BackupError) -> Facts {
        let begin = ContinuousClock.now
        let folder = "\(scratch)/sync-server-drill-\(UUID().uuidString)"
        let content = try BackupContent.copy(backup, to: folder, pace, progress)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (version, classes) = try serve(folder, backup)
        let hasAccounts = content.manifest.files.contains { $0.name == BackupFile.accounts.rawValue }
        return Facts(
            manifest: content.manifest, version: version, classes: classes,
            users: hasAccounts ? try users(folder, backup) : nil, seconds: (ContinuousClock.now - begin) / .seconds(1))
    }

    private static func serve(
        _ folder: String, _ backup: String
    ) throws(BackupError) -> (ServerVersion, [RecordReport.ClassCount]) {
        do throws(StoreFailure) {
            let store = try StoreEmbedded.open(folder: folder, epochSeed: .random(in: 1 ... .max))
            defer { store.close() }
            // What a server does first for every device.
            let snapshot = try store.snapshot()
            let classes = try snapshot.schema.withoutNestedCollections.classes.map { schema throws(StoreFailure) in
                RecordReport.ClassCount(name: schema.name, objects: try store.count(of: schema.name))
            }
            return (snapshot.version, classes)
        } catch {
            throw BackupError(
                .unsound, "The restored database cannot be served: \(error.message) Use another backup than \(backup).")
        }
    }

    private static func users(_ folder: String, _ backup: String) throws(BackupError) -> Int {
        do {
            let office = try AccountOffice(folder: folder)
            defer { office.close() }
            return try office.list().count
        } catch {
            throw BackupError(
                .unsound, "The restored accounts cannot be read: \(error) Use another backup than \(backup).")
        }
    }
}
