import CausewayModel
import CausewayOperations
import CausewayStore

/// Gathers several versions into one history.
struct Gathering {
    private let client: ClientID
    /// In the order in which they were touched first, which mostly is that of their names.
    private var touched: [TouchedRow] = []
    /// The places of their names are theirs.
    private var names = NamePlaces()
    /// Per class, ascending and without overlap: a row is born plainly once.
    private var births: [Int: [Births]] = [:]
    private var authors: Set<ClientID> = []
    private var lastAuthor: ClientID?
    /// The memory of all entries.
    private var entry = RecordReader.Entry()
    /// Authors that are noted, each at a place that follows from its number.
    private var recentAuthors: [ClientID?] = []

    init(for client: ClientID) {
        self.client = client
    }

    /// - Parameters:
    ///   - reader: at the beginning of the record.
    ///   - bytes: of the record.
    mutating func add(
        _ reader: inout RecordReader, _ bytes: [UInt8], at version: ServerVersion
    ) throws(EncodingError) {
        let own = reader.client == client && client != .nobody
        note(author: reader.client)
        while let birth = try reader.nextBirth() { add(birth, own) }
        var number: UInt32 = 0
        while try reader.next(&entry) {
            try add(bytes, ImageReference(version: version, number: number), own)
            number += 1
        }
    }

    /// Few clients write most of what one range has.
    private mutating func note(author: ClientID) {
        if author == lastAuthor { return }
        lastAuthor = author
        guard authors.count >= Self.recentAuthorsMin else {
            authors.insert(author)
            return
        }
        if recentAuthors.isEmpty { recentAuthors = Array(repeating: nil, count: Self.recentAuthorsMax) }
        let place = Int(truncatingIfNeeded: author.rawValue) & (Self.recentAuthorsMax - 1)
        if recentAuthors[place] == author { return }
        recentAuthors[place] = author
        authors.insert(author)
    }

    private static let recentAuthorsMin = 4
    /// A power of two.
    private static let recentAuthorsMax = 256

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

    private mutating func add(
        _ bytes: [UInt8], _ image: ImageReference, _ own: Bool
    ) throws(EncodingError) {
        let known = names.place(of: bytes, entry.name)
        if known < touched.count {
            // Changed in place: every version may touch one object, and its images are not copied for each.
            try touched[known].add(entry, bytes, image, own)
            return
        }
        let name = try entry.name(in: bytes)
        var new = TouchedRow(
            name: name, existed: entry.flags.before != .absent, images: entry.flags.before == .image ? [image] : [],
            columns: entry.columns, byOthers: !own, byClient: own,
            effective: own ? entry.flags.contains(.effective) : true,
            livesDiffer: own && entry.flags.contains(.livesDiffer), root: try entry.root(in: bytes))
        try new.addEdits(entry, bytes, image, own)
        if let row = entry.rowIfAny, let byClient = takeOut(row, name.classNumber) {
            new.existed = false
            new.images = []
            new.byOthers = new.byOthers || !byClient
            new.byClient = new.byClient || byClient
        }
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
    fileprivate mutating func add(
        _ entry: borrowing RecordReader.Entry, _ bytes: [UInt8], _ image: ImageReference, _ own: Bool
    ) throws(EncodingError) {
        if existed, entry.flags.before == .image { images.append(image) }
        columns.formUnion(entry.columns)
        byOthers = byOthers || !own
        byClient = byClient || own
        if own {
            effective = effective && entry.flags.contains(.effective)
            livesDiffer = livesDiffer || entry.flags.contains(.livesDiffer)
        }
        if root == nil, entry.flags.contains(.hasRoot) { root = try entry.root(in: bytes) }
        try addEdits(entry, bytes, image, own)
    }

    fileprivate mutating func addEdits(
        _ entry: borrowing RecordReader.Entry, _ bytes: [UInt8], _ image: ImageReference, _ own: Bool
    ) throws(EncodingError) {
        guard let edits = try entry.edits(in: bytes) else {
            unkept.formUnion(entry.columns)
            return
        }
        var kept = edits.edited
        if own { kept.subtract(edits.altered) }
        var columns = entry.columns
        columns.subtract(kept)
        unkept.formUnion(columns)
        guard !kept.isEmpty else { return }
        self.edits.append(
            EditsReference(version: image.version, number: image.number, columns: kept, byClient: own))
    }
}
