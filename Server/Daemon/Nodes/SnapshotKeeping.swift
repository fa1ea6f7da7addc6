import CausewayEndpoint
import CausewayJournal
import CausewayJournalPostgreSQL
import CausewayStore
import CausewayStoreEmbedded
import CausewayStoreReplicated
import Foundation
import Logging
import ServiceLifecycle

/// Keeps snapshots of replicas in the journal, from which new nodes begin, and removes what lies behind them. Of several nodes the
/// first one that comes does it.
struct SnapshotKeeping: Service {
    let journal: Configuration.Journal
    let tenants: Tenants
    let logger: Logger

    private static let lookSeconds = 30

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(Self.lookSeconds))
                for tenant in tenants.all where !Task.isCancelled { await keep(tenant) }
            }
        }
    }

    private func keep(_ tenant: Tenant) async {
        guard let node = tenant.node, node.record.end == nil, tenant.uses.begin() else { return }
        defer { tenant.uses.end() }
        do throws(StoreFailure) {
            let facts = try await tenant.atLeisure { () throws(StoreFailure) in
                try node.keepSnapshot(every: UInt64(journal.snapshotEntries), days: journal.days)
            }
            guard let facts else { return }
            logger.info(
                "a snapshot is in the journal",
                metadata: [
                    "database": "\(tenant.name)", "position": "\(facts.snapshot.position)",
                    "bytes": "\(facts.snapshot.sizeBytes)", "entriesRemoved": "\(facts.removed)",
                ])
        } catch {
            // The journal is followed all the time, which says so when it is away.
            logger.log(
                level: node.answers ? .error : .debug, "no snapshot could be kept: \(error.message)",
                metadata: ["database": "\(tenant.name)"])
        }
    }
}

extension ServedNode {
    struct SnapshotFacts: Sendable {
        var snapshot: JournalSnapshot
        /// Entries.
        var removed = 0
    }

    /// Keeps a snapshot, if so many entries came since the newest one.
    ///
    /// - Returns: nil when none was due, or another node is about to make one.
    func keepSnapshot(every entries: UInt64, days: Int) throws(StoreFailure) -> SnapshotFacts? {
        do throws(JournalFailure) {
            let newest = try journal.snapshots().first?.position ?? 0
            guard record.position >= newest + entries else { return nil }
            let folder = FileManager.default.temporaryDirectory.appending(
                path: "causeway-snapshot-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            let snapshot = try journal.keepSnapshot {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try replica.copy(toFolder: folder.path)
                let copy = try StoreEmbedded.openReplica(folder: folder.path, of: replica.epoch)
                defer { copy.close() }
                return (DatabaseFolder(folder.path).objectsPath, try copy.mark)
            }
            guard var facts = snapshot.map({ SnapshotFacts(snapshot: $0) }) else { return nil }
            while case let removed = try journal.forget(keepingDays: days), removed > 0 { facts.removed += removed }
            return facts
        } catch {
            throw StoreFailure(.busy, error.message)
        }
    }
}
