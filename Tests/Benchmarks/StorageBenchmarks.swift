import CausewayMeasuring
import CausewayStorage
import Foundation

/// The storage by itself, called as the product calls it, beside LMDB and SQLite.
struct StorageBenchmarks {
    let folder: URL
    let smoke: Bool
    static let group = "storage"
    static let tree: UInt32 = 20

    var runs: Int { smoke ? 1 : 5 }
    /// How many entries the trees have.
    var entries: Int { smoke ? 20_000 : 1_000_000 }

    @MainActor
    func run(_ report: @MainActor ([Row]) -> Void) async throws {
        report(try durableCommits())
        report(try shapes())
        report(try await groupedCommits())
        report(try writersTogether())
        report(try unsyncedCommits())
        report(try snapshots())
        report(try leafReads())
        report(try treeReads())
        report(try inserts())
        report(try bulkLoad())
        report(try opening())
        report(try encryption())
    }

    // MARK: - One storage

    static let encryptionKey = (0..<64).map { UInt8($0) }

    func open(_ name: String, isEncrypted: Bool = false) throws -> any Storage {
        try StorageRegistry.shared.open(
            path: path(name), options: StorageOptions(encryptionKey: isEncrypted ? Self.encryptionKey : nil))
    }

    func path(_ name: String) -> String { folder.appendingPathComponent("storage-" + name).path }

    func file(_ name: String) -> URL { folder.appendingPathComponent("storage-" + name) }

    func remove(_ name: String) {
        for ending in ["", "-lock"] { try? FileManager.default.removeItem(atPath: path(name) + ending) }
    }

    /// Fills a storage with one entry of eight bytes for each of some numbers.
    func fill(_ storage: any Storage, _ count: Int) throws {
        let writer = try storage.write()
        for number in 0..<UInt64(count) { Self.put(number, number, to: writer) }
        _ = try writer.commit(.durable)
    }

    static func put(_ key: UInt64, _ value: UInt64, to writer: any StorageWriter) {
        withUnsafeBytes(of: key.bigEndian) { key in
            withUnsafeBytes(of: value) { writer.put(tree: tree, key: key, value: $0) }
        }
    }

    static func commit(_ key: UInt64, _ value: UInt64, to storage: any Storage, _ durability: Durability) throws {
        let writer = try storage.write()
        put(key, value, to: writer)
        _ = try writer.commit(durability)
    }
}
