import CausewayObjectStore
import CausewayStorage

extension Realm {
    /// How the space in a Realm's file is used, and what keeps the file from shrinking.
    ///
    /// ```swift
    /// let statistics: Realm.Statistics = try realm.statistics()
    /// print("\(statistics.usedBytes) of \(statistics.sizeBytes) bytes are in use")
    /// print("\(statistics.freeBytes) are free, \(statistics.pinnedBytes) when older versions are let go")
    /// ```
    public struct Statistics: Sendable, Hashable {
        /// The size of the file.
        public let sizeBytes: Int
        /// The bytes that the newest version uses.
        public let usedBytes: Int
        /// The bytes that are free for the next commit. ``Realm/Configuration-swift.struct/shouldCompactOnLaunch`` can
        /// give them back.
        public let freeBytes: Int
        /// The bytes that only older versions use, which somebody still reads.
        public let pinnedBytes: Int
        /// The oldest version that any process reads; nil when nobody reads any.
        public let oldestSnapshot: Snapshot?
    }

    /// A version of the file that somebody reads.
    ///
    /// ```swift
    /// let oldest: Realm.Snapshot? = try realm.statistics().oldestSnapshot
    /// if let oldest { print("process \(oldest.processID) is \(oldest.commitsBehind) commits behind") }
    /// ```
    public struct Snapshot: Sendable, Hashable {
        /// How many commits came after it.
        public let commitsBehind: Int
        /// The process that reads it.
        public let processID: Int
    }

    /// How the space in the file is used now, and the oldest snapshot that somebody reads.
    ///
    /// ```swift
    /// if let oldest = try realm.statistics().oldestSnapshot, oldest.commitsBehind > 1000 {
    ///     print("process \(oldest.processID) holds an old version: is a frozen object kept?")
    /// }
    /// ```
    ///
    /// A file grows while an old version is read: by a frozen Realm, by a Realm that does not refresh, or by a process
    /// that is suspended. ``Realm/Configuration-swift.struct/maximumNumberOfActiveVersions`` makes writes fail at a
    /// limit.
    ///
    /// - Complexity: O(free pieces of the file).
    /// - Throws: `Realm.Error.invalidDatabase` when the file is damaged.
    public func statistics() throws -> Statistics {
        instance.checkThread()
        let found: StorageStatistics
        do {
            found = try instance.coordinator.store.statistics()
        } catch {
            throw Error(error, fileURL: configuration.fileURL)
        }
        return Statistics(
            sizeBytes: found.sizeBytes, usedBytes: found.usedBytes, freeBytes: found.freeBytes,
            pinnedBytes: found.pinnedBytes,
            oldestSnapshot: found.oldestSnapshot.map {
                Snapshot(commitsBehind: Int(clamping: $0.commitsBehind), processID: Int($0.processID))
            })
    }
}
