import CausewayModel
import CausewayStorage

// Checks the leaves of a column, each by itself, and their links to other objects.

extension ContentCheck {
    func checkColumn(_ place: Int, of checked: CheckedClass) {
        let property = checked.record.schema.properties[place]
        if property.collection != .none {
            checkCollection(place, of: checked)
            return
        }
        checkLeaves(place, of: checked)
        let column = checked.record.columns[place]
        if column.index != 0 { checkIndex(place, of: checked) }
        if column.words != 0 { checkWords(place, of: checked) }
    }

    private func checkLeaves(_ place: Int, of checked: CheckedClass) {
        let property = checked.record.schema.properties[place]
        let record = checked.record.columns[place]
        guard var column = CheckedColumn(record, property, reader) else { return }
        let name = "'\(checked.name).\(property.name)'"
        for (number, rows) in zip(checked.numbers, checked.alive) {
            let leaf = column.leaf(number)
            if rows.isEmpty { continue }
            if let problem = LeafContent.problem(leaf, LeafKind(property.type), rows) {
                report.note("Leaf \(number) of \(name): \(problem).")
            }
            if !property.isNullable,
                !rows.intersection(SlotBitmap(nullsOf: leaf)).isEmpty
                    || !rows.subtracting(SlotBitmap(first: LeafHeader(leaf).count)).isEmpty && !property.isNullable
            {
                report.note("Leaf \(number) of \(name) has null where the property takes none.")
            }
            guard property.type == .object || property.type == .mixed else { continue }
            rows.forEach { slot in
                let origin = Int64(number * slotsPerLeaf + slot)
                addLink(column.value(origin, property.type), from: origin, place, of: checked)
            }
        }
        if LeafKind(property.type) == .bytes { checkLong(record.id, property, name, of: checked, &column) }
        for number in column.unsound.sorted() { report.note("Leaf \(number) of \(name) contradicts itself.") }
    }

    /// Checks that the values outside of leaves are those that the leaves name.
    private func checkLong(
        _ id: UInt32, _ property: Property, _ name: String, of checked: CheckedClass, _ column: inout CheckedColumn
    ) {
        var missing: Set<Int64> = []
        var text = StoredText()
        for number in checked.numbers {
            LongValues.slots(of: column.leaf(number))?.forEach { missing.insert(Int64(number * slotsPerLeaf + $0)) }
        }
        reader.scan(
            tree: FixedTree.longValues, from: LongValues.key(id, 0), upTo: LongValues.end(id), reversed: false
        ) { key, value in
            longValues += 1
            if property.isText, key.count == 20 {
                if !text.takes(key, value) {
                    report.note("A chunk of a text of \(name) is not the one that was expected.")
                }
                return true
            }
            if !text.isComplete { report.note("A text of \(name) lacks chunks.") }
            text = StoredText()
            if key.count != 12 || missing.remove(Int64(bitPattern: key.readUInt64(at: 4))) == nil {
                report.note("A long value of \(name) belongs to no row.")
            } else if property.isText, TextHead.isHead(value) {
                guard let head = TextHead(value) else {
                    report.note("The chunks of a text of \(name) cannot be read.")
                    return true
                }
                text = StoredText(key, head)
                if text.byteCount <= LongValues.shortMax {
                    report.note("A text of \(name) is short and lies outside of its leaf.")
                }
            } else if value.count <= LongValues.shortMax {
                report.note("A value of \(name) is short and lies outside of its leaf.")
            }
            return true
        }
        if !text.isComplete { report.note("A text of \(name) lacks chunks.") }
        for row in missing.sorted() { report.note("The long value of \(name) of \(checked.sentence(row)) is missing.") }
    }

    // MARK: - Links

    /// Counts what a value, or an element, links to.
    func addLink(_ value: Value, from origin: Int64, _ place: Int, of checked: CheckedClass) {
        let property = checked.record.schema.properties[place]
        let target: CheckedClass?
        let row: Int64
        switch value {
        case .object(let key):
            target = property.target.flatMap { classesByName[$0] }
            row = key.rawValue
        case .anyObject(let object):
            target = classesByNumber[object.classNumber]
            row = object.key.rawValue
        default: return
        }
        guard let target, target.isKnown(row) else {
            report.note(
                "'\(property.name)' of \(checked.sentence(origin)) links to "
                    + "\(target?.sentence(row) ?? "row \(row) of no class"), which is not there.")
            return
        }
        target.links[checked.record.columns[place].id, default: RowSums()].add(
            RowSums.hash(origin), times: 1, to: row)
    }

