import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// What the trees beside the tables keep of one class. They name the class by its number and a property by its column.
struct ClassRecords {
    let transaction: Transaction
    let number: Int

    init(of number: Int, in transaction: Transaction) {
        self.transaction = transaction
        self.number = number
    }

    /// The trees whose keys are a class number, a column and a row.
    private static let treesByColumn = [Layout.lists, Layout.counters, Layout.marked, Layout.folded]
    /// The trees of stamps, and how many bytes are before the stamps in their values.
    private static let treesOfStamps = [(Layout.stamps, 0), (Layout.births, MemoryLayout<UInt64>.size)]

    private var prefix: [UInt8] { Layout.bytes(UInt32(truncatingIfNeeded: number)) }
    private var prefixEnd: [UInt8] { Layout.bytes(UInt32(truncatingIfNeeded: number + 1)) }

    func removeAll() {
        for tree in Self.treesByColumn + [Layout.stamps, Layout.births, Layout.ends] {
            transaction.tree(tree).removeRange(from: prefix, upTo: prefixEnd)
        }
        renumber(Layout.marks, from: [], upTo: nil, classAt: 8) { _ in nil }
    }

    /// Gives everything that names a column the column's new number. What names a column without one is removed.
    func renumber(_ columns: Range<Int>, _ newColumn: (Int) -> Int?) throws(StoreFailure) {
        for tree in Self.treesByColumn { renumber(tree, from: prefix, upTo: prefixEnd, classAt: 0, newColumn) }
        renumber(Layout.marks, from: [], upTo: nil, classAt: 8, newColumn)
        guard columns.contains(where: { newColumn($0) != $0 }) else { return }
        for (tree, skipped) in Self.treesOfStamps {
            try forEachEntry(of: tree) { key, value throws(StoreFailure) in
                var stamps = try Self.stamps(in: value, at: skipped, tree)
                stamps.renumber(columns, newColumn)
                var writer = ByteWriter()
                writer.write(raw: Array(value[..<skipped]))
                stamps.write(to: &writer)
                if writer.bytes != value { transaction.tree(tree).put(key, writer.bytes) }
            }
        }
    }

    /// - Parameter offset: where the class number is in the key. The column follows it.
    private func renumber(
        _ name: String, from: [UInt8], upTo: [UInt8]?, classAt offset: Int, _ newColumn: (Int) -> Int?
    ) {
        let tree = transaction.tree(name)
        var old: [[UInt8]] = []
        var new: [(key: [UInt8], value: [UInt8])] = []
        tree.scan(from: from, upTo: upTo) { bytes, value in
            guard let classNumber: UInt32 = Layout.number(bytes, at: offset), Int(classNumber) == number,
                let column: UInt32 = Layout.number(bytes, at: offset + 4)
            else { return true }
            let moved = newColumn(Int(column))
            if moved == Int(column) { return true }
            var key = Array(bytes)
            old.append(key)
            if let moved {
                key.replaceSubrange(offset + 4..<offset + 8, with: Layout.bytes(UInt32(moved)))
                new.append((key, Array(value)))
            }
            return true
        }
        for key in old { tree.remove(key) }
        for (key, value) in new { tree.put(key, value) }
    }

    /// The greatest life of any object of the class, deleted ones included.
    func lifeMax() throws(StoreFailure) -> UInt32 {
        var life: UInt32 = 0
        for (tree, skipped) in Self.treesOfStamps {
            try forEachEntry(of: tree) { _, value throws(StoreFailure) in
                life = max(life, try Self.stamps(in: value, at: skipped, tree).life)
            }
        }
        try forEachEntry(of: Layout.ends) { _, value throws(StoreFailure) in
            // A deletion has the number after that of the life it ends.
            let ended = try End.load(encoded: value).life
            life = max(life, ended - min(1, ended))
        }
        return life
    }

    /// How many entries are in memory at a time.
    private static let entriesAtOnce = 10_000

    /// Visits the entries of the class in the order of their keys. The body may put other values under the same keys.
    private func forEachEntry(
        of name: String, _ body: (_ key: [UInt8], _ value: [UInt8]) throws(StoreFailure) -> Void
    ) throws(StoreFailure) {
        var start = prefix
        while true {
            var entries: [(key: [UInt8], value: [UInt8])] = []
            transaction.tree(name).scan(from: start, upTo: prefixEnd) { key, value in
                entries.append((Array(key), Array(value)))
                return entries.count < Self.entriesAtOnce
            }
            for (key, value) in entries { try body(key, value) }
            guard entries.count == Self.entriesAtOnce, let last = entries.last else { return }
            start = last.key + [0]
        }
    }

    private static func stamps(in value: [UInt8], at offset: Int, _ tree: String) throws(StoreFailure) -> ObjectStamps {
        do {
            var reader = ByteReader(Array(value.dropFirst(offset)))
            return try ObjectStamps(from: &reader)
        } catch {
            throw StoreFailure(damaged: tree, error)
        }
    }
}

extension ObjectStamps {
    /// A column without a new number goes, as if the class had never had it.
    fileprivate mutating func renumber(_ columns: Range<Int>, _ newColumn: (Int) -> Int?) {
        func moved(_ numbers: PropertyNumbers) -> PropertyNumbers {
            var result = PropertyNumbers()
            for number in columns where numbers.contains(number) {
                if let number = newColumn(number) { result.insert(number) }
            }
            return result
        }
        written = moved(written)
        defaults = moved(defaults)
        later = later.compactMap { entry in
            newColumn(entry.column).map { Later(column: $0, stamp: entry.stamp, isDefault: entry.isDefault) }
        }
        .sorted { $0.column < $1.column }
    }
}
