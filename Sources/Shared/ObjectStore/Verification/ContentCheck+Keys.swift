import CausewayModel
import CausewayQuery
import CausewayStorage

// Primary keys and indexes of values: each entry is looked up in the column, each row among the entries.

extension ContentCheck {
    /// Rows that entries of a tree have named.
    private struct SeenRows {
        private let checked: CheckedClass
        /// By the places of leaves.
        private(set) var rows: [SlotBitmap]

        init(_ checked: CheckedClass) {
            self.checked = checked
            rows = [SlotBitmap](repeating: SlotBitmap(), count: checked.numbers.count)
        }

        /// False when it was there, or its leaf is dead.
        mutating func insert(_ row: Int64) -> Bool {
            let slot = Int(row) % slotsPerLeaf
            guard let place = checked.place(row), !rows[place].contains(slot) else { return false }
            rows[place].insert(slot)
            return true
        }
    }

    // MARK: - Primary keys

    func checkPrimaryKeys(of checked: CheckedClass) {
        let record = checked.record
        var seen = SeenRows(checked)
        var source = KeySource(checked, reader)
        var last: Int64?
        reader.scan(tree: record.primaryKeys, from: [], upTo: nil, reversed: false) { key, bytes in
            guard source.isInteger, key.first == IntegerKeys.prefix[0] else {
                if bytes.count == 8 {
                    let row = bytes.loadUnaligned(as: Int64.self)
                    let isRight = source.primaryKey(row).map { buffer.set(primaryKey: $0) } ?? false
                    enter(row, isRight && bytesOrder(buffer.bytes, key) == 0, checked, &seen)
                } else {
                    report.note("A primary key of class '\(checked.name)' has no row.")
                }
                return true
            }
            guard let first = ChunkTree.first(key, prefixCount: 1), let chunk = PackedChunk(first: first, bytes) else {
                report.note("A block of primary keys of class '\(checked.name)' contradicts itself.")
                return true
            }
            for index in 0..<chunk.count {
                let number = chunk.key(index)
                if let last, last >= number {
                    report.note("The primary keys of class '\(checked.name)' do not ascend at \(number).")
                }
                last = number
                let row = chunk.value(index)
                enter(row, source.primaryKey(row) == .int(number), checked, &seen)
            }
            return true
        }
        for (place, number) in checked.numbers.enumerated() {
            let rows = checked.alive[place].union(checked.ghosts[place]).subtracting(seen.rows[place])
            rows.forEach { slot in
                let row = Int64(number * slotsPerLeaf + slot)
                if source.primaryKey(row) != nil {
                    report.note("The primary key of \(checked.sentence(row)) is not among the class's primary keys.")
                }
            }
        }
    }

    private func enter(_ row: Int64, _ isRight: Bool, _ checked: CheckedClass, _ seen: inout SeenRows) {
        guard checked.isKnown(row) else {
            return report.note("A primary key leads to \(checked.sentence(row)), which is not there.")
        }
        if !isRight {
            report.note("A primary key leads to \(checked.sentence(row)), which has another one.")
        } else if !seen.insert(row) {
            report.note("Two primary keys lead to \(checked.sentence(row)).")
        }
    }

    /// The primary keys as the rows of a class hold them.
    private struct KeySource {
        private let checked: CheckedClass
        private var column: CheckedColumn?
        private var containers: CheckedColumn
        private let type: PropertyType

        init(_ checked: CheckedClass, _ reader: any StorageReader) {
            self.checked = checked
            let place = checked.record.schema.primaryKeyIndex
            column = place.flatMap {
                CheckedColumn(checked.record.columns[$0], checked.record.schema.properties[$0], reader)
            }
            type = place.map { checked.record.schema.properties[$0].type } ?? .uuid
            containers = CheckedColumn(checked.record.containers, .fixed16, isNull: true, reader)
        }

        var isInteger: Bool { type == .int }

        mutating func primaryKey(_ row: Int64) -> PrimaryKey? {
            guard checked.isKnown(row) else { return nil }
            if let value = column?.value(row, type) { return PrimaryKey(value) }
            guard case .uuid(let id) = containers.value(row, .uuid) else { return nil }
            return .container(ElementID(client: ClientID(id.high), counter: id.low))
        }
    }

