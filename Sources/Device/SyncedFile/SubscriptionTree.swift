package import CausewayObjectStore
package import CausewayOperations
package import CausewayWire

/// The subscriptions of a file, within one transaction of it.
///
/// Tree `sync.subscriptions`:
///
///     key 00                       the newest set
///     key 01, version big-endian   the queries of that version, kept from the version held on
package struct SubscriptionTree {
    private let tree: Tree

    private static let newestKey: [UInt8] = [0]

    package init(_ transaction: Transaction) {
        tree = transaction.tree("sync.subscriptions")
    }

    private static func queriesKey(_ version: UInt64) -> [UInt8] {
        [1] + withUnsafeBytes(of: version.bigEndian) { Array($0) }
    }

    package func newest() throws(EncodingError) -> SubscriptionSetRecord {
        guard let bytes = tree.get(Self.newestKey) else { return SubscriptionSetRecord() }
        return try SubscriptionSetRecord(encoded: bytes)
    }

    /// The queries of one version; empty for version zero, and for one that is not kept.
    package func queries(_ version: UInt64) throws(EncodingError) -> QuerySet {
        guard let bytes = tree.get(Self.queriesKey(version)) else { return QuerySet(version: version, queries: []) }
        return try QuerySet(encodedForFile: bytes)
    }

    /// Removes all versions.
    package func clear() {
        tree.removeRange()
    }

    /// Stores a new version, to be sent to the server.
    package func store(_ record: SubscriptionSetRecord) {
        tree.put(Self.newestKey, record.encoded())
        tree.put(Self.queriesKey(record.version), record.querySet.encodedForFile())
    }

    /// Notes that the file holds exactly what this version's queries match, and removes older versions.
    func reached(_ version: UInt64) throws(EncodingError) {
        guard version > 0 else { return }
        var record = try newest()
        if record.version == version, record.state != .complete {
            record.state = .complete
            tree.put(Self.newestKey, record.encoded())
        }
        tree.removeRange(from: Self.queriesKey(0), upTo: Self.queriesKey(version))
    }

    /// Notes that the server refuses this version. Returns whether it is still the newest, so that the app should hear
    /// of it.
    func refused(_ version: UInt64, _ message: String) throws(EncodingError) -> Bool {
        var record = try newest()
        guard record.version == version else { return false }
        record.state = .error(message)
        tree.put(Self.newestKey, record.encoded())
        return true
    }
}
