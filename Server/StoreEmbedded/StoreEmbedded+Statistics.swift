package import CausewayModel
import CausewayObjectStore
package import CausewayStorage
package import CausewayStore

/// How much a record holds, for those who watch the server.
package struct RecordStatistics: Hashable, Sendable {
    /// Versions that the history has.
    package var historyVersions: UInt64
    package var historyBytes: UInt64
    /// When the oldest of them was received, in milliseconds since 1970; zero while there is none.
    package var oldestTime: UInt64
    package var file: StorageStatistics
    /// Snapshots that are open in this process, and how long the oldest of them is.
    package var snapshots: Int
    package var oldestSnapshotAge: Duration
}

/// How many objects a class has.
package struct ClassCount: Hashable, Sendable {
    package var name: String
    package var kind: ClassKind
    package var objects: Int
}

extension StoreEmbedded {
    /// The classes with the number of their objects, parts of others and one-way objects too. Waits for no commit.
    ///
    /// - Complexity: that of the number of classes.
    package func classCounts() throws(StoreFailure) -> [ClassCount] {
        do {
            let reading = try store.read()
            defer { reading.end() }
            return reading.tables.filter { $0.nestedKind == nil }.map {
                ClassCount(name: $0.schema.name, kind: $0.schema.kind, objects: $0.count)
            }
        } catch {
            throw StoreFailure(error)
        }
    }

    /// Waits for no commit.
    ///
    /// - Complexity: that of the list of the file's free pages.
    package func statistics() throws(StoreFailure) -> RecordStatistics {
        do {
            // Before there is a transaction here, whose snapshot would count.
            let file = try store.statistics()
            let reading = try store.read()
            defer { reading.end() }
            let meta = Meta(in: reading)
            let open = snapshots.census
            return RecordStatistics(
                historyVersions: meta.version.rawValue - meta.historyStart.rawValue, historyBytes: meta.historyBytes,
                oldestTime: meta.oldestTime, file: file, snapshots: open.count, oldestSnapshotAge: open.oldest)
        } catch {
            throw StoreFailure(error)
        }
    }
}
