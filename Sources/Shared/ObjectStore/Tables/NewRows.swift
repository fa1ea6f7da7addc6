package import CausewayModel
import CausewayStorage

/// Many objects being made at once, leaf by leaf, whose properties are written column by column.
///
///     while let elements = rows.next() {      // the next ones, all in one leaf
///         // … find their values …
///         let first = rows.open()
///         // … set every column but lists of every row …
///         rows.close()
///     }
///
/// A leaf that is filled whole is packed at once, in memory that the next one uses again. Indexes and backlinks are
/// filled from the finished leaf. The rows and the tree entries of their primary keys exist from the start; all
/// properties are zero until they are written.
package final class NewRows {
    /// Objects with consecutive keys.
    struct Run {
        var elements: Range<Int>
        var firstKey: Int64
    }

    private let table: Table
    private let columns: [Column]
    private let types: [PropertyType]
    private let runs: [Run]
    private var runIndex = 0
    /// The elements of the current piece, which is in one leaf.
    private var elements: Range<Int>
    private var key = ObjectKey(0)
    private var isWhole = false
    /// Memory for leaves that are filled whole; nil for lists.
    private let spare: [WritableLeaf?]
    /// Where the current piece is written.
    private var leaves: [WritableLeaf?] = []
    private var targets = RowTargets()
    private var editCount: Int

    init(_ table: Table, _ runs: [Run]) {
        self.table = table
        self.runs = runs
        columns = table.columns
        types = table.schema.properties.map(\.type)
        spare = columns.map { $0.kind.map { WritableLeaf($0) } }
        elements = 0..<0
        editCount = table.changes.editCount
    }

    /// Whether somebody else changed objects of the class since the last call.
    package var isDisturbed: Bool {
        table.transaction.settle()
        return table.changes.editCount != editCount
    }

    /// Moves to the next elements; nil at the end.
    package func next() -> Range<Int>? {
        guard runIndex < runs.count else { return nil }
        let run = runs[runIndex]
        let start = max(elements.upperBound, run.elements.lowerBound)
        key = ObjectKey(run.firstKey + Int64(start - run.elements.lowerBound))
        elements = start..<min(run.elements.upperBound, start + slotsPerLeaf - key.slot)
        if elements.upperBound == run.elements.upperBound { runIndex += 1 }
        return elements
    }

    /// The key of an element of the current piece.
    package func key(of element: Int) -> ObjectKey {
        ObjectKey(key.rawValue + Int64(element - elements.lowerBound))
    }

    /// Makes the rows of the current piece writable. Answers the first one; the others follow it.
    package func open() -> NewRow {
        let number = key.leafNumber
        isWhole = elements.count == slotsPerLeaf && columns.allSatisfy { !$0.isWritable(number) }
        leaves = isWhole ? spare : columns.map { $0.kind == nil ? nil : $0.write(number, of: table) }
        targets.aim(at: leaves, columns)
        return NewRow(key, targets.targets)
    }

    /// Sets any column of a row, except links, from a value. Null means zero where null is not allowed.
    ///
    /// - Parameter position: in the current piece.
    package func set(_ position: Int, _ column: Int, _ value: Value) {
        if case .required(let type) = columns[column].role, value.isNull {
            leaves[column]?.set(key.slot + position, type.zero)
        } else if case .mixed = columns[column].role {
            let value = table.transaction.resting(value)
            leaves[column]?.set(key.slot + position, MixedBytes.stored(value))
            table.linkMixed(value, ObjectKey(key.rawValue + Int64(position)), columns[column])
        } else {
            leaves[column]?.set(key.slot + position, value)
        }
    }

    /// Enters the rows in indexes and backlinks. All of their columns must be set.
    package func close() {
        let slots = key.slot..<key.slot + elements.count
        for (index, column) in columns.enumerated() {
            guard let leaf = leaves[index] else { continue }
            if case .link = column.role { enterLinks(leaf, slots, index) }
            let isCoded = isWhole && store(leaf, column)
            if let postings = column.index { enter(leaf, slots, in: postings, types[index], isCoded: isCoded) }
            if let words = column.words { enterWords(leaf, slots, in: words) }
            if isWhole { leaf.reset() }
        }
        table.changes.noteFilled()
        editCount = table.changes.editCount
    }

    /// Packs and stores a leaf. Returns whether the packer's dictionary is that of the leaf.
    private func store(_ leaf: WritableLeaf, _ column: Column) -> Bool {
        var isCoded = false
        let writer = table.transaction.writer
        let long = leaf.strings?.moveLong(of: column, number: key.leafNumber, to: writer)
        table.transaction.packer.pack(leaf, without: long) { bytes in
            isCoded = long == nil && bytes[LeafLayout.flags] & LeafLayout.flagDictionary != 0
            writer.replaceLeaf(column: column.id, number: UInt32(key.leafNumber), bytes)
        }
        column.leafStored(key.leafNumber)
        return isCoded
    }

    // MARK: - Indexes and backlinks

    private var firstKeyOfLeaf: Int64 { key.rawValue - Int64(key.slot) }

    private func enterLinks(_ leaf: WritableLeaf, _ slots: Range<Int>, _ index: Int) {
        guard let memory = leaf.memory else { return }
        let target = table.target(index)
        let links = IntegerLeaf(memory)
        let first = firstKeyOfLeaf
        for slot in slots where !links.isNull(slot) {
            target.addBacklink(
                to: ObjectKey(links.value(slot)), from: ObjectKey(first + Int64(slot)), columns[index])
        }
    }

    private func enter(
        _ leaf: WritableLeaf, _ slots: Range<Int>, in postings: Postings, _ type: PropertyType, isCoded: Bool
    ) {
        let buffer = table.transaction.keyBuffer
        let first = firstKeyOfLeaf
        guard let strings = leaf.strings?.contents else {
            guard let memory = leaf.memory else { return }
            for slot in slots {
                buffer.clear()
                buffer.append(index: LeafValue.read(memory, slot, type))
                postings.append(buffer.bytes, ObjectKey(first + Int64(slot)), .present, in: table)
            }
            return
        }
        if type == .mixed {
            for slot in slots {
                table.append(
                    mixed: strings.lengths[slot] < 0 ? nil : strings.bytes(slot), ObjectKey(first + Int64(slot)),
                    to: postings)
            }
            return
        }
        if isCoded {
            enterCoded(strings, in: postings, type)
            return
        }
        for slot in slots {
            Self.append(strings, slot, type, to: buffer)
            postings.append(buffer.bytes, ObjectKey(first + Int64(slot)), .present, in: table)
        }
    }

    private func enterWords(_ leaf: WritableLeaf, _ slots: Range<Int>, in postings: Postings) {
        guard let strings = leaf.strings?.contents else { return }
        let first = firstKeyOfLeaf
        for slot in slots where strings.lengths[slot] >= 0 {
            table.append(wordsOf: strings.bytes(slot), ObjectKey(first + Int64(slot)), .present, to: postings)
        }
    }

    private static func append(
        _ strings: StringSlots.Contents, _ slot: Int, _ type: PropertyType, to buffer: KeyBuffer
    ) {
        buffer.clear()
        if strings.lengths[slot] < 0 {
            buffer.append(index: .null)
        } else {
            buffer.append(indexText: strings.bytes(slot), isData: type == .data)
        }
    }

    /// Enters a leaf's strings by its dictionary, so that each value is looked up once.
    private func enterCoded(_ strings: StringSlots.Contents, in postings: Postings, _ type: PropertyType) {
        let dictionary = table.transaction.packer.dictionary
        let buffer = table.transaction.keyBuffer
        let first = firstKeyOfLeaf
        // Nulls come behind the values.
        let nullCode = dictionary.count
        withUnsafeTemporaryAllocation(of: Int64.self, capacity: strings.count) { keys in
            withUnsafeTemporaryAllocation(of: Int.self, capacity: nullCode + 2) { starts in
                starts.initialize(repeating: 0)
                func code(_ slot: Int) -> Int {
                    strings.lengths[slot] < 0 ? nullCode : Int(dictionary.codes[slot])
                }
                for slot in 0..<strings.count { starts[code(slot) + 1] += 1 }
                for code in 0...nullCode { starts[code + 1] += starts[code] }
                for slot in 0..<strings.count {
                    let code = code(slot)
                    keys.initializeElement(at: starts[code], to: first + Int64(slot))
                    starts[code] += 1
                }
                var start = 0
                for code in 0...nullCode where starts[code] > start {
                    buffer.clear()
                    if code == nullCode {
                        buffer.append(index: .null)
                    } else {
                        buffer.append(
                            indexText: strings.bytes(Int(dictionary.slots[code])), isData: type == .data)
                    }
                    postings.append(buffer.bytes, UnsafeBufferPointer(rebasing: keys[start..<starts[code]]), in: table)
                    start = starts[code]
                }
            }
        }
    }
}
