import CausewayModel
import CausewayStorage
import Glibc

/// One column of a table: the leaves that were read so far, and those being written.
final class Column {
    /// What making a row needs to know of a column. Asking its property would copy the name and more each time.
    enum Role {
        case hidden
        case list
        case primaryKey
        case link
        case mixed
        case required(PropertyType)
        case optional
    }

    let id: UInt32
    /// Nil for lists, sets and maps, which have no leaves.
    let kind: LeafKind?
    let role: Role
    /// Whether long values are kept in chunks once they are edited.
    let isText: Bool
    /// Links, or lists of them; mixed values, which may be links.
    let holdsLinks: Bool
    /// A list of links; not a set or a map.
    let isListOfLinks: Bool
    /// The tree of an indexed property, or 0.
    private(set) var indexTree: UInt32
    /// The content of that tree, with the changes of this write.
    @exclusivity(unchecked) private(set) var index: Postings?
    /// The tree of a full-text index, or 0.
    private(set) var wordsTree: UInt32
    @exclusivity(unchecked) private(set) var words: Postings?
    /// Whether writing a value must update an index of either kind.
    private(set) var isIndexed: Bool
    /// The tree of the elements of a list or set, or the values of a map, or 0.
    let listTree: UInt32
    /// The tree of a map's keys, or 0.
    let keysTree: UInt32
    /// Objects below this key are older than the column.
    var firstKey: Int64 = 0
    /// What a leaf that was never written holds.
    private let blank: UnsafeRawPointer
    /// Leaves of bits that are all set, and therefore not stored.
    var full = LeafRanges()
    /// The leaf pointers, where readers find them: an entry of the table's directory, which owns it.
    var leaves: UnsafeMutablePointer<LeafArray>
    private var capacity = 0
    /// Outside of these numbers no leaf is known. There may be a million leaves that nobody asks for.
    private var known = Int.max..<Int.max
    /// The leaves being written by their numbers, retained.
    private var writable = Column.noLeaves(1)
    private var writableCapacity = 1
    private(set) var writtenNumbers: [Int] = []
    /// The leaves with long values among those that readers know.
    private var longLeaves: [LongLeaf] = []
    /// The leaf written last, which is nearly always the one written next. Only replaced between uses, so that their
    /// accesses never overlap.
    @exclusivity(unchecked) private var lastNumber = -1
    @exclusivity(unchecked) private var lastLeaf: WritableLeaf?

    /// A hidden column.
    init(_ id: UInt32, _ kind: LeafKind, isNull: Bool, leaves: UnsafeMutablePointer<LeafArray>) {
        self.id = id
        self.kind = kind
        self.leaves = leaves
        role = .hidden
        isText = false
        holdsLinks = false
        isListOfLinks = false
        indexTree = 0
        wordsTree = 0
        isIndexed = false
        listTree = 0
        keysTree = 0
        blank = LeafCheck.blank(kind, isNull: isNull)
        leaves.initialize(to: LeafArray(leaves: Self.noLeaves(1), count: 0))
    }

    init(_ record: Catalog.ColumnRecord, _ property: Property, leaves: UnsafeMutablePointer<LeafArray>) {
        id = record.id
        kind = property.collection == .none ? LeafKind(property.type) : nil
        role = Role(property)
        isText = property.isText
        holdsLinks = property.type == .object || property.type == .mixed
        isListOfLinks = property.type == .object && property.collection == .list
        self.leaves = leaves
        indexTree = 0
        wordsTree = 0
        isIndexed = false
        listTree = record.list
        keysTree = record.keys
        blank = LeafCheck.blank(kind ?? .bits, isNull: property.isNullable)
        leaves.initialize(to: LeafArray(leaves: Self.noLeaves(1), count: 0))
    }

    deinit {
        dropWritten()
        free(writable)
    }

    func enterIndexes(_ record: Catalog.ColumnRecord) {
        if record.index != indexTree {
            indexTree = record.index
            index = indexTree == 0 ? nil : Postings(tree: indexTree)
        }
        if record.words != wordsTree {
            wordsTree = record.words
            words = wordsTree == 0 ? nil : Postings(tree: wordsTree)
        }
        isIndexed = index != nil || words != nil
    }

    // MARK: - Reading

