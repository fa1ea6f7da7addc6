import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// The history of versions, as one transaction sees it.
struct HistoryTree {
    let transaction: Transaction

    init(in transaction: Transaction) {
        self.transaction = transaction
    }

    // MARK: - Writing

    /// - Parameters:
    ///   - images: encoded images that are not in the record, ascending by the numbers of their entries.
    ///   - edits: encoded edits, ascending by the numbers of their entries and by column.
    func append(
        _ record: HistoryRecord, images: [(number: Int, bytes: [UInt8])],
        edits: [(number: Int, column: Int, bytes: [UInt8])] = [], at version: ServerVersion, _ meta: inout Meta
    ) {
        var record = record
        record.time = meta.received
        var size = 0
        let tree = transaction.tree(Layout.images)
        for (number, bytes) in images {
            size += bytes.count + 12
            tree.put(Layout.image(version, UInt32(number)), bytes)
        }
        for (number, column, bytes) in edits {
            size += bytes.count + 16
            transaction.tree(Layout.edits).put(Layout.edits(version, UInt32(number), column), bytes)
        }
        size += record.entries.reduce(0) { $0 + ($1.smallImage?.count ?? 0) }
        record.sizeBytes = UInt64(size + 16 * (record.births.count + record.entries.count) + 32)
        transaction.tree(Layout.history).put(Layout.record(version), record.encoded())
        meta.historyBytes += record.sizeBytes
        if meta.oldestTime == 0 { meta.oldestTime = record.time }
    }

    /// Removes the oldest versions until the history is within its bounds, but no more than `versionsMax` at once:
    /// after a long pause the rest goes with the commits that follow.
    func trim(_ options: StoreEmbedded.Options, versionsMax: Int, _ meta: inout Meta) throws(StoreFailure) {
        var trimmed = 0
        while trimmed < versionsMax, meta.historyStart < meta.version, options.areExceeded(by: meta) {
            trimmed += 1
            let oldest = ServerVersion(meta.historyStart.rawValue + 1)
            let record = try self.record(oldest)
            try ForgottenEnds.forget(record.entries.lazy.map(\.name), touchedBy: oldest, in: transaction)
            meta.historyBytes -= min(record.sizeBytes, meta.historyBytes)
            meta.historyStart = oldest
            meta.oldestTime =
                oldest < meta.version
                ? meta.whenReceived(try self.record(ServerVersion(oldest.rawValue + 1)).time) : 0
        }
        guard trimmed > 0 else { return }
        // At once: each removal goes over all that this transaction has removed before. And from the beginning: an older build,
        // which does not know of edits, may have left some.
        for tree in [Layout.history, Layout.images, Layout.edits] {
            transaction.tree(tree).removeRange(upTo: Layout.bytes(meta.historyStart.rawValue + 1))
        }
    }

    /// How many versions one commit removes beyond twice those that it adds.
    static let trimmedAtOnce = 128

    // MARK: - Reading

    func record(_ version: ServerVersion) throws(StoreFailure) -> HistoryRecord {
        guard let record = try recordIfKept(version) else { throw Self.missing(version) }
        return record
    }

    /// Nil for a version that the history no longer has.
    func recordIfKept(_ version: ServerVersion) throws(StoreFailure) -> HistoryRecord? {
        guard let bytes = try bytes(of: version) else { return nil }
        return try Self.readable(Layout.history) { () throws(EncodingError) in try HistoryRecord(bytes) }
    }

    private func bytes(of version: ServerVersion) throws(StoreFailure) -> [UInt8]? {
        let history = transaction.tree(Layout.history)
        if let bytes = history.get(Layout.record(version)) { return bytes }
        guard let bytes = history.get(Layout.earlierRecord(version)) else { return nil }
        return try Self.readable(Layout.history) { () throws(EncodingError) in
            try EarlierRecord.read(bytes).encoded()
        }
    }

    private static func missing(_ version: ServerVersion) -> StoreFailure {
        StoreFailure(missing: "version \(version.rawValue)", Layout.history)
    }

    /// What is decoded of an entry; if it cannot be, its tree is damaged.
    private static func readable<Decoded>(
        _ tree: String, _ decode: () throws(EncodingError) -> Decoded
    ) throws(StoreFailure) -> Decoded {
        do {
            return try decode()
        } catch {
            throw StoreFailure(damaged: tree, error)
        }
    }

    func image(_ reference: ImageReference, _ catalog: RecordCatalog) throws(StoreFailure) -> ObjectState {
        try sizedImage(reference, catalog).image
    }

    /// An image, and how many bytes it has.
    func sizedImage(
        _ reference: ImageReference, _ catalog: RecordCatalog
    ) throws(StoreFailure) -> (image: ObjectState, sizeBytes: Int) {
        if let small = try smallImage(reference) { return (try small.decoded(catalog), small.bytes.count) }
        let bytes = try imageBytes(reference)
        let image = try Self.readable(Layout.images) { () throws(EncodingError) in try ObjectState(encoded: bytes) }
        return (image, bytes.count)
    }

    func imageFields(_ reference: ImageReference, _ catalog: RecordCatalog) throws(StoreFailure) -> ObjectState {
        if let small = try smallImage(reference) { return try small.decoded(catalog) }
        let bytes = try imageBytes(reference)
        return try Self.readable(Layout.images) { () throws(EncodingError) in try ObjectState(fieldsOf: bytes) }
    }