    func checkBacklinks(of checked: CheckedClass) {
        let name = "the backlinks of class '\(checked.name)'"
        forEachChunk(of: checked.record.backlinks, name, isSet: false) { prefix, chunk in
            guard prefix.count == 12 else { return report.note("A chunk of \(name) has no target.") }
            let target = Int64(bitPattern: prefix.readUInt64(at: 0))
            let column = prefix.readBigEndian32(at: 8)
            guard checked.isKnown(target), catalog.columnOwners[column] != nil else {
                return report.note("Some of \(name) are those of \(checked.sentence(target)), which is not there.")
            }
            for index in 0..<chunk.count {
                if chunk.value(index) < 1 { report.note("One of \(name) counts less than once.") }
                checked.links[column, default: RowSums()].add(
                    RowSums.hash(chunk.key(index)), times: 0 &- chunk.value(index), to: target)
            }
        }
        for (column, sums) in checked.links.sorted(by: { $0.key < $1.key }) {
            let owner = catalog.columnOwners[column]
            let property = owner.flatMap { owner in
                catalog[owner.className].map { "'\(owner.className).\($0.schema.properties[owner.column].name)'" }
            }
            for row in sums.unbalanced {
                report.note(
                    "The backlinks of \(checked.sentence(row)) from \(property ?? "no property") are not the links to it."
                )
            }
        }
    }
}

/// Checks what the readers and scans of a leaf rely on, beyond what ``LeafCheck`` checks at each read.
enum LeafContent {
    /// What is wrong with the values of rows that are there; nil when nothing is.
    static func problem(_ leaf: UnsafeRawPointer, _ kind: LeafKind, _ rows: SlotBitmap) -> String? {
        let nulls = SlotBitmap(nullsOf: leaf)
        if Int(leaf.leafField(LeafLayout.nullCount, UInt16.self)) != nulls.count { return "it counts other nulls" }
        let present = rows.subtracting(nulls).intersection(SlotBitmap(first: LeafHeader(leaf).count))
        if kind == .bytes { return stringProblem(leaf, present) }
        guard leaf.leafField(LeafLayout.flags, UInt8.self) & LeafLayout.flagZone != 0 else { return nil }
        var isInside = true
        present.forEach { slot in isInside = isInside && isInZone(leaf, kind, slot) }
        return isInside ? nil : "a value is below its minimum or above its maximum"
    }

    private static func isInZone(_ leaf: UnsafeRawPointer, _ kind: LeafKind, _ slot: Int) -> Bool {
        switch kind {
        case .integer, .timestamp:
            let value = IntegerLeaf(leaf).value(slot)
            return value >= leaf.leafField(LeafLayout.minimum, Int64.self)
                && value <= leaf.leafField(LeafLayout.maximum, Int64.self)
        case .float, .double:
            let value = kind == .float ? Double(FloatLeaf(leaf).value(slot)) : DoubleLeaf(leaf).value(slot)
            return value >= leaf.leafField(LeafLayout.minimum, Double.self)
                && value <= leaf.leafField(LeafLayout.maximum, Double.self)
        case .bits, .bytes, .fixed12, .fixed16: return true
        }
    }

    private static func stringProblem(_ leaf: UnsafeRawPointer, _ present: SlotBitmap) -> String? {
        let width = leaf.leafField(LeafLayout.width, UInt8.self)
        let second = Int(leaf.leafField(LeafLayout.secondOffset, UInt32.self))
        let entries = Int(leaf.leafField(LeafLayout.dictionaryCount, UInt16.self))
        let arena = second + (entries > 0 ? (entries + 1) * 4 : 0)
        let room = Int(leaf.leafField(LeafLayout.byteCount, UInt32.self)) - arena
        var isSound = true
        present.forEach { slot in
            var (offsets, place, offsetWidth) = (LeafHeader(leaf).payload, slot, width)
            if entries > 0 {
                place = Int(IntegerLeaf.relative(offsets, width, slot))
                (offsets, offsetWidth) = (leaf + second, 4)
                guard place < entries else {
                    isSound = false
                    return
                }
            }
            let start = IntegerLeaf.relative(offsets, offsetWidth, place)
            let end = IntegerLeaf.relative(offsets, offsetWidth, place + 1)
            if start < 0 || start > end || end > room { isSound = false }
        }
        return isSound ? nil : "a text or data lies outside of it"
    }
}