    // MARK: - Indexes

    func checkIndex(_ place: Int, of checked: CheckedClass) {
        let property = checked.record.schema.properties[place]
        let name = "the index of '\(checked.name).\(property.name)'"
        guard var column = CheckedColumn(checked.record.columns[place], property, reader) else { return }
        var seen = SeenRows(checked)
        forEachChunk(of: checked.record.columns[place].index, name, isSet: true) { prefix, chunk in
            chunk.forEachKey { row in
                guard checked.isAlive(row) else {
                    return report.note("An entry of \(name) leads to \(checked.sentence(row)), which is not there.")
                }
                guard setIndexKey(&column, row, property.type), bytesOrder(buffer.bytes, prefix) == 0 else {
                    return report.note(
                        "An entry of \(name) leads to \(checked.sentence(row)), which has another value.")
                }
                if !seen.insert(row) { report.note("Two entries of \(name) lead to \(checked.sentence(row)).") }
            }
        }
        for (leaf, number) in checked.numbers.enumerated() {
            checked.alive[leaf].subtracting(seen.rows[leaf]).forEach { slot in
                let row = Int64(number * slotsPerLeaf + slot)
                if setIndexKey(&column, row, property.type) {
                    report.note("The value of \(checked.sentence(row)) is not in \(name).")
                }
            }
        }
    }

    /// Builds the key under which an index has a row; false when it has none.
    private func setIndexKey(_ column: inout CheckedColumn, _ row: Int64, _ type: PropertyType) -> Bool {
        buffer.clear()
        switch type {
        case .mixed: return buffer.append(mixed: column.value(row, .mixed))
        case .string, .data:
            guard let text = column.bytes(row) else {
                buffer.append(index: .null)
                return true
            }
            buffer.append(indexText: text, isData: type == .data)
        default: buffer.append(index: column.value(row, type))
        }
        return true
    }

    /// Visits the chunks of a tree, and notes those that contradict themselves or the one before.
    /// - Parameter isSet: every value must be 1.
    func forEachChunk(
        of tree: UInt32, _ name: String, isSet: Bool, _ body: (UnsafeRawBufferPointer, PackedChunk) -> Void
    ) {
        var prefixBefore: [UInt8] = []
        var last: Int64?
        reader.scan(tree: tree, from: [], upTo: nil, reversed: false) { key, bytes in
            let prefixCount = key.count - ChunkTree.keyByteCount
            guard prefixCount >= 0, let first = ChunkTree.first(key, prefixCount: prefixCount),
                let chunk = PackedChunk(first: first, bytes)
            else {
                report.note("A chunk of \(name) contradicts itself.")
                return true
            }
            let prefix = UnsafeRawBufferPointer(rebasing: key[..<prefixCount])
            if !prefixBefore.elementsEqual(prefix) {
                prefixBefore = Array(prefix)
                last = nil
            }
            var ascends = true
            chunk.forEachKey { number in
                if let last, last >= number { ascends = false }
                last = number
            }
            if !ascends { report.note("The entries of \(name) do not ascend.") }
            if isSet, !chunk.isSet { report.note("An entry of \(name) counts more than once.") }
            body(prefix, chunk)
            return true
        }
    }

    // MARK: - Words

    func checkWords(_ place: Int, of checked: CheckedClass) {
        let property = checked.record.schema.properties[place]
        let name = "the full-text index of '\(checked.name).\(property.name)'"
        guard var column = CheckedColumn(checked.record.columns[place], property, reader) else { return }
        var sums = RowSums()
        forEachChunk(of: checked.record.columns[place].words, name, isSet: true) { word, chunk in
            let hash = RowSums.hash(word)
            chunk.forEachKey { row in
                guard checked.isAlive(row) else {
                    return report.note("A word of \(name) leads to \(checked.sentence(row)), which is not there.")
                }
                sums.add(hash, times: -1, to: row)
            }
        }
        checked.forEachAlive { row in
            guard let text = column.bytes(row) else { return }
            words.read(text)
            words.removeRepetitions()
            words.forEachKey { sums.add(RowSums.hash($0), times: 1, to: row) }
        }
        for row in sums.unbalanced {
            report.note("The words of \(checked.sentence(row)) are not those that \(name) has for it.")
        }
    }
}
