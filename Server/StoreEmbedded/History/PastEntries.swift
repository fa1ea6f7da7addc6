import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// What the history says of deleted objects, for lookups within one commit.
///
/// A record of the history is read whole, and names every object of its version: a few bytes of an upload can ask for
/// records of millions. So what is read serves the whole commit, and each user has a budget for all of the uploads in
/// it, however small they are.
final class PastEntries {
    private let tree: HistoryTree
    private let readMax: Int
    private var records: [ServerVersion: [ObjectName: Place]] = [:]
    private var entriesKept = 0
    private var left: ExactDictionary<Int> = [:]
    /// How many entries were read; an image counts by its bytes.
    private(set) var entriesRead = 0

    /// An image counts as one entry, and as one more for each so many of its bytes.
    static let imageBytesOfEntry = 64
    /// When more entries are kept than this, all are dropped.
    static let keptMax = 100_000

    /// An entry of the history with its number.
    struct Place {
        var entry: HistoryRecord.Entry
        var number: UInt32
    }

    /// - Parameter readMax: `StoreEmbedded.Options.pastEntriesMax`.
    init(in transaction: Transaction, readMax: Int) {
        tree = HistoryTree(in: transaction)
        self.readMax = readMax
    }

    /// What a version did to an object; nil where the history no longer has the version, or the user's budget is spent.
    func place(of name: ObjectName, in version: ServerVersion, for user: String) throws(StoreFailure) -> Place? {
        if let known = records[version] { return known[name] }
        guard mayRead(user), let read = try tree.recordIfKept(version) else { return nil }
        charge(read.entries.count + read.births.count + 1, user)
        var entries: [ObjectName: Place] = [:]
        entries.reserveCapacity(read.entries.count)
        for (number, entry) in read.entries.enumerated() {
            entries[entry.name] = Place(entry: entry, number: UInt32(number))
        }
        if entriesKept + entries.count > Self.keptMax {
            records = [:]
            entriesKept = 0
        }
        records[version] = entries
        entriesKept += entries.count
        return entries[name]
    }

    /// The image of an object; nil when the user's budget is spent.
    func image(
        _ reference: ImageReference, _ catalog: RecordCatalog, for user: String
    ) throws(StoreFailure) -> ObjectState? {
        guard mayRead(user) else { return nil }
        let (image, sizeBytes) = try tree.sizedImage(reference, catalog)
        charge(1 + sizeBytes / Self.imageBytesOfEntry, user)
        return image
    }

    private func mayRead(_ user: String) -> Bool { left[user, default: readMax] > 0 }

    private func charge(_ entries: Int, _ user: String) {
        left[user, default: readMax] -= entries
        entriesRead += entries
    }
}