    /// Makes room for leaf numbers below `count`.
    func reserve(_ count: Int) {
        guard count > leaves.pointee.count else { return }
        if count > capacity {
            capacity = max(count, capacity * 2, 4)
            let larger = Self.noLeaves(capacity)
            if !known.isEmpty {
                (larger + known.lowerBound).update(from: leaves.pointee.leaves + known.lowerBound, count: known.count)
            }
            releaseLeaves()
            leaves.pointee.leaves = larger
        }
        leaves.pointee.count = count
    }

    func forgetLeaves() {
        guard !known.isEmpty else { return }
        longLeaves = []
        (leaves.pointee.leaves + known.lowerBound).update(repeating: nil, count: known.count)
        known = Int.max..<Int.max
    }

    private func remember(_ number: Int, _ leaf: UnsafeRawPointer?) {
        known = known.isEmpty ? number..<number + 1 : min(known.lowerBound, number)..<max(known.upperBound, number + 1)
        leaves.pointee.leaves[number] = leaf
    }

    /// Memory that costs nothing before it is used: the system gives large pieces as zeros.
    private static func noLeaves(_ capacity: Int) -> UnsafeMutablePointer<UnsafeRawPointer?> {
        guard let memory = calloc(capacity, MemoryLayout<UnsafeRawPointer?>.stride) else {
            preconditionFailure("there is no memory for the list of a column's leaves")
        }
        // Nil is zero.
        return memory.bindMemory(to: UnsafeRawPointer?.self, capacity: capacity)
    }

    /// Frees the memory that readers look at. The table replaces it, or is freed itself.
    func releaseLeaves() {
        free(leaves.pointee.leaves)
    }

    func isWritable(_ number: Int) -> Bool {
        number < writableCapacity && writable[number] != nil
    }

    func writableLeaf(at number: Int) -> WritableLeaf? {
        guard number < writableCapacity, let leaf = writable[number] else { return nil }
        return Unmanaged<WritableLeaf>.fromOpaque(leaf).takeUnretainedValue()
    }

    private func keepWritable(_ leaf: WritableLeaf, _ number: Int) {
        if number >= writableCapacity {
            let capacity = max(number + 1, 2 * writableCapacity)
            let larger = Self.noLeaves(capacity)
            for number in writtenNumbers { larger[number] = writable[number] }
            free(writable)
            writable = larger
            writableCapacity = capacity
        }
        writable[number] = UnsafeRawPointer(Unmanaged.passRetained(leaf).toOpaque())
        writtenNumbers.append(number)
    }

    private func dropWritten() {
        if writtenNumbers.isEmpty { return }
        for number in writtenNumbers {
            if let leaf = writable[number] { Unmanaged<WritableLeaf>.fromOpaque(leaf).release() }
            writable[number] = nil
        }
        writtenNumbers = []
    }

    /// The leaf in place, remembered for the next time; nil for leaves without a layout.
    func load(_ number: Int, from transaction: Transaction) -> UnsafeRawPointer? {
        guard let kind, number >= 0, number < leaves.pointee.count else { return nil }
        if let known = leaves.pointee.leaves[number] { return known }
        if isWritable(number) { return nil }
        guard let found = stored(number, kind, transaction) else {
            // A damaged leaf looks like one that was never written, but its damage must be met again by the next
            // reader.
            let unwritten = unwritten(number)
            if !transaction.hasMetDamage { remember(number, unwritten) }
            return unwritten
        }
        let readable = kind == .bytes ? withLongValues(found, number, transaction) : found
        remember(number, readable)
        return readable
    }

    private func withLongValues(
        _ leaf: UnsafeRawPointer, _ number: Int, _ transaction: Transaction
    ) -> UnsafeRawPointer {
        guard let long = LongValues.slots(of: leaf) else { return leaf }
        let result = LongLeaf(leaf, long, transaction, self, number: number)
        longLeaves.append(result)
        return UnsafeRawPointer(result.memory)
    }

    /// What a leaf that is not stored holds.
    private func unwritten(_ number: Int) -> UnsafeRawPointer {
        full.isEmpty || !full.contains(number) ? blank : LeafCheck.fullBits
    }