    func life(in reference: ImageReference) throws(StoreFailure) -> UInt32 {
        if let small = try smallImage(reference) {
            return try Self.readable(Layout.history) { () throws(EncodingError) in try SmallImage.life(small.bytes) }
        }
        let bytes = try imageBytes(reference)
        return try Self.readable(Layout.images) { () throws(EncodingError) in try ObjectState.life(encoded: bytes) }
    }

    private struct FoundImage {
        var classNumber: Int
        var bytes: [UInt8]

        func decoded(_ catalog: RecordCatalog) throws(StoreFailure) -> ObjectState {
            try HistoryTree.readable(Layout.history) { () throws(EncodingError) in
                try SmallImage.decoded(bytes) { catalog.property($0, ofClass: classNumber) }
            }
        }
    }

    /// Nil for an image that is in the tree of images.
    private func smallImage(_ reference: ImageReference) throws(StoreFailure) -> FoundImage? {
        guard let bytes = transaction.tree(Layout.history).get(Layout.record(reference.version)) else { return nil }
        return try Self.readable(Layout.history) { () throws(EncodingError) in
            var reader = try RecordReader(bytes)
            let births = reader.birthsLeft
            guard SmallImage.mayBeIn(births: births, entries: 0) else { return nil }
            while try reader.nextBirth() != nil {}
            guard SmallImage.mayBeIn(births: births, entries: reader.entriesLeft) else { return nil }
            var (entry, number) = (RecordReader.Entry(), UInt32(0))
            while try reader.next(&entry) {
                if number == reference.number {
                    return try entry.smallImage(in: bytes)
                        .map { image throws(EncodingError) in
                            FoundImage(classNumber: try entry.name(in: bytes).classNumber, bytes: image)
                        }
                }
                number += 1
            }
            return nil
        }
    }

    private func imageBytes(_ reference: ImageReference) throws(StoreFailure) -> [UInt8] {
        guard let bytes = transaction.tree(Layout.images).get(Layout.image(reference.version, reference.number)) else {
            throw StoreFailure(
                missing: "image \(reference.number) of version \(reference.version.rawValue)", Layout.images)
        }
        return bytes
    }

    /// Nil where the version does not keep what it did to the column.
    func edits(_ reference: EditsReference, of column: Int) throws(StoreFailure) -> KeptEdits? {
        let key = Layout.edits(reference.version, reference.number, column)
        guard let bytes = transaction.tree(Layout.edits).get(key) else { return nil }
        return try Self.readable(Layout.edits) { () throws(EncodingError) in try KeptEdits(encoded: bytes) }
    }

    /// The commits after a version as one history: each object once. Versions that no client made belong to others, also
    /// for `nobody`.
    func gather(
        after start: ServerVersion, through end: ServerVersion, for client: ClientID, _ pace: Pace
    ) throws(StoreFailure) -> History {
        var gathering = Gathering(for: client)
        var (version, entries, checkedAt) = (start, 0, 0)
        try forEachRecord(after: start, through: end) { next, bytes throws(StoreFailure) in
            version = next
            var reader: RecordReader
            do throws(EncodingError) {
                reader = try RecordReader(bytes)
            } catch {
                throw StoreFailure(damaged: Layout.history, error)
            }
            entries += max(reader.entriesLeft + reader.birthsLeft, 1)
            if entries >= checkedAt || entries > pace.objectsMax {
                try pace.check(entries)
                checkedAt = entries + Self.entriesBetweenChecks
            }
            do throws(EncodingError) {
                try gathering.add(&reader, bytes, at: next)
            } catch {
                throw StoreFailure(damaged: Layout.history, error)
            }
        }
        guard version >= end else { throw Self.missing(ServerVersion(version.rawValue + 1)) }
        return gathering.history
    }

    /// Visits the versions of a range in their order, and ends before one that is missing.
    private func forEachRecord(
        after start: ServerVersion, through end: ServerVersion,
        _ body: (ServerVersion, [UInt8]) throws(StoreFailure) -> Void
    ) throws(StoreFailure) {
        guard start < end else { return }
        var (version, failure) = (start.rawValue, StoreFailure?.none)
        // The same memory for all of them.
        var bytes: [UInt8] = []
        transaction.tree(Layout.history).scan(
            from: Layout.bytes(start.rawValue + 1), upTo: end.rawValue < .max ? Layout.bytes(end.rawValue + 1) : nil
        ) { key, value in
            version += 1
            guard let found = Layout.versionOfRecord(key), found.rawValue == version else { return false }
            bytes.removeAll(keepingCapacity: true)
            bytes.append(contentsOf: value)
            do throws(StoreFailure) {
                if Layout.isEarlierRecord(key) {
                    bytes = try Self.readable(Layout.history) { () throws(EncodingError) in
                        try EarlierRecord.read(bytes).encoded()
                    }
                }
                try body(found, bytes)
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }

    /// How many objects are gone over between two looks at the clock.
    private static let entriesBetweenChecks = 64
}

extension StoreEmbedded.Options {
    /// Whether the history exceeds its bounds. The time is that of the newest receipt, by a clock that is believed.
    fileprivate func areExceeded(by meta: Meta) -> Bool {
        meta.version.rawValue - meta.historyStart.rawValue > historyVersionsMax || meta.historyBytes > historyBytesMax
            || meta.received > meta.oldestTime && meta.received - meta.oldestTime > historyAgeMaxMilliseconds
    }
}
