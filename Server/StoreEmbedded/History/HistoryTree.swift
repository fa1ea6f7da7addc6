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
    ///   - images: encoded images, ascending by the numbers of their entries.
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
        record.sizeBytes = UInt64(size + 16 * (record.births.count + record.entries.count) + 32)
        transaction.tree(Layout.history).put(Layout.bytes(version.rawValue), record.encoded())
        meta.historyBytes += record.sizeBytes
        if meta.oldestTime == 0 { meta.oldestTime = record.time }
    }

    /// Removes the oldest versions until the history is within its bounds, but no more than `versionsMax` at once:
    /// after a long pause the rest goes with the commits that follow.
    func trim(_ options: StoreEmbedded.Options, versionsMax: Int, _ meta: inout Meta) throws(StoreFailure) {
        let history = transaction.tree(Layout.history)
        var trimmed = 0
        while trimmed < versionsMax, meta.historyStart < meta.version, options.areExceeded(by: meta) {
            trimmed += 1
            let oldest = ServerVersion(meta.historyStart.rawValue + 1)
            let record = try self.record(oldest)
            try ForgottenEnds.forget(record.entries.lazy.map(\.name), touchedBy: oldest, in: transaction)
            history.remove(Layout.bytes(oldest.rawValue))
            meta.historyBytes -= min(record.sizeBytes, meta.historyBytes)
            meta.historyStart = oldest
            meta.oldestTime =
                oldest < meta.version
                ? meta.whenReceived(try self.record(ServerVersion(oldest.rawValue + 1)).time) : 0
        }
        guard trimmed > 0 else { return }
        // At once: each removal goes over all that this transaction has removed before. And from the beginning: an older build,
        // which does not know of edits, may have left some.
        for tree in [Layout.images, Layout.edits] {
            transaction.tree(tree).removeRange(upTo: Layout.bytes(meta.historyStart.rawValue + 1))
        }
    }

    /// How many versions one commit removes beyond twice those that it adds.
    static let trimmedAtOnce = 128

    // MARK: - Reading

    func record(_ version: ServerVersion) throws(StoreFailure) -> HistoryRecord {
        try Self.record(bytes(of: version))
    }

    /// Nil for a version that the history no longer has.
    func recordIfKept(_ version: ServerVersion) throws(StoreFailure) -> HistoryRecord? {
        guard let bytes = transaction.tree(Layout.history).get(Layout.bytes(version.rawValue)) else { return nil }
        return try Self.record(bytes)
    }

    private func bytes(of version: ServerVersion) throws(StoreFailure) -> [UInt8] {
        guard let bytes = transaction.tree(Layout.history).get(Layout.bytes(version.rawValue)) else {
            throw StoreFailure(missing: "version \(version.rawValue)", Layout.history)
        }
        return bytes
    }

    private static func record(_ bytes: [UInt8]) throws(StoreFailure) -> HistoryRecord {
        try readable(Layout.history) { () throws(EncodingError) in try HistoryRecord(bytes) }
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

    func image(_ reference: ImageReference) throws(StoreFailure) -> ObjectState {
        try sizedImage(reference).image
    }

    func imageFields(_ reference: ImageReference) throws(StoreFailure) -> ObjectState {
        let bytes = try imageBytes(reference)
        return try Self.readable(Layout.images) { () throws(EncodingError) in try ObjectState(fieldsOf: bytes) }
    }

    func life(in reference: ImageReference) throws(StoreFailure) -> UInt32 {
        let bytes = try imageBytes(reference)
        return try Self.readable(Layout.images) { () throws(EncodingError) in try ObjectState.life(encoded: bytes) }
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

    /// An image, and how many bytes it has.
    func sizedImage(_ reference: ImageReference) throws(StoreFailure) -> (image: ObjectState, sizeBytes: Int) {
        let bytes = try imageBytes(reference)
        let image = try Self.readable(Layout.images) { () throws(EncodingError) in try ObjectState(encoded: bytes) }
        return (image, bytes.count)
    }

    /// The commits after a version as one history: each object once. Versions that no client made belong to others, also
    /// for `nobody`.
    func gather(
        after start: ServerVersion, through end: ServerVersion, for client: ClientID, _ pace: Pace
    ) throws(StoreFailure) -> History {
        var gathering = Gathering()
        // One record for all, so that its arrays are made once.
        var record = HistoryRecord(client: .nobody)
        var (version, entries, checkedAt) = (start, 0, 0)
        try forEachRecord(after: start, through: end) { next, bytes throws(StoreFailure) in
            version = next
            entries += max(bytes.count / Self.bytesOfEntry, 1)
            if entries >= checkedAt || entries > pace.objectsMax {
                try pace.check(entries)
                checkedAt = entries + Self.entriesBetweenChecks
            }
            try Self.readable(Layout.history) { () throws(EncodingError) in try record.replace(by: bytes) }
            gathering.add(record, at: next, isOwn: { $0 == client && client != .nobody })
        }
        guard version >= end else {
            throw StoreFailure(missing: "version \(version.rawValue + 1)", Layout.history)
        }
        return gathering.history
    }

    /// Visits the versions of a range in their order, and ends before one that is missing.
    private func forEachRecord(
        after start: ServerVersion, through end: ServerVersion,
        _ body: (ServerVersion, [UInt8]) throws(StoreFailure) -> Void
    ) throws(StoreFailure) {
        guard start < end else { return }
        var (version, failure) = (start.rawValue, StoreFailure?.none)
        transaction.tree(Layout.history).scan(
            from: Layout.bytes(start.rawValue + 1), upTo: end.rawValue < .max ? Layout.bytes(end.rawValue + 1) : nil
        ) { key, value in
            version += 1
            guard key.count == 8, UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) == version else { return false }
            do throws(StoreFailure) {
                try body(ServerVersion(version), Array(value))
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

    /// About how many bytes an object takes in the record of a version.
    private static let bytesOfEntry = 8
}

extension StoreEmbedded.Options {
    /// Whether the history exceeds its bounds. The time is that of the newest receipt, by a clock that is believed.
    fileprivate func areExceeded(by meta: Meta) -> Bool {
        meta.version.rawValue - meta.historyStart.rawValue > historyVersionsMax || meta.historyBytes > historyBytesMax
            || meta.received > meta.oldestTime && meta.received - meta.oldestTime > historyAgeMaxMilliseconds
    }
}

/// Gathers several versions into one history.
private struct Gathering {
    /// In the order in which they were touched first, which mostly is that of their names.
    private var touched: [TouchedRow] = []
    private var places: [ObjectName: Int] = [:]
    /// Per class, ascending and without overlap: a row is born plainly once.
    private var births: [Int: [Births]] = [:]
    private var authors: Set<ClientID> = []
    private var lastAuthor: ClientID?

    mutating func add(_ record: HistoryRecord, at version: ServerVersion, isOwn: (ClientID) -> Bool) {
        let own = isOwn(record.client)
        if record.client != lastAuthor {
            authors.insert(record.client)
            lastAuthor = record.client
        }
        for birth in record.births { add(birth, own) }
        for number in record.entries.indices {
            add(record.entries[number], ImageReference(version: version, number: UInt32(number)), own)
        }
    }

    private mutating func add(_ birth: HistoryRecord.Birth, _ own: Bool) {
        var runs = births[birth.classNumber] ?? []
        births[birth.classNumber] = nil
        defer { births[birth.classNumber] = runs }
        if let last = runs.last, last.byClient == own,
            last.keys.upperBound.rawValue + 1 == birth.keys.lowerBound.rawValue
        {
            runs[runs.count - 1].keys = last.keys.lowerBound...birth.keys.upperBound
            return
        }
        let run = Births(classNumber: birth.classNumber, keys: birth.keys, byClient: own)
        runs.insert(run, at: Self.index(of: birth.keys.lowerBound, in: runs))
    }

    private mutating func add(_ entry: HistoryRecord.Entry, _ image: ImageReference, _ own: Bool) {
        if let known = places[entry.name] {
            // Changed in place: every version may touch one object, and its images are not copied for each.
            touched[known].add(entry, image, own)
            return
        }
        var new = TouchedRow(
            name: entry.name, existed: entry.before != .absent, images: entry.before == .image ? [image] : [],
            columns: entry.columns, byOthers: !own, byClient: own, effective: own ? entry.effective : true,
            livesDiffer: own && entry.livesDiffer, root: entry.root)
        new.addEdits(entry, image, own)
        if let row = entry.row, let byClient = takeOut(row, entry.name.classNumber) {
            new.existed = false
            new.images = []
            new.byOthers = new.byOthers || !byClient
            new.byClient = new.byClient || byClient
        }
        places[entry.name] = touched.count
        touched.append(new)
    }

    /// Makes a row that was created in the range and is touched again a touched one.
    ///
    /// - Returns: whether the client made it; nil for a row that was not created in the range.
    private mutating func takeOut(_ row: ObjectKey, _ classNumber: Int) -> Bool? {
        guard let index = births[classNumber].flatMap({ Self.index(ofRunWith: row, in: $0) }) else { return nil }
        // The runs have no other reference here, so that they are not copied for each row.
        births[classNumber]?[index].without.append(row)
        return births[classNumber]?[index].byClient
    }

    private static func index(ofRunWith row: ObjectKey, in runs: [Births]) -> Int? {
        let index = index(of: row, in: runs)
        return index < runs.count && runs[index].keys.contains(row) ? index : nil
    }

    /// The first run that does not end before the row.
    private static func index(of row: ObjectKey, in runs: [Births]) -> Int {
        if let last = runs.last, last.keys.upperBound < row { return runs.count }
        return runs.partitioningIndex { $0.keys.upperBound >= row }
    }

    var history: History {
        History(
            touched: touched.sorted { $0.name < $1.name },
            births: births.sorted { $0.key < $1.key }.flatMap { _, runs in
                runs.map { run in
                    var run = run
                    run.without.sort()
                    return run
                }
            }, authors: authors)
    }
}

extension TouchedRow {
    /// Adds a later version that touched it as well.
    fileprivate mutating func add(_ entry: HistoryRecord.Entry, _ image: ImageReference, _ own: Bool) {
        if existed, entry.before == .image { images.append(image) }
        columns.formUnion(entry.columns)
        byOthers = byOthers || !own
        byClient = byClient || own
        if own { effective = effective && entry.effective }
        livesDiffer = livesDiffer || own && entry.livesDiffer
        root = root ?? entry.root
        addEdits(entry, image, own)
    }

    fileprivate mutating func addEdits(_ entry: HistoryRecord.Entry, _ image: ImageReference, _ own: Bool) {
        var kept = entry.edited
        if own { kept.subtract(entry.altered) }
        var columns = entry.columns
        columns.subtract(kept)
        unkept.formUnion(columns)
        guard !kept.isEmpty else { return }
        edits.append(
            EditsReference(version: image.version, number: image.number, columns: kept, byClient: own))
    }
}
