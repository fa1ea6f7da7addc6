import CausewayJournal
import CausewayModel
import CausewayObjectStore
import CausewayStorage
import CausewayStore

// What a record needs before it is used: done at its first opening, and after an earlier build has written it.

extension StoreEmbedded {
    /// Names a new record. Counts the objects of users in one that an earlier build wrote last.
    static func prepare(_ store: ObjectStore, epochSeed: UInt64, isReplica: Bool) throws(StoreFailure) {
        precondition(epochSeed != 0, "Epoch zero stands for a device that knows no server yet.")
        guard try !isPrepared(store, isReplica: isReplica) else { return }
        let writing: Transaction
        do {
            writing = try store.write()
        } catch {
            throw StoreFailure(error)
        }
        defer { writing.end() }
        do throws(StoreFailure) {
            var meta = Meta(in: writing)
            if meta.epoch == 0 {
                meta.epoch = epochSeed
                if isReplica { JournalMark.beginning(of: epochSeed).save(in: writing) }
            }
            if meta.counted != meta.version || meta.version == .zero {
                CreatorTree(in: writing).replace(by: try CreatorCensus.objects(in: writing))
            }
            meta.save(in: writing, isReplica: isReplica)
        } catch {
            writing.abort()
            throw error
        }
        do {
            _ = try writing.commit(.durable)
        } catch {
            throw StoreFailure(error)
        }
    }

    private static let isOfAnApp = StoreFailure(
        .fault,
        "The file was written by an app or by the tool 'causeway', and not by a server: its objects have no history, which devices "
            + "are sent. Move it away, and the server begins with an empty database. Objects come into that with `causeway import` "
            + "into the synced file of a device, or with the data API. The file was not changed.")

    /// - Throws: for a record that a newer build has written, and for a file that no server has.
    private static func isPrepared(_ store: ObjectStore, isReplica: Bool) throws(StoreFailure) -> Bool {
        let meta: Meta
        let hasObjectsOfAnApp: Bool
        do throws(StoreError) {
            let reading = try store.read()
            defer { reading.end() }
            meta = Meta(in: reading)
            hasObjectsOfAnApp = meta.epoch == 0 && !reading.schema.classes.isEmpty
        } catch {
            throw StoreFailure(error)
        }
        guard !hasObjectsOfAnApp else { throw Self.isOfAnApp }
        if isReplica {
            guard meta.epoch == 0 || meta.form == Meta.formOfReplica else { throw notReplica }
            return meta.epoch != 0
        }
        guard meta.form != Meta.formOfReplica else { throw Self.isReplica }
        guard meta.form <= Meta.formNewest else {
            throw StoreFailure(
                .fault,
                "The database was written by a newer sync-server: its record has form \(meta.form), and this program knows "
                    + "\(Meta.formNewest) at most. Start the newer program, or restore a backup that this one made. The file "
                    + "was not changed.")
        }
        return meta.epoch != 0 && meta.counted == meta.version && meta.form == Meta.formNewest
    }
}