    private func stored(_ number: Int, _ kind: LeafKind, _ transaction: Transaction) -> UnsafeRawPointer? {
        guard let bytes = transaction.reader.leaf(column: id, number: UInt32(number)) else { return nil }
        guard LeafCheck.isSound(bytes, kind) else {
            transaction.noteDamage(transaction.store.damaged())
            return nil
        }
        return bytes.baseAddress
    }

    // MARK: - Writing

    /// The leaf in its writable form, made on first use.
    @inline(__always)
    func write(_ number: Int, of table: Table) -> WritableLeaf {
        if number == lastNumber, let lastLeaf { return lastLeaf }
        return findOrMakeWritable(number, table)
    }

    private func findOrMakeWritable(_ number: Int, _ table: Table) -> WritableLeaf {
        guard let kind else { preconditionFailure("a list has no leaves") }
        let leaf = writableLeaf(at: number) ?? makeWritable(number, kind, table)
        lastNumber = number
        lastLeaf = leaf
        return leaf
    }

    private func makeWritable(_ number: Int, _ kind: LeafKind, _ table: Table) -> WritableLeaf {
        reserve(number + 1)
        let leaf: WritableLeaf
        if let bytes = stored(number, kind, table.transaction) {
            leaf = WritableLeaf(kind, copying: bytes)
            if let strings = leaf.strings, let long = LongValues.slots(of: bytes) {
                strings.leaveOutside(long, table.transaction, self, number: number)
            }
        } else if Int64(number * slotsPerLeaf) >= max(table.changes.firstNewKey, firstKey) {
            leaf = WritableLeaf(kind)
        } else {
            leaf = WritableLeaf(kind, copying: unwritten(number))
        }
        keepWritable(leaf, number)
        remember(number, leaf.memory.map { UnsafeRawPointer($0) })
        return leaf
    }

    /// Notes that a leaf was handed to the storage. The next reader finds it there.
    func leafStored(_ number: Int) {
        leaves.pointee.leaves[number] = nil
    }

    /// Packs the written leaves and hands them to the storage.
    func flush(to writer: any StorageWriter, _ packer: LeafPacker) {
        if writtenNumbers.isEmpty { return }
        for number in writtenNumbers.sorted() {
            guard let leaf = writableLeaf(at: number) else { continue }
            store(leaf, number, to: writer, packer)
        }
    }

    /// Packs a written leaf before the write ends, and lets go of its writable form.
    func flush(_ number: Int, to writer: any StorageWriter, _ packer: LeafPacker) {
        guard isWritable(number), let leaf = writableLeaf(at: number) else { return }
        store(leaf, number, to: writer, packer)
        leafStored(number)
        if number == lastNumber { (lastNumber, lastLeaf) = (-1, nil) }
        if let place = writtenNumbers.lastIndex(of: number) { writtenNumbers.remove(at: place) }
        writable[number].map { Unmanaged<WritableLeaf>.fromOpaque($0).release() }
        writable[number] = nil
    }

    private func store(_ leaf: WritableLeaf, _ number: Int, to writer: any StorageWriter, _ packer: LeafPacker) {
        let long = leaf.strings?.moveLong(of: self, number: number, to: writer)
        packer.pack(leaf, without: long) { writer.replaceLeaf(column: id, number: UInt32(number), $0) }
    }

    func forgetWritten() {
        dropWritten()
        lastNumber = -1
        lastLeaf = nil
        forgetLeaves()
    }
}

extension Column.Role {
    fileprivate init(_ property: Property) {
        self =
            if property.collection != .none {
                .list
            } else if property.isPrimaryKey {
                .primaryKey
            } else if property.type == .object {
                .link
            } else if property.type == .mixed {
                .mixed
            } else {
                property.isOptional ? .optional : .required(property.type)
            }
    }
}

extension LeafKind {
    init(_ type: PropertyType) {
        switch type {
        case .bool: self = .bits
        case .int, .object: self = .integer
        case .float: self = .float
        case .double: self = .double
        case .string, .data: self = .bytes
        case .date: self = .timestamp
        case .objectId: self = .fixed12
        case .uuid: self = .fixed16
        case .decimal128: self = .fixed16
        case .mixed: self = .bytes
        }
    }
}

extension Property {
    /// Links, also those in maps, and mixed values are always optional, whatever the declaration says.
    var isNullable: Bool {
        isOptional || type == .mixed || (type == .object && (collection == .none || collection == .map))
    }
}
